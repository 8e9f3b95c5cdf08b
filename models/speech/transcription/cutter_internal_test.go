package transcription

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// pieces are the utterances that a cutter finds.
type pieces [][]int16

func (p *pieces) begun()              { *p = append(*p, nil) }
func (p *pieces) heard(sound []int16) { (*p)[len(*p)-1] = append((*p)[len(*p)-1], sound...) }
func (p *pieces) finished()           {}

const testRate = 16000

// voice returns sound as of a voice, four syllables a second, silence noise below it, and click noise with a click in it, for
// some milliseconds.
func voice(ms int) []int16 {
	out := silence(ms)
	for i := range out {
		x := 2 * math.Pi * float64(i) / testRate
		syllable := (1.2 - math.Cos(4*x)) / 2
		out[i] += int16(1000 * syllable * (math.Sin(220*x) + math.Sin(440*x) + math.Sin(660*x)))
	}
	return out
}

func click(ms int) []int16 {
	out := silence(ms)
	for i := range 16 {
		out[80+i] = 20000
	}
	return out
}

func silence(ms int) []int16 {
	out := make([]int16, ms*testRate/1000)
	for i := range out {
		out[i] = int16(rand.IntN(21) - 10)
	}
	return out
}

// lengths returns how long the utterances in sound are.
func lengths(sound ...[]int16) (out []time.Duration) {
	var found pieces
	c := newCutter(testRate, DefaultSilence, &found)
	for _, part := range sound {
		raw := make([]byte, 0, 2*len(part))
		for _, s := range part {
			raw = binary.LittleEndian.AppendUint16(raw, uint16(s))
		}
		c.add(Frame{Rate: testRate, PCM: raw})
	}
	for _, p := range found {
		out = append(out, time.Duration(len(p))*time.Second/testRate)
	}
	return out
}

func TestCutter(t *testing.T) {
	t.Parallel()
	var clicks [][]int16
	for range 12 {
		clicks = append(clicks, click(200))
	}
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	for name, tt := range map[string]struct {
		sound [][]int16
		want  []time.Duration // each within 100 ms
	}{
		"nothing":                       {[][]int16{silence(3000)}, nil},
		"what is before and after":      {[][]int16{silence(1000), voice(1000), silence(1000)}, []time.Duration{ms(300 + 1000 + 500)}},
		"a short sound":                 {[][]int16{silence(1000), voice(120), silence(1000)}, nil},
		"a pause":                       {[][]int16{silence(1000), voice(1000), silence(300), voice(1000), silence(1000)}, []time.Duration{ms(300 + 2300 + 500)}},
		"two":                           {[][]int16{silence(1000), voice(1000), silence(900), voice(1000), silence(1000)}, []time.Duration{ms(1800), ms(1800)}},
		"clicks behind it join no two":  {append(append([][]int16{silence(1000), voice(1000)}, clicks...), voice(1000), silence(1000)), []time.Duration{ms(1800), ms(1800)}},
		"a long one, between syllables": {[][]int16{silence(1000), voice(40_000), silence(1000)}, []time.Duration{ms(13_300), ms(13_000), ms(13_000), ms(1400)}},
		"a long one with a pause":       {[][]int16{silence(1000), voice(13_500), silence(100), voice(5000), silence(1000)}, []time.Duration{ms(13_300), ms(6050)}},
	} {
		t.Run(name, func(t *testing.T) {
			got := lengths(tt.sound...)
			if len(got) != len(tt.want) {
				t.Fatalf("%v, not %v", got, tt.want)
			}
			for i := range got {
				if (got[i] - tt.want[i]).Abs() > 100*time.Millisecond {
					t.Errorf("%v, not %v", got, tt.want)
				}
			}
		})
	}
}

// In noise of 10 dB below a voice, most of what is said is found still.
func TestCutterInNoise(t *testing.T) {
	t.Parallel()
	var sound []int16
	const said = 10
	for range said {
		sound = append(sound, voice(1000)...)
		sound = append(sound, silence(1500)...)
	}
	for i := range sound {
		sound[i] += int16(rand.NormFloat64() * 1225 / math.Sqrt(10)) // a voice is 1225 strong
	}
	if found := lengths(sound); len(found) < said-2 || len(found) > said {
		t.Errorf("%d utterances of %d: %v", len(found), said, found)
	}
}
