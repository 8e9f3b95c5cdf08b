package convnet

import (
	"math"

	"github.com/windieos/windie/perception/lstm"
)

// maxActivation is the maximum activation. It has 7 bits, so that AVX2 can add two 8-bit products
// in 16 bits.
const maxActivation = 127

// layer is a convolution over windows that are contiguous in memory.
type layer struct {
	outputs  int
	products *lstm.Products
	scale    []float32 // factor from a sum to an activation, or to a score
	keep     float32   // factor from an activation of the input to one of the output
}

// newLayer prepares a layer of a file. from and to are the values of 1 in an activation of its input and its output.
func newLayer(r raw, from, to float32) layer {
	l := layer{outputs: r.outputs, keep: from / to}
	l.products = lstm.NewProducts(r.outputs, r.inputs, r.weights, added(r, from))
	l.scale = scaled(r, from, to, l.products.Outputs())
	return l
}

// added returns the biases in units of the sums of a layer's products.
func added(r raw, from float32) []int32 {
	list := make([]int32, r.outputs)
	for i, add := range r.add {
		if v := float64(add) / max(float64(r.worth[i])*float64(from), 1e-12); math.Abs(v) < 1<<30 {
			list[i] = int32(math.RoundToEven(v))
		}
	}
	return list
}

// scaled returns the factor from a sum to an activation, for each output. Its length is n; the factors beyond the
// layer's outputs are 0.
func scaled(r raw, from, to float32, n int) []float32 {
	list := make([]float32, n)
	for i, worth := range r.worth {
		list[i] = worth * from / to
	}
	return list
}

// along is a convolution along the steps, of each channel separately.
type along struct {
	channels, reach int
	pairs           int    // pairs of steps; the last may have one step without weight
	weights         []int8 // by blocks of channels, then pairs, then channels, then the two steps of a pair
	add             []int32
	scale           []float32
}

// newAlong prepares a convolution along the steps. Its parameters are those of newLayer. If the window has an odd
// number of steps, it adds a step with weight 0.
func newAlong(r raw, from, to float32) along {
	a := along{channels: r.outputs, reach: r.inputs, pairs: (r.inputs + 1) / 2, add: added(r, from), scale: scaled(r, from, to, r.outputs)}
	a.weights = make([]int8, 2*a.pairs*a.channels)
	for c := range a.channels {
		block, lane := c/channelsAtOnce, c%channelsAtOnce
		for i := range a.reach {
			a.weights[((block*a.pairs+i/2)*channelsAtOnce+lane)*2+i%2] = r.weights[c*a.reach+i]
		}
	}
	return a
}
