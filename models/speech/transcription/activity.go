package transcription

import "math"

// detector distinguishes speech from other sound. It compares the energy from 150 to 1,000 Hz, the
// range of voices, with a floor that it tracks. Two biquads (R. Bristow-Johnson, Cookbook formulae
// for audio EQ) filter that range.
type detector struct {
	high, low biquad
	quietest  [floorBlocks]float64 // quietest frame of each recent block, in dB
	judged    int                  // number of frames so far
}

// Parameters of the floor and the decision.
const (
	frameTime   = 20   // duration of a frame, in ms
	blockFrames = 8    // frames in a block, of which only the quietest counts
	floorBlocks = 20   // 3.2 s
	aboveFloor  = 9    // in dB; the floor is a minimum, some 3 dB below the mean of steady noise
	faintest    = 24   // in dB above one step of a sample; fainter sound is never speech
	voiceFrom   = 150  // Hz
	voiceTo     = 1000 // Hz
)

// biquad is a second-order filter.
type biquad struct{ b0, b1, b2, a1, a2, s1, s2 float64 }

// next returns the filtered value of the next sample.
func (f *biquad) next(x float64) float64 {
	y := f.b0*x + f.s1
	f.s1 = f.b1*x - f.a1*y + f.s2
	f.s2 = f.b2*x - f.a2*y
	return y
}

// butterworth returns a filter that passes the frequencies above hz if above is true, and those below hz
// otherwise. rate is the sample rate in Hz.
func butterworth(hz, rate float64, above bool) biquad {
	w := 2 * math.Pi * hz / rate
	c, alpha := math.Cos(w), math.Sin(w)/math.Sqrt2
	sign := 1.0
	if above {
		sign = -1
	}
	a0 := 1 + alpha
	b := (1 - sign*c) / 2 / a0
	return biquad{b0: b, b1: 2 * sign * b, b2: b, a1: -2 * c / a0, a2: (1 - alpha) / a0}
}

// newDetector returns a detector for sound of rate Hz.
func newDetector(rate int) *detector {
	return &detector{high: butterworth(voiceFrom, float64(rate), true), low: butterworth(voiceTo, float64(rate), false)}
}

// speech reports whether the next frame has speech. Frames must come in order, because each changes the
// floor.
func (d *detector) speech(frame []int16) bool {
	var sum float64
	for _, s := range frame {
		v := d.low.next(d.high.next(float64(s)))
		sum += v * v
	}
	level := 10 * math.Log10(sum/float64(len(frame))+1)
	block := d.judged / blockFrames % floorBlocks
	if d.judged%blockFrames == 0 {
		d.quietest[block] = level
	}
	d.quietest[block] = min(d.quietest[block], level)
	d.judged++
	floor := level
	for _, q := range d.quietest[:min(floorBlocks, (d.judged+blockFrames-1)/blockFrames)] {
		floor = min(floor, q)
	}
	return level > max(floor+aboveFloor, faintest)
}
