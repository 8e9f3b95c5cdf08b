package transcription

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/windieos/windie/models/speech/pcm"
)

// UploadsOptions configure an Uploads. URL and Model are required.
type UploadsOptions struct {
	URL     string        // URL before /audio/transcriptions, for example http://127.0.0.1:8000/v1
	Model   string        // name of the model, for example whisper-1
	APIKey  string        // key of the server; default: no key
	Silence time.Duration // duration of the silence that ends an utterance; default DefaultSilence
	// Partials is the time between two preliminary texts of an utterance that is still being spoken.
	// By default there are no preliminary texts: only complete utterances are sent to the server.
	Partials time.Duration
}

// Uploads is a server with OpenAI's route /audio/transcriptions, such as whisper.cpp, speaches or vLLM.
// Windie detects the utterances and uploads each utterance as a 16 kHz file. During an utterance,
// Windie periodically uploads the sound received so far, to get a preliminary text. Create an
// Uploads with NewUploads.
type Uploads struct {
	opts     UploadsOptions
	client   *http.Client
	patience time.Duration
}

// NewUploads returns a client of a server with the route /audio/transcriptions. It sends no
// request.
func NewUploads(opts UploadsOptions) *Uploads {
	opts.Silence = cmp.Or(opts.Silence, DefaultSilence)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &Uploads{opts, client, patience}
}

// Name implements Transcriber.
func (u *Uploads) Name() string { return u.opts.Model }

// Sample rate and limits of uploads.
const (
	uploadRate = 16000            // Hz
	uploadTime = 30 * time.Second // time limit of one upload
	maxPrompt  = 500              // bytes of the preceding text, which helps the model
)

// Ready implements Transcriber.
func (u *Uploads) Ready(ctx context.Context) error {
	_, err := u.transcribe(ctx, make([]int16, uploadRate), "", "")
	return err
}

// answerError is a response without a text.
type answerError struct {
	status int
	text   string
}

// Error returns the status and the start of the response, for the log.
func (e *answerError) Error() string {
	return fmt.Sprintf("the transcription server responded with status %d: %s", e.status, e.text)
}

// final reports whether a retry would get the same response.
func (e *answerError) final() bool {
	return e.status < 500 && e.status != http.StatusTooManyRequests && e.status != http.StatusRequestTimeout
}

// transcribe returns the text of an utterance, within uploadTime. before is the preceding text.
func (u *Uploads) transcribe(ctx context.Context, sound []int16, language, before string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, uploadTime)
	defer cancel()
	return u.send(ctx, Recording{Name: "utterance.wav", Data: pcm.WAV(sound, uploadRate), Language: language, Before: before})
}

// send uploads a file and returns its text. If the response has no text, the error is an *answerError.
func (u *Uploads) send(ctx context.Context, r Recording) (string, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file, err := form.CreateFormFile("file", r.Name)
	if err != nil {
		return "", err
	}
	_, _ = file.Write(r.Data) // to memory, like the rest of the form
	for _, field := range [][2]string{{"model", u.opts.Model}, {"response_format", "json"}, {"language", r.Language}, {"prompt", r.Before}} {
		if field[1] != "" {
			_ = form.WriteField(field[0], field[1])
		}
	}
	_ = form.Close()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(u.opts.URL, "/")+"/audio/transcriptions", &body)
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	if u.opts.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+u.opts.APIKey)
	}
	resp, err := u.client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return "", err
	}
	var answer struct {
		Text *string `json:"text"`
	}
	if resp.StatusCode != http.StatusOK || json.Unmarshal(text, &answer) != nil || answer.Text == nil {
		return "", &answerError{resp.StatusCode, strings.ToValidUTF8(string(text[:min(len(text), 500)]), "")}
	}
	return strings.TrimSpace(*answer.Text), nil
}

// Listen implements Transcriber.
func (u *Uploads) Listen(ctx context.Context, tell func(Event)) Listener {
	l := &uploadListener{of: u, tell: tell, more: newSignal(), room: newSignal()}
	l.cut = newCutter(uploadRate, u.opts.Silence, l)
	l.life = live(ctx, l.work)
	return l
}

// uploadListener is the Listener of Uploads.
type uploadListener struct {
	*life
	of   *Uploads
	cut  *cutter
	tell func(Event)
	more signal // given when there may be a request to send
	room signal // given when there may be room

	mu       sync.Mutex
	language string
	before   string    // last final text, at most maxPrompt bytes
	open     []*upload // utterances without a final text, oldest first
	kept     int       // samples of the open utterances
}

