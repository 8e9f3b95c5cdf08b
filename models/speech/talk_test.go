package speech_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models/speech"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// reader is a voice whose sound is as long as its texts.
type reader struct {
	mu     sync.Mutex
	texts  []string
	second int // bytes of text that take one to hear
	err    error
}

func (r *reader) Name() string                { return "reader" }
func (r *reader) Ready(context.Context) error { return nil }
func (r *reader) Speak(_ context.Context, text string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		r.mu.Lock()
		r.texts = append(r.texts, text)
		r.mu.Unlock()
		if r.err != nil {
			yield(nil, r.err)
			return
		}
		yield(make([]byte, len(text)*2*speech.Rate/r.second&^1), nil)
	}
}

// Sound is sent in chunks of 100 to 200 ms and little faster than it is heard, and what was said meanwhile is spoken
// together.
func TestTalk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		voice := &reader{second: 15}
		began, sent := time.Now(), time.Duration(0)
		talk := speech.Talk(t.Context(), voice, func(chunk []byte) bool {
			length := time.Duration(len(chunk)/2) * time.Second / speech.Rate
			if length < 99*time.Millisecond || length > 201*time.Millisecond {
				t.Errorf("a chunk of %v", length)
			}
			if sent += length; sent > time.Since(began)+1700*time.Millisecond {
				t.Errorf("after %v sound of %v was sent", time.Since(began), sent)
			}
			return true
		})
		talk.Add("The first sentence. A")
		time.Sleep(time.Millisecond)
		for i := range 20 {
			talk.Add(fmt.Sprintf("nd sentence number %d. A", i))
		}
		talk.End()
		if err := talk.Wait(); err != nil {
			t.Fatal(err)
		}
		if len(voice.texts) > 5 || voice.texts[0] != "The first sentence." || !strings.HasSuffix(strings.Join(voice.texts, " "), "number 19. A") {
			t.Errorf("%d texts: %q", len(voice.texts), voice.texts)
		}
		if took := time.Since(began); took < sent-1700*time.Millisecond || took > sent+time.Second {
			t.Errorf("sound of %v was sent in %v", sent, took)
		}
	})
}

// A talk ends with its context, when nobody listens, and when the voice fails.
func TestTalkEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var n atomic.Int64
		canceled := speech.Talk(ctx, &reader{second: 1}, func([]byte) bool { n.Add(1); return true })
		canceled.Add("A long sentence it is.")
		canceled.Flush()
		time.Sleep(3 * time.Second)
		cancel()
		before := n.Load()
		_ = canceled.Wait()
		if after := n.Load(); after != before || after == 0 {
			t.Errorf("%d chunks before, %d after", before, after)
		}
		left := speech.Talk(t.Context(), &reader{second: 1}, func([]byte) bool { return false })
		left.Add("A long sentence it is.")
		left.Flush()
		if err := left.Wait(); err == nil {
			t.Error("nobody listens, and the talk goes on")
		}
		broken := errors.New("no voice")
		mute := speech.Talk(t.Context(), &reader{second: 1, err: broken}, func([]byte) bool { return true })
		mute.Add("A long sentence it is.")
		mute.Flush()
		if err := mute.Wait(); !errors.Is(err, broken) {
			t.Errorf("%v", err)
		}
		again := &reader{second: 100}
		talk := speech.Talk(t.Context(), again, func([]byte) bool { return true })
		talk.Add("What is said in vain")
		talk.Break()
		talk.Add("And anew")
		talk.Flush()
		talk.End()
		if err := talk.Wait(); err != nil || strings.Join(again.texts, "|") != "And anew" {
			t.Errorf("%q, %v", again.texts, err)
		}
	})
}

// loudness returns the root of the mean square of sound.
func loudness(sound []byte) float64 {
	sum := 0.0
	for i := 0; i+1 < len(sound); i += 2 {
		s := float64(int16(binary.LittleEndian.Uint16(sound[i:])))
		sum += s * s
	}
	return math.Sqrt(sum / float64(len(sound)/2+1))
}

