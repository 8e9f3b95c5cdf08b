package transcription_test

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models/speech/pcm"
	"github.com/windieos/windie/models/speech/transcription"
)

// textOf returns the text that fakes have for a sound.
func textOf(sound []int16) string {
	sum := sha256.Sum256(pcm.Encode(sound))
	return "said " + hex.EncodeToString(sum[:6])
}

// Recordings of all rates have the same spectrum behind the change of their rate, as far as both rates reach.
func TestSpectra(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, r := range recorded(t) {
		for _, to := range []int{16000, 24000} {
			arrived := pcm.NewResampler(r.rate, to)
			sound := append(arrived.Write(r.sound), arrived.End()...)
			if r.rate == to && !slices.Equal(sound, r.sound) {
				t.Errorf("%s: sound of the same rate is changed", r.name())
			}
			var loudest, worst float64
			for range 4 {
				hz := 100 + random.Float64()*(0.85*float64(min(r.rate, to))/2-100)
				want, got := spectrum(r.sound, r.rate, hz), spectrum(sound, to, hz)
				loudest, worst = max(loudest, cmplx.Abs(want)), max(worst, cmplx.Abs(want-got))
			}
			if off := 20 * math.Log10(worst/loudest); off > -60 {
				t.Errorf("%s to %d Hz: the spectrum is off by %.0f dB", r.name(), to, off)
			}
		}
	}
}

// checkPieces checks that utterances are cut out of what is to arrive, in order, and that no speech is missing.
func checkPieces(t *testing.T, whole []int16, rate int, pieces [][]int16) {
	t.Helper()
	covered, from := make([]bool, len(whole)), 0
	for n, piece := range pieces {
		at := index(whole[from:], piece)
		if at < 0 {
			t.Errorf("utterance %d, of %d samples, is not as it was said", n, len(piece))
			return
		}
		for i := range piece {
			covered[from+at+i] = true
		}
		from += at + len(piece)
	}
	var loudest, lost float64
	size := rate / 50
	for at := 0; at+size <= len(whole); at += size {
		var energy float64
		missing := false
		for i := at; i < at+size; i++ {
			energy += float64(whole[i]) * float64(whole[i])
			missing = missing || !covered[i]
		}
		loudest = max(loudest, energy)
		if missing {
			lost = max(lost, energy)
		}
	}
	if lost > loudest/300 { // 25 dB below
		t.Errorf("speech is missing that is %.0f dB below the loudest", 10*math.Log10(loudest/lost))
	}
}

// index returns where a piece is in sound; -1 if it is not.
func index(sound, piece []int16) int {
	if len(piece) == 0 {
		return -1
	}
	loudest := slices.Index(piece, slices.Max(piece)) // silence is everywhere
	for at := 0; at+len(piece) <= len(sound); at++ {
		if sound[at+loudest] == piece[loudest] && slices.Equal(sound[at:at+len(piece)], piece) {
			return at
		}
	}
	return -1
}

// say has a listener hear a recording, and waits until texts are there.
func say(t *testing.T, l transcription.Listener, h *heard, r recording, want int) []string {
	t.Helper()
	for _, f := range r.frames(t, 100) {
		if err := l.Hear(f); err != nil {
			t.Fatal(err)
		}
	}
	testkit.Eventually(t, "the text of each utterance", func() (any, bool) {
		texts, ended := h.finals()
		return h.all(), len(texts) >= want && ended >= want
	})
	texts, _ := h.finals()
	return texts
}

// listen returns a listener of a test, and its events.
func listen(t *testing.T, to transcription.Transcriber) (transcription.Listener, *heard) {
	t.Helper()
	h := &heard{}
	return to.Listen(t.Context(), h.tell), h
}

// What was said arrives at a realtime server as it was said, also when the server breaks off five times, wherever.
func TestRealtime(t *testing.T) {
	t.Parallel()
	for name, cuts := range ways(map[string][]string{
		"whole": nil,
		"cut five times": {
			"append", "input_audio_buffer.committed", "commit", "conversation.item.input_audio_transcription.delta",
			"conversation.item.input_audio_transcription.completed",
		},
	}) {
		for n, r := range recorded(t) {
			t.Run(name+"/"+r.name(), func(t *testing.T) {
				t.Parallel()
				server := newFakeRealtime(t, cuts...)
				l, h := listen(t, transcription.NewRealtime(transcription.RealtimeOptions{URL: server.url, Model: "scribe", APIKey: "sk-test"}))
				want := n/4 + 1 // sentences; a comma is no pause
				texts := say(t, l, h, r, want)
				server.mu.Lock()
				defer server.mu.Unlock()
				if len(server.cuts) > 0 || server.lines != len(cuts)+1 {
					t.Errorf("%d lines; it did not break off at %q", server.lines, server.cuts)
				}
				if len(texts) != want {
					t.Errorf("%d texts of %d utterances: %q", len(texts), want, texts)
				}
				var pieces [][]int16
				for _, text := range texts {
					pieces = append(pieces, server.utterances[text])
				}
				checkPieces(t, r.at(24000), 24000, pieces)
			})
		}
	}
}

