package speech

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/windieos/windie/models/speech/pcm"
)

// ServerOptions configure a Server. URL and Model are required.
type ServerOptions struct {
	URL    string // URL before /audio/speech, for example http://127.0.0.1:8000/v1
	Model  string
	Voice  string // name of the voice; default "alloy"
	APIKey string
	Rate   int // sample rate of the server's PCM, in Hz; default 24000, the rate of OpenAI and Kokoro
}

// Server is a Voice that uses a server with OpenAI's route /audio/speech. Make one with NewServer.
type Server struct {
	opts   ServerOptions
	client *http.Client
}

// NewServer returns the voice that a server provides. It sends no request.
func NewServer(opts ServerOptions) *Server {
	if opts.Voice == "" {
		opts.Voice = "alloy"
	}
	if opts.Rate == 0 {
		opts.Rate = 24000
	}
	return &Server{opts, &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Name implements Voice.
func (s *Server) Name() string { return s.opts.Model + ", voice " + s.opts.Voice }

// Ready implements Voice.
func (s *Server) Ready(ctx context.Context) error {
	for _, err := range s.Speak(ctx, "Hello.") {
		if err != nil {
			return err
		}
	}
	return nil
}

// Limits of requests.
const (
	maxInput   = 4096            // characters
	speakTime  = 2 * time.Minute // for which Windie waits for the server's sound, all waits of a request together
	pieceBytes = 16 << 10
)

// Speak implements Voice.
func (s *Server) Speak(ctx context.Context, text string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for part := range parts(text) {
			if err := s.speak(ctx, part, func(sound []byte) bool { return yield(sound, nil) }); err != nil {
				if !errors.Is(err, errLeft) {
					yield(nil, err)
				}
				return
			}
		}
	}
}

// parts yields a text in parts that fit into a request, cut at white space if possible.
func parts(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for utf8.RuneCountInString(text) > maxInput {
			n := 0
			for range maxInput {
				_, size := utf8.DecodeRuneInString(text[n:])
				n += size
			}
			if space := strings.LastIndexByte(text[:n], ' '); space > 0 {
				n = space
			}
			if !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
		if strings.TrimSpace(text) != "" {
			yield(text)
		}
	}
}

// speak requests the speech of one text and yields it while it arrives. It returns errLeft if yield returns false.
// speakTime limits the waiting for the server. The time in yield does not count, as the listener hears the sound there.
func (s *Server) speak(ctx context.Context, text string, yield func([]byte) bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	left, waits := speakTime, time.Now()
	limit := time.AfterFunc(left, func() { cancel(errSlow) })
	defer limit.Stop()
	heard := func(sound []byte) bool {
		limit.Stop()
		left -= time.Since(waits)
		more := yield(sound)
		waits = time.Now()
		limit.Reset(left)
		return more
	}
	err := s.request(ctx, text, heard)
	if err != nil && errors.Is(context.Cause(ctx), errSlow) {
		return errSlow
	}
	return err
}

var errSlow = fmt.Errorf("the speech server did not send all the audio for a text within %v", speakTime)

// request does the work of speak, without its limit of time.
func (s *Server) request(ctx context.Context, text string, yield func([]byte) bool) error {
	body, err := json.Marshal(map[string]any{"model": s.opts.Model, "voice": s.opts.Voice, "input": text, "response_format": "pcm"})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(s.opts.URL, "/")+"/audio/speech", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if s.opts.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+s.opts.APIKey)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		why, _ := io.ReadAll(io.LimitReader(resp.Body, 500))
		return fmt.Errorf("the speech server responded with %s: %s", resp.Status, strings.ToValidUTF8(string(why), ""))
	}
	return s.convert(resp.Body, yield)
}

// convert yields the sound of a response at Rate.
func (s *Server) convert(from io.Reader, yield func([]byte) bool) error {
	to, odd, buffer := pcm.NewResampler(s.opts.Rate, Rate), []byte(nil), make([]byte, pieceBytes)
	for {
		n, err := from.Read(buffer)
		piece := append(odd, buffer[:n]...)
		whole := len(piece) &^ 1
		sound := to.Write(pcm.Decode(piece[:whole]))
		odd = bytes.Clone(piece[whole:])
		if errors.Is(err, io.EOF) {
			sound = append(sound, to.End()...)
		}
		if len(sound) > 0 && !yield(pcm.Encode(sound)) {
			return errLeft
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