// espeak-ng speaks a sentence, and nothing of what is not for it.
func TestESpeak(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("espeak-ng"); err != nil {
		testkit.Skip(t, "espeak-ng", "make deps")
	}
	voice := speech.NewESpeak(speech.ESpeakOptions{})
	if err := voice.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	lengths := map[string]int{}
	for _, text := range []string{"The letter is sorted.", "The letter is sorted. The letter is sorted.", "", "Hello\x00 there.", "[[h@]]"} {
		for sound, err := range voice.Speak(t.Context(), text) {
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			if lengths[text] += len(sound); loudness(sound) < 100 {
				t.Errorf("%q is silent", text)
			}
		}
	}
	one := lengths["The letter is sorted."]
	if one < speech.Rate || lengths["The letter is sorted. The letter is sorted."] < 3*one/2 || lengths[""] != 0 || lengths["Hello\x00 there."] < speech.Rate/2 {
		t.Errorf("%v bytes", lengths)
	}
	for name, opts := range map[string]speech.ESpeakOptions{"no such voice": {Voice: "xx-none"}, "a flag": {Voice: "--path=/"}, "no program": {Program: "espeak-none"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := speech.NewESpeak(opts).Ready(t.Context()); err == nil {
				t.Error("it is ready")
			}
		})
	}
}

// A server's PCM of another rate is heard at ours, however its answer is cut.
// A killed espeak-ng reports why it was killed: its time was over, or the caller left.
func TestESpeakIsKilled(t *testing.T) {
	t.Parallel()
	program, started := filepath.Join(t.TempDir(), "espeak-ng"), filepath.Join(t.TempDir(), "started")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n: > "+started+"\nexec sleep 100000\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		for _, err := range speech.NewESpeak(speech.ESpeakOptions{Program: program}).Speak(ctx, "hello") {
			failed <- err
		}
	}()
	testkit.Eventually(t, "the program runs", func() (any, bool) {
		_, err := os.Stat(started)
		return err, err == nil
	})
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}

func TestServer(t *testing.T) {
	t.Parallel()
	var asked map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/audio/speech" || r.Header.Get("Authorization") != "Bearer key" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		sound := make([]byte, 0, 48000)
		for i := range 24000 {
			sound = binary.LittleEndian.AppendUint16(sound, uint16(int16(10000*math.Sin(2*math.Pi*440*float64(i)/24000))))
		}
		for len(sound) > 0 { // an odd number of bytes at a time
			n := min(777, len(sound))
			_, _ = w.Write(sound[:n])
			w.(http.Flusher).Flush()
			sound = sound[n:]
		}
	}))
	defer server.Close()
	voice := speech.NewServer(speech.ServerOptions{URL: server.URL + "/v1", Model: "tts-1", APIKey: "key"})
	var all []byte
	for sound, err := range voice.Speak(t.Context(), "Hello.") {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, sound...)
	}
	if d := len(all)/2 - speech.Rate; d < -2 || d > 2 || math.Abs(loudness(all)-7071) > 50 {
		t.Errorf("%d samples, as loud as %.0f", len(all)/2, loudness(all))
	}
	if asked["input"] != "Hello." || asked["response_format"] != "pcm" || asked["voice"] != "alloy" || asked["model"] != "tts-1" {
		t.Errorf("asked for %v", asked)
	}
	stranger := speech.NewServer(speech.ServerOptions{URL: server.URL + "/v1", Model: "tts-1"})
	if err := stranger.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "who are you?") {
		t.Errorf("without a key: %v", err)
	}
}

func BenchmarkESpeak(b *testing.B) {
	if _, err := exec.LookPath("espeak-ng"); err != nil {
		testkit.Skip(b, "espeak-ng", "make deps")
	}
	voice := speech.NewESpeak(speech.ESpeakOptions{})
	for b.Loop() {
		for _, err := range voice.Speak(b.Context(), "The letter is sorted, and everything else is where it was before.") {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
