package pcm

import (
	"math"
	"slices"
	"sync"
)

// Parameters of resampling by a windowed sinc in phases (J. O. Smith, Digital Audio Resampling,
// 2002). The filter passes 85 % of the lower Nyquist frequency and damps frequencies above it by
// some 90 dB.
const (
	sincReach  = 32   // zero crossings of the sinc on each side
	kaiserBeta = 9.0  // of the window; it sets the damping
	cutOff     = 0.93 // relative to the lower Nyquist frequency
)

// Resampler converts sound from one sample rate to another, piece by piece. The result does not
// depend on the sizes of the pieces. Make one with NewResampler.
type Resampler struct {
	up, down int         // ratio of the rates, in lowest terms
	phases   [][]float32 // of the filter, all of the same length; nil for equal rates
	past     []float32   // input that is still needed
	next     int         // position of the next output in past, in steps of 1/up
}

// NewResampler returns a Resampler from one sample rate to another, in Hz. If the rates are equal,
// the Resampler does not change the sound.
func NewResampler(from, to int) *Resampler {
	r := &Resampler{up: 1, down: 1}
	if from == to {
		return r
	}
	divisor := gcd(from, to)
	r.up, r.down = to/divisor, from/divisor
	made, ok := filters.Load([2]int{r.up, r.down})
	if !ok {
		made, _ = filters.LoadOrStore([2]int{r.up, r.down}, filter(r.up, r.down))
	}
	r.phases = made.([][]float32)
	r.past = make([]float32, len(r.phases[0])/2-1)
	return r
}

// filters caches filters by the ratio of the rates in lowest terms. Callers use only a few ratios.
var filters sync.Map

// filter returns the phases of the filter for the ratio up to down.
func filter(up, down int) [][]float32 {
	lower := math.Min(1, float64(up)/float64(down))
	half := int(math.Ceil(sincReach / lower))
	phases := make([][]float32, up)
	for i := range phases {
		phases[i] = phase(half, lower*cutOff, float64(i)/float64(up))
	}
	return phases
}

// gcd returns the greatest common divisor of two positive numbers.
func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// phase returns the filter for outputs that lie shift behind an input. Its coefficients add up to
// 1.
func phase(half int, width, shift float64) []float32 {
	taps, sum := make([]float64, 2*half), 0.0
	for i := range taps {
		x := float64(i-half+1) - shift
		taps[i] = sinc(x*width) * kaiser(x/float64(half))
		sum += taps[i]
	}
	out := make([]float32, len(taps))
	for i, t := range taps {
		out[i] = float32(t / sum)
	}
	return out
}

// Write adds sound. It returns the part of the output that is complete.
func (r *Resampler) Write(sound []int16) []int16 {
	if r.phases == nil {
		return slices.Clone(sound)
	}
	for _, s := range sound {
		r.past = append(r.past, float32(s))
	}
	length := len(r.phases[0])
	var out []int16
	for ; r.next/r.up+length <= len(r.past); r.next += r.down {
		window, filter := r.past[r.next/r.up:][:length], r.phases[r.next%r.up]
		var even, odd float32
		for i := 0; i+1 < length; i += 2 {
			even += window[i] * filter[i]
			odd += window[i+1] * filter[i+1]
		}
		out = append(out, int16(math.Round(float64(min(max(even+odd, math.MinInt16), math.MaxInt16)))))
	}
	used := min(r.next/r.up, len(r.past))
	r.past = append(r.past[:0], r.past[used:]...)
	r.next -= used * r.up
	return out
}

// End returns the rest of the output. It treats the sound after the end as silence.
func (r *Resampler) End() []int16 {
	if r.phases == nil {
		return nil
	}
	return r.Write(make([]int16, len(r.phases[0])/2))
}

// sinc returns the normalized sinc function, which is 0 at each whole number except 0.
func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// kaiser returns the window of Kaiser and Schafer (1980) at x, from -1 to 1.
func kaiser(x float64) float64 {
	if math.Abs(x) >= 1 {
		return 0
	}
	return bessel(kaiserBeta*math.Sqrt(1-x*x)) / bessel(kaiserBeta)
}

// bessel returns the modified Bessel function of the first kind and order zero.
func bessel(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > sum*1e-16; k++ {
		term *= x / 2 / k * (x / 2 / k)
		sum += term
	}
	return sum
}
