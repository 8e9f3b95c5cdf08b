package doors_test

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/journal/journaltest"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/speech"
)

// humming is a voice that hums for some time, whatever it is to say.
type humming struct {
	long time.Duration

	mu    sync.Mutex
	texts []string
}

func (h *humming) Name() string                { return "humming" }
func (h *humming) Ready(context.Context) error { return nil }
func (h *humming) Speak(_ context.Context, text string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		h.mu.Lock()
		h.texts = append(h.texts, text)
		h.mu.Unlock()
		yield(make([]byte, 2*int(h.long*speech.Rate/time.Second)), nil)
	}
}

func (h *humming) said() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.texts, " ")
}

// speaking runs a gateway with a voice, whose model gives some replies, for a user who has speech on.
func speaking(t *testing.T, voice speech.Voice, replies ...modelstest.Reply) *peer {
	t.Helper()
	cfg := conversing(t, gatewaytest.Store(t, false), modelstest.NewScript(replies...), journaltest.NewMemory())
	cfg.Voice = voice
	p := dial(t, gatewaytest.Start(t, cfg), hello)
	p.send(sdkapi.WSUpdateSettings, `{"speech_mode_enabled":true}`)
	p.until(sdkapi.WSSettingsUpdated)
	return p
}

// untilSilent returns the messages up to the answer to a message that is sent now, and what sound comes behind it.
func (p *peer) untilSilent() (sound int) {
	p.t.Helper()
	p.send(sdkapi.WSListModels, `{}`)
	for p.next().Type != sdkapi.WSModelsListed {
	}
	for range 30 { // 300 ms, in which a chunk would come
		time.Sleep(10 * time.Millisecond)
		p.send(sdkapi.WSLoadSettings, `{}`)
		for m := p.next(); m.Type != sdkapi.WSSettingsLoaded; m = p.next() {
			if m.Type == sdkapi.WSAudioChunk {
				sound++
			}
		}
	}
	return sound
}

// An answer is spoken sentence by sentence while it streams, in the chunks that the protocol has, and not where the
// user has speech off.
func TestWSSpeaks(t *testing.T) {
	t.Parallel()
	voice := &humming{long: 450 * time.Millisecond}
	text := []string{"The letter ", "is sorted. Any", "thing **else**, ", "dear?"}
	p := speaking(t, voice, modelstest.Reply{Text: text, Delay: 20 * time.Millisecond}, modelstest.Reply{Text: text})
	p.send(sdkapi.WSQuery, `{"text":"sort the letters","conversation_ref":"c"}`)
	var sound int
	for complete := false; !complete || sound < 2*2*450*speech.Rate/1000; {
		m := p.next()
		switch m.Type {
		case sdkapi.WSStreamingComplete:
			complete = true
		case sdkapi.WSAudioChunk:
			var chunk sdkapi.WSAudioPayload
			if err := json.Unmarshal(m.Payload, &chunk); err != nil {
				t.Fatal(err)
			}
			length := time.Duration(len(chunk.Audio)/2) * time.Second / speech.Rate
			if chunk.SampleRate != speech.Rate || length < 99*time.Millisecond || length > 250*time.Millisecond || m.ConversationRef != "c" || m.TurnRef == "" || m.QueryRef == "" {
				t.Errorf("%v of sound at %d Hz, of %s %s", length, chunk.SampleRate, m.ConversationRef, m.TurnRef)
			}
			sound += len(chunk.Audio)
		}
	}
	if said := voice.said(); said != "The letter is sorted. Anything else, dear?" {
		t.Errorf("said %q", said)
	}
	p.send(sdkapi.WSUpdateSettings, `{"speech_mode_enabled":false}`)
	p.until(sdkapi.WSSettingsUpdated)
	p.send(sdkapi.WSQuery, `{"text":"again","conversation_ref":"c"}`)
	if messages := p.until(sdkapi.WSStreamingComplete); slices.ContainsFunc(messages, func(m sdkapi.WSMessage) bool { return m.Type == sdkapi.WSAudioChunk }) || p.untilSilent() > 0 {
		t.Error("spoken to a user who has speech off")
	}
}

