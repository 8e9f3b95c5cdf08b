package pcm_test

import (
	"math"
	"slices"
	"testing"

	"github.com/windieos/windie/models/speech/pcm"
)

// tone returns a tone of a frequency at a rate.
func tone(hz float64, rate, n int) []int16 {
	out := make([]int16, n)
	for i := range out {
		out[i] = int16(math.Round(20000 * math.Sin(2*math.Pi*hz*float64(i)/float64(rate))))
	}
	return out
}

// level returns the amplitude of a frequency in sound, in dB below that of tone.
func level(sound []int16, hz float64, rate int) float64 {
	var re, im, sum float64
	for i, s := range sound {
		w := 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/float64(len(sound))) // Hann
		x := 2 * math.Pi * hz * float64(i) / float64(rate)
		re, im, sum = re+w*float64(s)*math.Cos(x), im+w*float64(s)*math.Sin(x), sum+w
	}
	return 20 * math.Log10(2*math.Hypot(re, im)/sum/20000+1e-12)
}

// Tones that both rates have come through as they are, others do not, and no tone makes another.
func TestResample(t *testing.T) {
	t.Parallel()
	for _, rates := range [][2]int{{24000, 22050}, {44100, 22050}, {48000, 22050}, {16000, 22050}, {8000, 22050}, {22050, 22050}} {
		from, to := rates[0], rates[1]
		edge := float64(min(from, to)) / 2
		for _, share := range []float64{0.05, 0.4, 0.8, 0.85} {
			r := pcm.NewResampler(from, to)
			out := r.Write(tone(share*edge, from, from))
			if passed := level(out[to/10:to*9/10], share*edge, to); math.Abs(passed) > 0.1 {
				t.Errorf("%d to %d Hz: a tone of %.0f Hz comes out at %.2f dB", from, to, share*edge, passed)
			}
			for _, other := range []float64{0.1, 0.3, 0.6} {
				if made := level(out[to/10:to*9/10], other*edge, to); math.Abs(other-share) > 0.05 && made > -80 {
					t.Errorf("%d to %d Hz: a tone of %.0f Hz makes one of %.0f at %.0f dB", from, to, share*edge, other*edge, made)
				}
			}
		}
		if from <= to {
			continue
		}
		r, above := pcm.NewResampler(from, to), 1.06*edge
		if alias := level(r.Write(tone(above, from, from))[to/10:to*9/10], float64(to)-above, to); alias > -80 {
			t.Errorf("%d to %d Hz: a tone of %.0f Hz comes back at %.0f dB", from, to, above, alias)
		}
	}
}

// How sound is cut does not matter, and its length is right.
func TestResampleInPieces(t *testing.T) {
	t.Parallel()
	const rate = 22050
	sound := tone(440, 24000, 24000)
	whole := pcm.NewResampler(24000, rate)
	want := append(whole.Write(sound), whole.End()...)
	if d := len(want) - rate; d < -2 || d > 2 {
		t.Errorf("a second is %d samples", len(want))
	}
	for _, size := range []int{1, 7, 1000} {
		r := pcm.NewResampler(24000, rate)
		var got []int16
		for piece := range slices.Chunk(sound, size) {
			got = append(got, r.Write(piece)...)
		}
		if got = append(got, r.End()...); !slices.Equal(got, want) {
			t.Errorf("pieces of %d samples: %d samples, not %d", size, len(got), len(want))
		}
	}
}
