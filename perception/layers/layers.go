// Package layers has the layers that Windie's own networks share: the reader of lines (package
// convnet) and the map of text (package textmap).
//
// Weights have 8 bits, activations 7 bits, and sums 32 bits. An activation of 0 to 127 stands for
// 0 to 127 times the unit of its layer. The inputs of a layer are windows: a window is contiguous
// in memory, or for Depthwise a list of places.
//
// All kernels return the same bits: sums are exact, and all other operations are those of IEEE 754
// in the same order.
package layers

import (
	"math"

	"github.com/windieos/windie/perception/lstm"
)

// MaxActivation is the maximum activation. It has 7 bits, so that AVX2 can add two 8-bit products
// in 16 bits.
const MaxActivation = 127

// ChannelsAtOnce is the number of channels that Kernel.Activate, ActivateOn and Depthwise process
// at once. The number of outputs of their layers must be a multiple of ChannelsAtOnce.
const ChannelsAtOnce = 16

// tapsAtOnce is the number of places of a window that Kernel.Depthwise processes at once.
const tapsAtOnce = 4

// Batch is the number of windows that Kernel.Multiply processes at once.
const Batch = lstm.Batch

// Layer is a convolution that mixes all channels of its window.
type Layer struct {
	Outputs  int
	products *lstm.Products
	scale    []float32 // factor from a sum to an activation, or to a score
	keep     float32   // factor from an activation of the input to one of the output
}

// NewLayer prepares a layer that was read from a file. from is the unit of its input activations,
// and to is the unit of its output activations.
func NewLayer(r Raw, from, to float32) Layer {
	l := Layer{Outputs: r.Outputs, keep: from / to}
	l.products = lstm.NewProducts(r.Outputs, r.Inputs, r.Weights, added(r, from))
	l.scale = scaled(r, from, to, l.Sums())
	return l
}

// Adding returns the layer in the form that Kernel.ActivateOn needs. The parameter keep is the unit
// of the added activations, divided by the unit of the layer's output.
func (l Layer) Adding(keep float32) Layer {
	l.keep = keep
	return l
}

// Stride returns the number of inputs that a window must have in memory. It may be more than the
// number of weights of an output; the additional inputs have no effect.
func (l *Layer) Stride() int { return l.products.Stride() }

// Sums returns the number of sums of a window: Outputs, rounded up to a multiple of ChannelsAtOnce. The
// additional sums have no meaning.
func (l *Layer) Sums() int { return l.products.Outputs() }

// Scale returns the factor for the sums of an output. A sum times the factor is an activation or a
// score.
func (l *Layer) Scale(output int) float32 { return l.scale[output] }

// added returns the biases in units of the sums of a layer's products.
func added(r Raw, from float32) []int32 {
	list := make([]int32, r.Outputs)
	for i, add := range r.Add {
		if v := float64(add) / max(float64(r.Worth[i])*float64(from), 1e-12); math.Abs(v) < 1<<30 {
			list[i] = int32(math.RoundToEven(v))
		}
	}
	return list
}

// scaled returns the factor from a sum to an activation, for each output. Its length is n; the
// factors beyond the layer's outputs are 0.
func scaled(r Raw, from, to float32, n int) []float32 {
	list := make([]float32, n)
	for i, worth := range r.Worth {
		list[i] = worth * from / to
	}
	return list
}

// Depthwise is a convolution of each channel separately.
type Depthwise struct {
	Channels int
	Taps     int    // number of places of the window
	groups   int    // of tapsAtOnce places; the last may have places without weight
	weights  []int8 // by blocks of channels, then groups, then channels, then the places of a group
	add      []int32
	scale    []float32
}

// NewDepthwise prepares a convolution that was read from a file. Its parameters are those of
// NewLayer; r has one input for each place of the window.
func NewDepthwise(r Raw, from, to float32) Depthwise {
	d := Depthwise{
		Channels: r.Outputs, Taps: r.Inputs, groups: (r.Inputs + tapsAtOnce - 1) / tapsAtOnce,
		add: added(r, from), scale: scaled(r, from, to, r.Outputs),
	}
	d.weights = make([]int8, tapsAtOnce*d.groups*d.Channels)
	for c := range d.Channels {
		block, lane := c/ChannelsAtOnce, c%ChannelsAtOnce
		for i := range d.Taps {
			d.weights[((block*d.groups+i/tapsAtOnce)*ChannelsAtOnce+lane)*tapsAtOnce+i%tapsAtOnce] = r.Weights[c*d.Taps+i]
		}
	}
	return d
}

// Places returns the offsets of a window's places in memory, in the form that Kernel.Depthwise
// needs. The parameter at lists the offset of each place from the first channel of the first place.
// Offsets must not be negative.
func (d *Depthwise) Places(at []int) []int {
	places := append(make([]int, 0, tapsAtOnce*d.groups), at[:d.Taps]...)
	for len(places) < tapsAtOnce*d.groups {
		places = append(places, at[0]) // its weight is 0
	}
	return places
}
