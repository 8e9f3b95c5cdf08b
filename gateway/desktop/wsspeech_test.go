package desktop_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/models/speech"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal/journaltest"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// speaking runs a gateway with a voice, whose model gives some replies, for a user who has speech on.
func speaking(t *testing.T, voice speech.Voice, replies ...modelstest.Reply) *doorstest.Peer {
	t.Helper()
	cfg := doorstest.Conversing(t, gatewaytest.Store(t, false), modelstest.NewScript(replies...), journaltest.NewMemory())
	cfg.Voice = voice
	p := doorstest.Dial(t, gatewaytest.Start(t, cfg), doorstest.Hello)
	p.Send(sdkapi.WSUpdateSettings, `{"speech_mode_enabled":true}`)
	p.Until(sdkapi.WSSettingsUpdated)
	return p
}

// An answer is spoken sentence by sentence while it streams, in the chunks that the protocol has, and not where the
// user has speech off.
func TestWSSpeaks(t *testing.T) {
	t.Parallel()
	voice := &doorstest.Humming{Long: 450 * time.Millisecond}
	text := []string{"The letter ", "is sorted. Any", "thing **else**, ", "dear?"}
	p := speaking(t, voice, modelstest.Reply{Text: text, Delay: 20 * time.Millisecond}, modelstest.Reply{Text: text})
	p.Send(sdkapi.WSQuery, `{"text":"sort the letters","conversation_ref":"c"}`)
	var sound int
	for complete := false; !complete || sound < 2*2*450*speech.Rate/1000; {
		m := p.Next()
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
	if said := voice.Said(); said != "The letter is sorted. Anything else, dear?" {
		t.Errorf("said %q", said)
	}
	p.Send(sdkapi.WSUpdateSettings, `{"speech_mode_enabled":false}`)
	p.Until(sdkapi.WSSettingsUpdated)
	p.Send(sdkapi.WSQuery, `{"text":"again","conversation_ref":"c"}`)
	if messages := p.Until(sdkapi.WSStreamingComplete); slices.ContainsFunc(messages, func(m sdkapi.WSMessage) bool { return m.Type == sdkapi.WSAudioChunk }) || p.UntilSilent() > 0 {
		t.Error("spoken to a user who has speech off")
	}
}

// Of a query that waits, the answer to it is spoken, and not the one to another that waited before it.
func TestWSSpeaksTheAnswerToTheQuery(t *testing.T) {
	t.Parallel()
	voice := &doorstest.Humming{Long: 100 * time.Millisecond}
	says := func(text string) modelstest.Reply { return modelstest.Reply{Text: []string{text}} }
	cfg := doorstest.Conversing(t, gatewaytest.Store(t, false), modelstest.NewScript(modelstest.Reply{Hold: true}, says("The answer to two."), says("The answer to three.")), journaltest.NewMemory())
	cfg.Voice = voice
	url := gatewaytest.Start(t, cfg)
	ada, bob := doorstest.Dial(t, url, doorstest.Hello), doorstest.Dial(t, url, doorstest.Hello)
	ada.Asks("one", "")
	ada.Until(sdkapi.WSToolSchemas)
	ada.Asks("two", `,"on_busy":"queue"`)
	ada.Settled()
	bob.Send(sdkapi.WSUpdateSettings, `{"speech_mode_enabled":true}`)
	bob.Until(sdkapi.WSSettingsUpdated)
	three := bob.Asks("three", `,"on_busy":"queue"`)
	bob.Settled()
	ada.Send(sdkapi.WSCancel, `{"conversation_ref":"c1"}`)
	m := bob.Next()
	for m.Type != sdkapi.WSAudioChunk {
		m = bob.Next()
	}
	if said := voice.Said(); said != "The answer to three." || m.QueryRef != three {
		t.Errorf("said %q, in a chunk of %q", said, m.QueryRef)
	}
}

// No sound comes behind a cancel, and with another query the one before is silent.
func TestWSHushes(t *testing.T) {
	t.Parallel()
	reply := modelstest.Reply{Text: []string{"A very long story it is, which begins here. And goes on."}, Hold: true}
	p := speaking(t, &doorstest.Humming{Long: time.Minute}, reply, modelstest.Reply{}, modelstest.Reply{})
	hear := func() {
		t.Helper()
		for m := p.Next(); m.Type != sdkapi.WSAudioChunk; m = p.Next() {
			if m.Type == sdkapi.WSStreamingComplete {
				t.Fatal("nothing was spoken")
			}
		}
	}
	p.Send(sdkapi.WSQuery, `{"text":"tell","conversation_ref":"c"}`)
	hear()
	p.Send(sdkapi.WSCancel, `{"conversation_ref":"c"}`)
	if n := p.UntilSilent(); n > 0 {
		t.Errorf("%d chunks behind a cancel", n)
	}
	p.Send(sdkapi.WSWakeword, `{}`)
	hear()
	p.Send(sdkapi.WSQuery, `{"text":"another","conversation_ref":"d"}`)
	if n := p.UntilSilent(); n > 0 {
		t.Errorf("%d chunks of the greeting behind a query", n)
	}
}

// A query that is refused or queued, and a cancel in another conversation, leave the answer that is being spoken.
func TestWSGoesOnSpeaking(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(p *doorstest.Peer){
		"refused": func(p *doorstest.Peer) {
			p.Send(sdkapi.WSQuery, `{"text":"more","conversation_ref":"c"}`)
			p.Until(sdkapi.WSError)
		},
		"queued": func(p *doorstest.Peer) {
			p.Send(sdkapi.WSQuery, `{"text":"more","conversation_ref":"c","on_busy":"queue"}`)
		},
		"a cancel elsewhere": func(p *doorstest.Peer) {
			p.Send(sdkapi.WSCancel, `{"conversation_ref":"d"}`)
			p.Until(sdkapi.WSError)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reply := modelstest.Reply{Text: []string{"A very long story it is, which begins here. And goes on."}, Hold: true}
			p := speaking(t, &doorstest.Humming{Long: time.Minute}, reply)
			p.Send(sdkapi.WSQuery, `{"text":"tell","conversation_ref":"c"}`)
			for m := p.Next(); m.Type != sdkapi.WSAudioChunk; {
				m = p.Next()
			}
			ask(p)
			p.Settled()
			for m := p.Next(); m.Type != sdkapi.WSAudioChunk; { // fails if the answer is silent
				m = p.Next()
			}
		})
	}
}

// A turn does not wait for what is spoken of it.
func TestWSSpeaksSlowly(t *testing.T) {
	t.Parallel()
	voice := &doorstest.Humming{Long: time.Hour}
	cfg := doorstest.Conversing(t, gatewaytest.Store(t, false), modelstest.NewScript(modelstest.Reply{Text: []string{"A long story. It goes on."}}), journaltest.NewMemory())
	cfg.Voice = voice
	url := gatewaytest.Start(t, cfg)
	p := doorstest.Dial(t, url, doorstest.Hello)
	p.Send(sdkapi.WSUpdateSettings, `{"speech_mode_enabled":true}`)
	p.Until(sdkapi.WSSettingsUpdated)
	p.Send(sdkapi.WSQuery, `{"text":"tell","conversation_ref":"c"}`)
	for _, m := range p.Until(sdkapi.WSStreamingComplete) {
		if m.Type == sdkapi.WSError {
			t.Errorf("%s", m.Payload)
		}
	}
}
