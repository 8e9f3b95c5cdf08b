package speech

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"
)

// Limits of a talk.
const (
	maxWaiting = 32 << 10                // bytes of text that is not spoken yet; more is dropped
	lead       = 1500 * time.Millisecond // time by which sound may be sent before it is heard
)

// Talker speaks one text while the text arrives. It sends sound only slightly faster than real
// time, so that an interruption discards little sound. Make one with Talk. Its methods are safe for
// concurrent use, and only Wait blocks.
type Talker struct {
	voice Voice
	send  func(chunk []byte) bool

	mu      sync.Mutex
	split   sentences
	waiting []string
	size    int
	ended   bool
	more    chan struct{}
	done    chan struct{}
	failed  error
}

// Talk begins a talk. The talk ends when ctx ends, when all text before End is spoken, or when send
// returns false. Talk calls send with one chunk of sound after another, each of 100 to 200 ms. send
// may block.
func Talk(ctx context.Context, voice Voice, send func(chunk []byte) bool) *Talker {
	t := &Talker{voice: voice, send: send, more: make(chan struct{}, 1), done: make(chan struct{})}
	go t.run(ctx)
	return t
}

// Add adds a piece of the text.
func (t *Talker) Add(piece string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue(t.split.add(piece))
}

// Break discards the incomplete sentence at the end of the text. It also discards a short sentence that waits to be
// spoken together with the incomplete sentence. Call Break if the text is interrupted and begins again, because the
// new text repeats these sentences.
func (t *Talker) Break() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.split = sentences{}
}

// Flush speaks all text so far, even an incomplete sentence.
func (t *Talker) Flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue(t.split.end())
}

// End marks the end of the text.
func (t *Talker) End() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue(t.split.end())
	t.ended = true
	t.wake()
}

// Wait waits until all sound is sent, or until the talk ends early. It returns the error that ended
// the talk, or nil.
func (t *Talker) Wait() error {
	<-t.done
	return t.failed
}

// queue adds sentences that wait to be spoken. It drops a sentence that exceeds maxWaiting. t.mu is locked.
func (t *Talker) queue(list []string) {
	for _, s := range list {
		if t.size+len(s) > maxWaiting {
			continue
		}
		t.waiting, t.size = append(t.waiting, s), t.size+len(s)
	}
	if len(t.waiting) > 0 {
		t.wake()
	}
}

// wake makes next look again. It never blocks.
func (t *Talker) wake() {
	select {
	case t.more <- struct{}{}:
	default:
	}
}

// next returns the waiting sentences as one text. more is false at the end.
func (t *Talker) next(ctx context.Context) (text string, more bool) {
	for {
		t.mu.Lock()
		list, ended := t.waiting, t.ended
		t.waiting, t.size = nil, 0
		t.mu.Unlock()
		if len(list) > 0 {
			return strings.Join(list, " "), true
		}
		if ended {
			return "", false
		}
		select {
		case <-t.more:
		case <-ctx.Done():
			return "", false
		}
	}
}

var errLeft = errors.New("the client no longer receives the sound")

// run speaks sentences until the end of the text, an error, or the end of ctx. At the end of the text it sends the rest
// of the sound.
func (t *Talker) run(ctx context.Context) {
	defer close(t.done)
	p := pacer{send: t.send}
	for {
		text, more := t.next(ctx)
		if !more {
			break
		}
		if err := t.speak(ctx, &p, text); err != nil {
			t.failed = err
			return
		}
	}
	if ctx.Err() == nil {
		t.failed = p.flush(ctx)
	}
}

// speak speaks a text: at first one sentence, later all that have arrived meanwhile.
func (t *Talker) speak(ctx context.Context, p *pacer, text string) error {
	for piece, err := range t.voice.Speak(ctx, text) {
		if err == nil {
			err = p.add(ctx, piece)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pacer sends sound in chunks, slightly faster than it is heard.
type pacer struct {
	send  func(chunk []byte) bool
	kept  []byte
	heard time.Time // time at which all sent sound will have been heard
}

// add sends the whole chunks of the sound so far, and keeps the rest.
func (p *pacer) add(ctx context.Context, sound []byte) error {
	p.kept = append(p.kept, sound...)
	for len(p.kept) >= chunkBytes {
		if err := p.chunk(ctx, p.kept[:chunkBytes]); err != nil {
			return err
		}
		p.kept = append(p.kept[:0], p.kept[chunkBytes:]...)
	}
	return nil
}

// flush sends the remaining sound, filled up with silence.
func (p *pacer) flush(ctx context.Context) error {
	if len(p.kept) == 0 {
		return nil
	}
	return p.chunk(ctx, append(p.kept, make([]byte, max(0, leastBytes-len(p.kept)))...))
}

// chunk sends one chunk, at most lead before it is heard. It returns errLeft if send returns false.
func (p *pacer) chunk(ctx context.Context, sound []byte) error {
	if early := time.Until(p.heard.Add(-lead)); early > 0 {
		select {
		case <-time.After(early):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if now := time.Now(); p.heard.Before(now) {
		p.heard = now
	}
	p.heard = p.heard.Add(time.Duration(len(sound)/2) * time.Second / Rate)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !p.send(append([]byte(nil), sound...)) {
		return errLeft
	}
	return nil
}
