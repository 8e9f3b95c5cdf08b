package transcription_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os/exec"
	"sync"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models/speech"
	"github.com/windieos/windie/models/speech/pcm"
	"github.com/windieos/windie/models/speech/transcription"
)

// sentences are what is said in recordings, with a pause of a second behind each.
var sentences = []string{
	"The quick brown fox jumps over the lazy dog.",
	"Please open the settings, and then turn on the dark mode.",
	"My order number is four seven one one.",
	"Where is the button that sends this message?",
	"Stop.",
}

// recording is one that espeak-ng made.
type recording struct {
	rate  int
	sound []int16
}

func (r recording) name() string { return fmt.Sprintf("%d Hz", r.rate) }

// recordings are twenty: each sentence, and what was said before, at four rates.
var recordings = sync.OnceValues(func() ([]recording, error) {
	var all []recording
	voice := speech.NewESpeak(speech.ESpeakOptions{})
	said := make([]int16, speech.Rate/2)
	for _, sentence := range sentences {
		for piece, err := range voice.Speak(context.Background(), sentence) {
			if err != nil {
				return nil, err
			}
			said = append(said, pcm.Decode(piece)...)
		}
		said = append(said, make([]int16, speech.Rate)...)
		for _, rate := range []int{8000, 16000, 44100, 48000} {
			to := pcm.NewResampler(speech.Rate, rate)
			all = append(all, recording{rate, append(to.Write(said), to.End()...)})
		}
	}
	return all, nil
})

// recorded returns the recordings.
func recorded(tb testing.TB) []recording {
	tb.Helper()
	if _, err := exec.LookPath("espeak-ng"); err != nil {
		testkit.Skip(tb, "espeak-ng", "make deps")
	}
	all, err := recordings()
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

// frames returns a recording as a client sends it, in pieces of a number of milliseconds.
func (r recording) frames(tb testing.TB, ms int) (out []transcription.Frame) {
	tb.Helper()
	size := r.rate * ms / 1000
	for n, at := 0, 0; at < len(r.sound); n, at = n+1, at+size {
		out = append(out, frameOf(tb, n, r.rate, r.sound[at:min(at+size, len(r.sound))]))
	}
	return out
}

// frameOf returns a frame with a number in its metadata.
func frameOf(tb testing.TB, n, rate int, sound []int16) transcription.Frame {
	tb.Helper()
	meta := fmt.Appendf(nil, `{"sampleRate":%d,"n":%d}`, rate, n)
	raw := binary.LittleEndian.AppendUint32(nil, uint32(len(meta)))
	frame, err := transcription.ParseFrame(bytes.Join([][]byte{raw, meta, pcm.Encode(sound)}, nil))
	if err != nil {
		tb.Fatal(err)
	}
	return frame
}

// at returns the recording at another rate, as it is to arrive.
func (r recording) at(rate int) []int16 { return pcm.NewResampler(r.rate, rate).Write(r.sound) }

// spectrum returns the content of sound at a frequency, by the algorithm of Goertzel, in units of amplitude times seconds.
func spectrum(sound []int16, rate int, hz float64) complex128 {
	w := 2 * math.Pi * hz / float64(rate)
	c := 2 * math.Cos(w)
	var s1, s2 float64
	for _, s := range sound {
		s1, s2 = float64(s)+c*s1-s2, s1
	}
	last := -w * float64(len(sound)-1)
	re, im := s1-s2*math.Cos(w), s2*math.Sin(w)
	return complex(re, im) * complex(math.Cos(last), math.Sin(last)) / complex(float64(rate), 0)
}