// What was said arrives at a server that takes files as it was said, also when five requests fail.
func TestUploads(t *testing.T) {
	t.Parallel()
	for name, fail := range ways(map[string][]int{"whole": nil, "cut five times": {0, 503, 0, 429, 0}}) {
		for n, r := range recorded(t) {
			t.Run(name+"/"+r.name(), func(t *testing.T) {
				t.Parallel()
				server := newFakeUploads(t, fail...)
				l, h := listen(t, transcription.NewUploads(transcription.UploadsOptions{URL: server.url, Model: "whisper-1", APIKey: "sk-test"}))
				l.Speak(transcription.Languages{Source: "en", Target: "de"})
				want := n/4 + 1
				texts := say(t, l, h, r, want)
				if len(texts) != want {
					t.Errorf("%d texts of %d utterances: %q", len(texts), want, texts)
				}
				server.mu.Lock()
				defer server.mu.Unlock()
				var pieces [][]int16
				before := ""
				for i, text := range texts {
					pieces = append(pieces, server.utterances[text])
					fields := map[string]string{"model": "whisper-1", "response_format": "json", "language": "en"}
					if before != "" {
						fields["prompt"] = before
					}
					if !maps.Equal(server.fields[i], fields) {
						t.Errorf("the request has %q, not %q", server.fields[i], fields)
					}
					before = text
				}
				checkPieces(t, r.at(16000), 16000, pieces)
			})
		}
	}
}

// microphone sends frames of 100 ms to a Nova gateway as they are said: five times 1.5 s of speech, each with 2.2 s of silence.
func microphone(t *testing.T, l transcription.Listener, server *fakeNova, h *heard) {
	t.Helper()
	for n := range 186 {
		sound := make([]int16, 1600)
		if n%37 < 15 {
			sound[7] = int16(n)
		}
		if err := l.Hear(frameOf(t, n, 16000, sound)); err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(t, "the frame arrives", func() (any, bool) {
			_, ended := h.finals()
			return n, server.arrived() >= n && ended >= n/37
		})
	}
	testkit.Eventually(t, "five utterances", func() (any, bool) {
		_, ended := h.finals()
		return h.all(), ended >= 5
	})
}

// A Nova gateway gets each frame as the client sent it, also when it breaks off five times: in an utterance, right at its
// begin, in the silence behind it, and right at its end.
func TestNova(t *testing.T) {
	t.Parallel()
	for name, cuts := range map[string][]int{"whole": nil, "cut five times": {4, 38, 60, 95, 130}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newFakeNova(t, cuts...)
			l, h := listen(t, transcription.NewNova(server.url))
			l.Speak(transcription.Languages{Source: "en", Target: "de"})
			microphone(t, l, server, h)
			texts, ended := h.finals()
			if want := []string{"1-14", "37-51", "74-88", "111-125", "148-162"}; !slices.Equal(texts, want) || ended != 5 {
				t.Errorf("%d utterances: %q", ended, texts)
			}
			server.mu.Lock()
			defer server.mu.Unlock()
			if server.lines != len(cuts)+1 || len(server.said) < server.lines || server.said[0] != `{"source_language":"en","target_language":"de","type":"set_langs"}` {
				t.Errorf("%d lines, %q", server.lines, server.said)
			}
			for n, raw := range server.raw {
				sound := make([]int16, 1600)
				if n%37 < 15 {
					sound[7] = int16(n)
				}
				if want := frameOf(t, n, 16000, sound).Raw; !slices.Equal(raw, want) {
					t.Errorf("frame %d is changed", n)
				}
			}
			for _, e := range h.all() {
				if text, ok := e.(transcription.Text); ok && text.Final && text.Translation != "«"+text.Text+"»" {
					t.Errorf("%#v", text)
				}
			}
		})
	}
}

// Recordings arrive at a Nova gateway frame by frame as the client sent them, also when it breaks off five times.
func TestNovaRecordings(t *testing.T) {
	t.Parallel()
	for name, cuts := range ways(map[string][]int{"whole": nil, "cut five times": {2, 3, 9, 14, 20}}) {
		for _, r := range recorded(t) {
			t.Run(name+"/"+r.name(), func(t *testing.T) {
				t.Parallel()
				server := newFakeNova(t, cuts...)
				l, _ := listen(t, transcription.NewNova(server.url))
				frames := r.frames(t, 60)
				for _, f := range frames {
					if err := l.Hear(f); err != nil {
						t.Fatal(err)
					}
				}
				testkit.Eventually(t, "the last frame arrives", func() (any, bool) { return server.arrived(), server.arrived() == len(frames)-1 })
				server.mu.Lock()
				defer server.mu.Unlock()
				if len(server.cuts) > 0 || server.lines != len(cuts)+1 {
					t.Errorf("%d lines; it did not break off at %d", server.lines, server.cuts)
				}
				for n, f := range frames {
					if !slices.Equal(server.raw[n], f.Raw) {
						t.Errorf("frame %d of %d is not as it was sent", n, len(frames))
					}
				}
			})
		}
	}
}

// A Nova gateway that never ends an utterance, as nothing is said, does not hold up its client.
func TestNovaSilence(t *testing.T) {
	t.Parallel()
	server := newFakeNova(t)
	l, _ := listen(t, transcription.NewNova(server.url))
	for n := range 100 { // 7 MiB
		if err := l.Hear(frameOf(t, n, 48000, make([]int16, 48000*3/4))); err != nil {
			t.Fatal(err)
		}
	}
	testkit.Eventually(t, "the last frame arrives", func() (any, bool) { return server.arrived(), server.arrived() == 99 })
}
