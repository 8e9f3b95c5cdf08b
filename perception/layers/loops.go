package layers

import (
	"math"
	"slices"

	"github.com/windieos/windie/perception/lstm"
)

// Kernel computes layers with the instructions of one kind of processor. The zero value is not
// usable.
type Kernel struct {
	products lstm.Kernel
	loops    *loops
}

// KernelOf returns the kernel with a name from lstm.Kernels; "" selects the fastest kernel. It
// fails if the machine does not support the kernel.
func KernelOf(name string) (Kernel, error) {
	products, err := lstm.KernelOf(name)
	loops := portable
	if found := machineLoops(); found != nil && name != "portable" {
		loops = found
	}
	return Kernel{products, loops}, err
}

// Multiply computes the sums of Batch windows, and stores l.Sums() sums for each window. The
// windows are in x: each window has activations, and begins stride bytes after the previous window.
func (k Kernel) Multiply(l *Layer, x []int8, stride int, sums []int32) {
	k.products.MultiplyPositive(l.products, x, stride, sums)
}

// Activate turns the sums of consecutive windows into activations. For each window, it stores
// l.Outputs activations in the slice to.
func (k Kernel) Activate(l *Layer, sums []int32, to []int8) { k.loops.activate(l, sums, to) }

// ActivateOn does the same as Activate, but first adds the activations in input. The slices input
// and to must have the same length. They may be the same slice.
func (k Kernel) ActivateOn(l *Layer, sums []int32, input, to []int8) {
	k.loops.activateOn(l, sums, input, to)
}

// Depthwise computes the activations of windows that begin step bytes apart in x. For each window,
// it stores d.Channels activations in the slice to. places is a result of d.Places.
func (k Kernel) Depthwise(d *Depthwise, x []int8, places []int, step int, to []int8) {
	if len(to) == 0 {
		return
	}
	_ = x[(len(to)/d.Channels-1)*step+slices.Max(places)+d.Channels-1]
	k.loops.depthwise(d, x, places, step, to)
}

// Best computes scores from the sums of one window, and stores them in scores. It returns the class
// with the highest score, and the difference between this score and the second highest score. If
// several classes have the highest score, Best returns the first of these classes. If there is only
// one class, the difference is infinite.
func (k Kernel) Best(l *Layer, sums []int32, scores []float32) (class int, lead float32) {
	return k.loops.best(l, sums, scores)
}

// loops has the inner loops behind the methods of Kernel, except Multiply.
type loops struct {
	depthwise  func(d *Depthwise, x []int8, places []int, step int, to []int8)
	activate   func(l *Layer, sums []int32, to []int8)
	activateOn func(l *Layer, sums []int32, input, to []int8)
	best       func(l *Layer, sums []int32, scores []float32) (class int, lead float32)
}

var portable = &loops{depthwise: depthwise, activate: activate, activateOn: activateOn, best: best}

// depthwise is the portable form of loops.depthwise.
func depthwise(d *Depthwise, x []int8, places []int, step int, to []int8) {
	for n := range len(to) / d.Channels {
		window, out := x[n*step:], to[n*d.Channels:][:d.Channels]
		for c := range out {
			sum := d.add[c]
			block, lane := c/ChannelsAtOnce, c%ChannelsAtOnce
			for i, place := range places {
				w := d.weights[((block*d.groups+i/tapsAtOnce)*ChannelsAtOnce+lane)*tapsAtOnce+i%tapsAtOnce]
				sum += int32(w) * int32(window[place+c])
			}
			out[c] = activation(float32(float32(sum) * d.scale[c]))
		}
	}
}

// activate is the portable form of loops.activate.
func activate(l *Layer, sums []int32, to []int8) {
	for n := 0; n < len(to); n += l.Outputs {
		out, own, scale := to[n:][:l.Outputs], sums[n:][:l.Outputs], l.scale[:l.Outputs]
		for c, s := range own {
			out[c] = activation(float32(float32(s) * scale[c]))
		}
	}
}

// activateOn is the portable form of loops.activateOn.
func activateOn(l *Layer, sums []int32, input, to []int8) {
	for n := 0; n < len(to); n += l.Outputs {
		out, own, scale, in := to[n:][:l.Outputs], sums[n:][:l.Outputs], l.scale[:l.Outputs], input[n:][:l.Outputs]
		for c, s := range own {
			out[c] = activation(float32(float32(s)*scale[c]) + float32(float32(in[c])*l.keep))
		}
	}
}

// activation limits v to 0..MaxActivation and rounds it. It rounds half to even, like vector
// instructions.
func activation(v float32) int8 {
	v = min(max(v, 0), MaxActivation)
	const whole = 1 << 23 // float32 values from here on have no fractions
	return int8(int32(float32(v+whole) - whole))
}

// best is the portable form of loops.best.
func best(l *Layer, sums []int32, scores []float32) (class int, lead float32) {
	top, next := float32(math.Inf(-1)), float32(math.Inf(-1))
	scale := l.scale[:len(scores)]
	for c, sum := range sums[:len(scores)] {
		s := float32(float32(sum) * scale[c])
		scores[c] = s
		if s > top {
			class, top, next = c, s, top
		} else {
			next = max(next, s)
		}
	}
	return class, top - next
}
