package minilm

import "math"

// A tile is tileRows rows by one panel of outputs, so that its sums fit into the processor's
// registers.
const (
	tileRows = 4
	panel    = 24
)

// kernel has the inner loops of the network. Results of different kernels differ in the last bits,
// because they add in different orders.
type kernel struct {
	name string

	// tile sets out[r*outStride+o] to bias[o] + the sum over i of in[r*inStride+i]*weights[i*panel+o], for
	// tileRows rows r and a panel of outputs o. The number of inputs is a multiple of 4.
	tile func(out []float32, outStride int, in []float32, inStride int, weights, bias []float32)

	// exp replaces each number with e to its difference from the largest one, and returns their
	// sum. The length is a multiple of 8.
	exp func(x []float32) float32

	// gelu replaces each number x with x times the normal distribution function at x. The length is
	// a multiple of 8.
	gelu func(x []float32)
}

var portable = &kernel{name: "portable", tile: tile, exp: exp, gelu: gelu}

// fastest returns the fastest kernel for this processor.
func fastest() *kernel {
	if k := machineKernel(); k != nil {
		return k
	}
	return portable
}

// tile computes 2 rows by 4 outputs at a time, whose sums fit into the registers.
func tile(out []float32, outStride int, in []float32, inStride int, weights, bias []float32) {
	inputs := len(weights) / panel
	for r := 0; r < tileRows; r += 2 {
		a, b := in[r*inStride:][:inputs], in[(r+1)*inStride:][:inputs]
		for o := 0; o < panel; o += 4 {
			a0, a1, a2, a3 := bias[o], bias[o+1], bias[o+2], bias[o+3]
			b0, b1, b2, b3 := a0, a1, a2, a3
			for i, f := range a {
				w, g := weights[i*panel+o:][:4:4], b[i]
				a0 += f * w[0]
				a1 += f * w[1]
				a2 += f * w[2]
				a3 += f * w[3]
				b0 += g * w[0]
				b1 += g * w[1]
				b2 += g * w[2]
				b3 += g * w[3]
			}
			copy(out[r*outStride+o:], []float32{a0, a1, a2, a3})
			copy(out[(r+1)*outStride+o:], []float32{b0, b1, b2, b3})
		}
	}
}

// exp is the portable kernel.exp. x must not be empty.
func exp(x []float32) float32 {
	top := x[0]
	for _, f := range x {
		top = max(top, f)
	}
	var sum float32
	for i, f := range x {
		e := power(f - top)
		x[i] = e
		sum += e
	}
	return sum
}

// lowest is the smallest exponent that power computes; smaller ones count as lowest.
const lowest = -87

// power returns e to the x for x up to 0, with a relative error of at most 2e-7: the nearest power
// of 2 times the series of the rest.
func power(x float32) float32 {
	const high, low = 0.693359375, math.Ln2 - 0.693359375 // high has few bits, so that n*high is exact
	x = max(x, lowest)
	n := int32(x*math.Log2E - 0.5)
	f := x - float32(n)*high - float32(n)*low
	p := 1 + f*(1+f*(1./2+f*(1./6+f*(1./24+f*(1./120+f*(1./720))))))
	return p * math.Float32frombits(uint32(n+127)<<23)
}

// gelu uses formula 7.1.26 of Abramowitz and Stegun's Handbook of Mathematical Functions for the
// error function, whose error is at most 1.5e-7.
func gelu(x []float32) {
	for i, f := range x {
		size := max(f, -f)
		t := 1 / (1 + size*(0.3275911/math.Sqrt2))
		tail := t * (0.254829592 + t*(-0.284496736+t*(1.421413741+t*(-1.453152027+t*1.061405429))))
		x[i] = max(f, 0) - 0.5*size*tail*power(-0.5*f*f)
	}
}
