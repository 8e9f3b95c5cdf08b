//go:build system

package transcription_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models/speech/transcription"
)

// An utterance ends when its speaker's microphone is switched off in the middle of it.
func TestSpeakerLeavesOff(t *testing.T) {
	t.Parallel()
	r := recorded(t)[0]
	server := newFakeRealtime(t)
	l, h := listen(t, transcription.NewRealtime(transcription.RealtimeOptions{URL: server.url, Model: "scribe", APIKey: "sk-test"}))
	r.sound = r.sound[:3*r.rate/2]
	began := time.Now()
	say(t, l, h, r, 1)
	if took := time.Since(began); took < time.Second {
		t.Errorf("it ended after %v", took)
	}
}

// While an utterance is said, its text so far is reported, again and again.
func TestPartials(t *testing.T) {
	t.Parallel()
	r := recorded(t)[5] // two sentences
	server := newFakeUploads(t)
	l, h := listen(t, transcription.NewUploads(transcription.UploadsOptions{URL: server.url, Model: "whisper-1", APIKey: "sk-test", Partials: 200 * time.Millisecond}))
	for _, f := range r.frames(t, 100) {
		if err := l.Hear(f); err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Millisecond) // as time goes by while one speaks
	}
	testkit.Eventually(t, "two texts", func() (any, bool) {
		texts, _ := h.finals()
		return texts, len(texts) == 2
	})
	var kinds string
	for _, e := range h.all() {
		switch e := e.(type) {
		case transcription.Text:
			kinds += map[bool]string{false: "p", true: "F"}[e.Final]
			if _, known := server.utterances[e.Text]; !known {
				t.Errorf("the text %q", e.Text)
			}
		case transcription.Ended:
			kinds += "E"
		default:
			t.Errorf("%#v", e)
		}
	}
	if !regexp.MustCompile(`^p+FEp+FE$`).MatchString(kinds) || !strings.Contains(kinds, "pp") { // a busy machine has the time for one
		t.Errorf("the events are %s", kinds)
	}
}
