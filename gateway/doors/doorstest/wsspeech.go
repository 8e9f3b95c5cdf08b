package doorstest

import (
	"context"
	"iter"
	"strings"
	"sync"
	"time"

	"github.com/windieos/windie/models/speech"
	"github.com/windieos/windie/sdkapi"
)

// Humming is a voice for tests. It speaks each text as silence of the duration Long.
type Humming struct {
	Long time.Duration

	mu    sync.Mutex
	texts []string
}

func (h *Humming) Name() string { return "humming" }

func (h *Humming) Ready(context.Context) error { return nil }

// Speak yields the speech in one chunk of 16-bit samples. It records the text, so that Said can return it.
func (h *Humming) Speak(_ context.Context, text string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		h.mu.Lock()
		h.texts = append(h.texts, text)
		h.mu.Unlock()
		yield(make([]byte, 2*int(h.Long*speech.Rate/time.Second)), nil)
	}
}

// Said returns all texts that the voice has spoken so far, joined with spaces.
func (h *Humming) Said() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.texts, " ")
}

// UntilSilent waits until the gateway has handled all earlier messages. Then it counts the audio chunks that still
// arrive within 300 ms, and returns the count.
func (p *Peer) UntilSilent() (sound int) {
	p.T.Helper()
	p.Send(sdkapi.WSListModels, `{}`)
	for p.Next().Type != sdkapi.WSModelsListed {
	}
	for range 30 { // 300 ms, in which a late chunk would come
		time.Sleep(10 * time.Millisecond)
		p.Send(sdkapi.WSLoadSettings, `{}`)
		for m := p.Next(); m.Type != sdkapi.WSSettingsLoaded; m = p.Next() {
			if m.Type == sdkapi.WSAudioChunk {
				sound++
			}
		}
	}
	return sound
}