// Of a query that waits, the answer to it is spoken, and not the one to another that waited before it.
func TestWSSpeaksTheAnswerToTheQuery(t *testing.T) {
	t.Parallel()
	voice := &humming{long: 100 * time.Millisecond}
	says := func(text string) modelstest.Reply { return modelstest.Reply{Text: []string{text}} }
	cfg := conversing(t, gatewaytest.Store(t, false), modelstest.NewScript(modelstest.Reply{Hold: true}, says("The answer to two."), says("The answer to three.")), journaltest.NewMemory())
	cfg.Voice = voice
	url := gatewaytest.Start(t, cfg)
	ada, bob := dial(t, url, hello), dial(t, url, hello)
	ada.asks("one", "")
	ada.until(sdkapi.WSToolSchemas)
	ada.asks("two", `,"on_busy":"queue"`)
	ada.settled()
	bob.send(sdkapi.WSUpdateSettings, `{"speech_mode_enabled":true}`)
	bob.until(sdkapi.WSSettingsUpdated)
	three := bob.asks("three", `,"on_busy":"queue"`)
	bob.settled()
	ada.send(sdkapi.WSCancel, `{"conversation_ref":"c1"}`)
	m := bob.next()
	for m.Type != sdkapi.WSAudioChunk {
		m = bob.next()
	}
	if said := voice.said(); said != "The answer to three." || m.QueryRef != three {
		t.Errorf("said %q, in a chunk of %q", said, m.QueryRef)
	}
}

// No sound comes behind a cancel, and with another query the one before is silent.
func TestWSHushes(t *testing.T) {
	t.Parallel()
	reply := modelstest.Reply{Text: []string{"A very long story it is, which begins here. And goes on."}, Hold: true}
	p := speaking(t, &humming{long: time.Minute}, reply, modelstest.Reply{}, modelstest.Reply{})
	hear := func() {
		t.Helper()
		for m := p.next(); m.Type != sdkapi.WSAudioChunk; m = p.next() {
			if m.Type == sdkapi.WSStreamingComplete {
				t.Fatal("nothing was spoken")
			}
		}
	}
	p.send(sdkapi.WSQuery, `{"text":"tell","conversation_ref":"c"}`)
	hear()
	p.send(sdkapi.WSCancel, `{"conversation_ref":"c"}`)
	if n := p.untilSilent(); n > 0 {
		t.Errorf("%d chunks behind a cancel", n)
	}
	p.send(sdkapi.WSWakeword, `{}`)
	hear()
	p.send(sdkapi.WSQuery, `{"text":"another","conversation_ref":"d"}`)
	if n := p.untilSilent(); n > 0 {
		t.Errorf("%d chunks of the greeting behind a query", n)
	}
}

// A turn does not wait for what is spoken of it.
func TestWSSpeaksSlowly(t *testing.T) {
	t.Parallel()
	voice := &humming{long: time.Hour}
	cfg := conversing(t, gatewaytest.Store(t, false), modelstest.NewScript(modelstest.Reply{Text: []string{"A long story. It goes on."}}), journaltest.NewMemory())
	cfg.Voice = voice
	url := gatewaytest.Start(t, cfg)
	p := dial(t, url, hello)
	p.send(sdkapi.WSUpdateSettings, `{"speech_mode_enabled":true}`)
	p.until(sdkapi.WSSettingsUpdated)
	p.send(sdkapi.WSQuery, `{"text":"tell","conversation_ref":"c"}`)
	for _, m := range p.until(sdkapi.WSStreamingComplete) {
		if m.Type == sdkapi.WSError {
			t.Errorf("%s", m.Payload)
		}
	}
}
