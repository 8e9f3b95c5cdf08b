package convnet

import "math"

// loops has the inner loops of a network besides the products of matrices. All loops return the
// same bits: sums are exact, and all other operations are those of IEEE 754 in the same order.
type loops struct {
	// along writes the activations of one step. Its window begins at x[0] and has an even number of
	// steps.
	along func(a *along, x, to []int8)

	// activate writes the activations for the sums of one vector.
	activate func(l *layer, sums []int32, to []int8)

	// activateOn does the same as activate, but first adds the activations of the layer's input.
	activateOn func(l *layer, sums []int32, input, to []int8)

	// best writes the scores for the sums of one vector. It returns the class with the highest
	// score, the first of equals, and its lead over the second.
	best func(l *layer, sums []int32, scores []float32) (class int, lead float32)
}

// channelsAtOnce divides the number of channels of each layer.
const channelsAtOnce = 16

var portable = &loops{along: runAlong, activate: activate, activateOn: activateOn, best: best}

// loopsFor returns the loops that go with a kernel for the products.
func loopsFor(kernel string) *loops {
	if found := machineLoops(); found != nil && kernel != "portable" {
		return found
	}
	return portable
}

// runAlong is the portable form of loops.along.
func runAlong(a *along, x, to []int8) {
	for c := range to[:a.channels] {
		sum := a.add[c]
		block, lane := c/channelsAtOnce, c%channelsAtOnce
		w := a.weights[block*a.pairs*2*channelsAtOnce+2*lane:]
		for i := range a.pairs {
			at := 2*i*a.channels + c
			sum += int32(w[2*channelsAtOnce*i])*int32(x[at]) + int32(w[2*channelsAtOnce*i+1])*int32(x[at+a.channels])
		}
		to[c] = activation(float32(float32(sum) * a.scale[c]))
	}
}

// activate is the portable form of loops.activate.
func activate(l *layer, sums []int32, to []int8) {
	scale := l.scale[:len(to)]
	for c, s := range sums[:len(to)] {
		to[c] = activation(float32(float32(s) * scale[c]))
	}
}

// activateOn is the portable form of loops.activateOn.
func activateOn(l *layer, sums []int32, input, to []int8) {
	scale, input := l.scale[:len(to)], input[:len(to)]
	for c, s := range sums[:len(to)] {
		to[c] = activation(float32(float32(s)*scale[c]) + float32(float32(input[c])*l.keep))
	}
}

// activation limits v to 0..maxActivation and rounds it. It rounds half to even, like vector
// instructions.
func activation(v float32) int8 {
	v = min(max(v, 0), maxActivation)
	const whole = 1 << 23 // float32 values from here on have no fractions
	return int8(int32(float32(v+whole) - whole))
}

// best is the portable form of loops.best. If there is only one class, its lead is infinite.
func best(l *layer, sums []int32, scores []float32) (class int, lead float32) {
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
