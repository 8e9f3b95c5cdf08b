package transcription

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/windieos/windie/models/speech/pcm"
)

// Defaults of Realtime.
const (
	DefaultRealtime      = "wss://api.openai.com/v1/realtime"
	DefaultRealtimeModel = "gpt-live-transcribe"
)

// RealtimeOptions configure a Realtime. The zero value is useful if the server requires no key.
type RealtimeOptions struct {
	URL   string // URL of the server; default DefaultRealtime
	Model string // name of the transcription model; default DefaultRealtimeModel
	// SessionModel is the name of the model of the session. It is empty by default, for a session
	// that only transcribes.
	SessionModel string
	APIKey       string        // key of the server; default: no key
	Silence      time.Duration // duration of the silence that ends an utterance; default DefaultSilence
}

// Realtime is a server with OpenAI's realtime protocol. Windie detects the utterances and sends them to
// the server at 24 kHz. Create a Realtime with NewRealtime.
type Realtime struct{ opts RealtimeOptions }

// NewRealtime returns a client of a server with OpenAI's realtime protocol. It sends no request.
func NewRealtime(opts RealtimeOptions) *Realtime {
	opts.URL = cmp.Or(opts.URL, DefaultRealtime)
	opts.Model = cmp.Or(opts.Model, DefaultRealtimeModel)
	opts.Silence = cmp.Or(opts.Silence, DefaultSilence)
	return &Realtime{opts}
}

// Name implements Transcriber.
func (r *Realtime) Name() string { return r.opts.Model }

// realtimeRate is the protocol's only PCM rate, in Hz.
const realtimeRate = 24000

// Ready implements Transcriber.
func (r *Realtime) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	ready := errors.New("the session is ready")
	l := r.listener(func(Event) {})
	to := r.line(l)
	to.hear = func(text []byte) error {
		err := l.hear(text)
		if err == nil && l.agreed {
			return ready
		}
		return err
	}
	if _, err := to.once(ctx); !errors.Is(err, ready) {
		return err
	}
	return nil
}

// Listen implements Transcriber.
func (r *Realtime) Listen(ctx context.Context, tell func(Event)) Listener {
	l := r.listener(tell)
	l.life = live(ctx, r.line(l).stay)
	return l
}

// listener returns a listener that is not connected.
func (r *Realtime) listener(tell func(Event)) *realtimeListener {
	l := &realtimeListener{opts: r.opts, out: newBacklog(), tell: tell}
	l.cut = newCutter(realtimeRate, r.opts.Silence, l)
	return l
}

// line returns the connection to the server. Its URL depends on whether the session only transcribes.
func (r *Realtime) line(l *realtimeListener) *line {
	query := url.Values{"intent": {"transcription"}}
	if r.opts.SessionModel != "" {
		query = url.Values{"model": {r.opts.SessionModel}}
	}
	header := http.Header{}
	if r.opts.APIKey != "" {
		header.Set("Authorization", "Bearer "+r.opts.APIKey)
	}
	return &line{dial: dialer(r.opts.URL+"?"+query.Encode(), header), out: l.out, begin: l.begin, hear: l.hear, look: l.look, tell: l.tell, patience: patience}
}

// realtimeListener is Realtime's Listener.
type realtimeListener struct {
	*life
	opts RealtimeOptions
	cut  *cutter
	out  *backlog
	tell func(Event)

	mu       sync.Mutex
	language string
	open     []*utterance // utterances without a final text, oldest first
	now      *utterance   // the current utterance, or the last one
	agreed   bool         // the server has accepted the session's settings
}

// Hear implements Listener.
func (l *realtimeListener) Hear(frame Frame) error {
	if err := l.until(l.out.wait); err != nil {
		return err
	}
	l.cut.add(frame)
	return nil
}

// Speak implements Listener.
func (l *realtimeListener) Speak(languages Languages) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.language = languages.Source
	l.out.add(item{data: l.session(), order: setSession}) // begin sends it again
}

// setSession is the order with the session's settings.
const setSession = "session.update"

// StartOver implements Listener. The server still transcribes utterances that it has already
// received completely; the Listener discards their texts.
func (l *realtimeListener) StartOver() {
	l.cut.startOver()
	l.mu.Lock()
	defer l.mu.Unlock()
	unsent := l.out.clear()
	l.open = slices.DeleteFunc(l.open, func(u *utterance) bool { return u.ended.IsZero() || slices.Contains(unsent, u) })
	for _, u := range l.open {
		u.forgotten = true
	}
	l.out.add(item{data: []byte(`{"type":"input_audio_buffer.clear"}`), order: "input_audio_buffer.clear"})
}

// begun implements hearer.
func (l *realtimeListener) begun() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = new(utterance)
	l.open = append(l.open, l.now)
}

// heard implements hearer.
func (l *realtimeListener) heard(sound []int16) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out.add(item{data: message(map[string]any{"type": "input_audio_buffer.append", "audio": pcm.Encode(sound)}), of: l.now})
}