// upload is an utterance that is being transcribed.
type upload struct {
	utterance
	sound []int16
	sent  int                // samples that have a text
	stop  context.CancelFunc // cancels the request for its text; nil if there is none
}

// Hear implements Listener.
func (l *uploadListener) Hear(frame Frame) error {
	err := l.until(func(ctx context.Context) error {
		for l.full() {
			select {
			case <-l.room:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return ctx.Err()
	})
	if err == nil {
		l.cut.add(frame)
	}
	return err
}

// full reports whether the open utterances have too much sound. A sample takes two bytes.
func (l *uploadListener) full() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return 2*l.kept >= maxKept
}

// Speak implements Listener.
func (l *uploadListener) Speak(languages Languages) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.language = languages.Source
}

// StartOver implements Listener.
func (l *uploadListener) StartOver() {
	l.cut.startOver()
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.open) > 0 {
		l.remove(l.open[0])
	}
	l.before = ""
}

// remove discards an utterance.
func (l *uploadListener) remove(up *upload) {
	for i, u := range l.open {
		if u == up {
			l.open = append(l.open[:i:i], l.open[i+1:]...)
			l.kept -= len(u.sound)
			l.room.give()
		}
	}
	if up.stop != nil {
		up.stop()
	}
}

// begun implements hearer.
func (l *uploadListener) begun() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = append(l.open, new(upload))
}

// heard implements hearer.
func (l *uploadListener) heard(sound []int16) {
	l.mu.Lock()
	defer l.mu.Unlock()
	up := l.open[len(l.open)-1]
	up.sound = append(up.sound, sound...)
	l.kept += len(sound)
	l.more.give()
}

// finished implements hearer.
func (l *uploadListener) finished() {
	l.mu.Lock()
	defer l.mu.Unlock()
	up := l.open[len(l.open)-1]
	up.ended = time.Now()
	if up.stop != nil {
		up.stop() // the whole utterance is sent next
	}
	l.more.give()
}

// work transcribes utterances, one at a time.
func (l *uploadListener) work(ctx context.Context) error {
	for {
		during, job, ok := l.next(ctx)
		if !ok {
			select {
			case <-l.more:
				continue
			case <-ctx.Done():
				return nil
			}
		}
		if err := l.do(during, job); err != nil {
			return err
		}
	}
}

// uploadJob is a request for the text of an utterance, or of its start.
type uploadJob struct {
	of               *upload
	sound            []int16
	language, before string
	whole            bool
}

// next returns the next request, and a context that ends when the request is no longer needed. If there is
// no request, ok is false.
func (l *uploadListener) next(ctx context.Context) (during context.Context, job uploadJob, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) == 0 {
		return nil, job, false
	}
	up := l.open[0]
	whole, step := !up.ended.IsZero(), l.of.opts.Partials
	enough := step > 0 && len(up.sound)-up.sent >= int(step.Seconds()*uploadRate)
	if !whole && !enough {
		return nil, job, false
	}
	job = uploadJob{of: up, sound: up.sound, language: l.language, before: l.before, whole: whole}
	up.sent = len(up.sound)
	during, up.stop = context.WithCancel(ctx)
	return during, job, true
}

// do requests a text and reports it. For a whole utterance, it retries while the server is unreachable. It
// fails if the server is unreachable for too long.
func (l *uploadListener) do(ctx context.Context, job uploadJob) error {
	text, err := l.of.transcribe(ctx, job.sound, job.language, job.before)
	var away outage
	for job.whole && err != nil && ctx.Err() == nil {
		if a, answered := errors.AsType[*answerError](err); answered && a.final() {
			break
		}
		if given := away.wait(ctx, err, l.of.patience, l.tell); given != nil && ctx.Err() == nil {
			return given
		}
		text, err = l.of.transcribe(ctx, job.sound, job.language, job.before)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	stopped := ctx.Err() != nil
	job.of.stop()
	job.of.stop = nil
	switch {
	case stopped, !job.whole && err != nil: // a text of a longer part follows soon
		return nil
	case !job.whole:
		job.of.report(l.tell, text)
		return nil
	}
	job.of.done, job.of.err = true, err
	job.of.report(l.tell, text)
	if err == nil && text != "" {
		l.before = strings.ToValidUTF8(text[max(0, len(text)-maxPrompt):], "")
	}
	l.remove(job.of)
	return nil
}