// finished implements hearer.
func (l *realtimeListener) finished() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now.ended = time.Now()
	l.out.add(item{data: []byte(`{"type":"input_audio_buffer.commit"}`), of: l.now})
}

// begin returns the session's settings for a new connection. It discards partial texts of
// unfinished utterances, because the server gets their sound again.
func (l *realtimeListener) begin() []item {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out.rewind(setSession)
	l.agreed = false
	l.open = slices.DeleteFunc(l.open, func(u *utterance) bool { return u.forgotten })
	for _, u := range l.open {
		u.name = ""
		u.text.Reset()
		if !u.ended.IsZero() {
			u.ended = time.Now()
		}
	}
	return []item{{data: l.session()}}
}

// session returns the message with the session's settings.
func (l *realtimeListener) session() []byte {
	transcription := map[string]any{"model": l.opts.Model}
	if l.language != "" {
		transcription["language"] = l.language
	}
	kind := "transcription"
	if l.opts.SessionModel != "" {
		kind = "realtime"
	}
	return message(map[string]any{"type": setSession, "session": map[string]any{
		"type": kind,
		"audio": map[string]any{"input": map[string]any{
			"format": map[string]any{"type": "audio/pcm", "rate": realtimeRate}, "transcription": transcription, "turn_detection": nil,
		}},
	}})
}

// message encodes a message to the server.
func message(m map[string]any) []byte {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // strings, numbers and bytes always marshal
	}
	return text
}

// Limits of the wait for the text of an utterance.
const (
	answerTime = 30 * time.Second // time for the text after the end of the sound was queued
	mostTries  = 3                // number of times that the sound is sent
)

// look breaks the connection if the server has sent no text of an utterance in time.
func (l *realtimeListener) look() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) == 0 {
		return nil
	}
	u := l.open[0]
	if u.ended.IsZero() || time.Since(u.ended) < answerTime {
		return nil
	}
	err := fmt.Errorf("the transcription server has sent nothing about an utterance for %v", answerTime)
	if u.tries++; u.tries == mostTries {
		u.done, u.err = true, err
		l.settle()
	}
	return err
}

// serverEvent is a message from the server.
type serverEvent struct {
	Type       string       `json:"type"`
	Item       string       `json:"item_id"`
	Delta      string       `json:"delta"`
	Transcript string       `json:"transcript"`
	Error      *serverError `json:"error"`
}

// serverError is an error that the server reports.
type serverError struct {
	Type    string `json:"type"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error returns all fields, for the log.
func (e *serverError) Error() string { return e.Type + ": " + e.Code + ": " + e.Message }

// hear processes a message from the server. It fails if a new connection is necessary.
func (l *realtimeListener) hear(text []byte) error {
	var e serverEvent
	if json.Unmarshal(text, &e) != nil {
		return nil // an unknown message
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch e.Type {
	case "session.updated":
		l.agreed = true
	case "input_audio_buffer.committed":
		l.of(e.Item)
	case "conversation.item.input_audio_transcription.delta":
		if u := l.of(e.Item); u != nil {
			u.text.WriteString(e.Delta)
		}
	case "conversation.item.input_audio_transcription.completed":
		if u := l.of(e.Item); u != nil {
			u.text.Reset()
			u.text.WriteString(e.Transcript)
			u.done = true
		}
	case "conversation.item.input_audio_transcription.failed":
		if u := l.of(e.Item); u != nil {
			u.done, u.err = true, e.failure()
		}
	case "error":
		return l.complain(e.failure())
	}
	l.settle()
	return nil
}

// failure returns the error in the message, which is never nil.
func (e serverEvent) failure() error {
	if e.Error == nil {
		return errors.New("the server gives no reason")
	}
	return e.Error
}

// complain handles an error that belongs to no utterance. Before the server has accepted the
// session's settings, the error is about them.
func (l *realtimeListener) complain(err error) error {
	why, _ := errors.AsType[*serverError](err)
	switch {
	case !l.agreed && why != nil && why.Type == "invalid_request_error":
		return refused(err)
	case !l.agreed, why != nil && why.Code == "session_expired":
		return err // a new connection may succeed
	}
	l.tell(Failed{missing(err)})
	return nil
}

// of returns the utterance to which the server gave name. If the name is new, that is the oldest utterance
// without a name. of returns nil if all utterances have another name.
func (l *realtimeListener) of(name string) *utterance {
	for _, u := range l.open {
		if u.name == name {
			return u
		}
		if u.name == "" {
			u.name = name
			return u
		}
	}
	return nil
}

// settle reports the known texts, oldest utterance first.
func (l *realtimeListener) settle() {
	for len(l.open) > 0 {
		u := l.open[0]
		if !u.forgotten {
			u.report(l.tell, strings.TrimSpace(u.text.String()))
		}
		if !u.done || u.ended.IsZero() {
			return
		}
		l.open = l.open[1:]
		l.out.drop(u)
	}
}
