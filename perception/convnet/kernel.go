package convnet

import "math"

// loops are what a network computes besides products of matrices. All give the same bits: sums are exact,
// and the rest is the same operations of IEEE 754 in the same order.
type loops struct {
	// along writes the activations of one step, whose window begins at x[0], and is even.
	along func(a *along, x, to []int8)

	// activate writes the activations of the sums of one vector.
	activate func(l *layer, sums []int32, to []int8)

	// activateOn does so for sums that are added to activations of the layer's input.
	activateOn func(l *layer, sums []int32, input, to []int8)

	// best writes the scores of the sums of one vector, and returns the class of the highest, the first of them, and by
	// how much it leads.
	best func(l *layer, sums []int32, scores []float32) (class int, lead float32)
}

// channelsAtOnce is what the number of a layer's channels is a multiple of.
const channelsAtOnce = 16

var portable = &loops{along: runAlong, activate: activate, activateOn: activateOn, best: best}

// loopsFor returns the loops that go with a kernel for the products.
func loopsFor(kernel string) *loops {
	if found := machineLoops(); found != nil && kernel != "portable" {
		return found
	}
	return portable
}

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

func activate(l *layer, sums []int32, to []int8) {
	scale := l.scale[:len(to)]
	for c, s := range sums[:len(to)] {
		to[c] = activation(float32(float32(s) * scale[c]))
	}
}

func activateOn(l *layer, sums []int32, input, to []int8) {
	scale, input := l.scale[:len(to)], input[:len(to)]
	for c, s := range sums[:len(to)] {
		to[c] = activation(float32(float32(s)*scale[c]) + float32(float32(input[c])*l.keep))
	}
}

// activation rounds to even, as vector instructions do.
func activation(v float32) int8 {
	v = min(max(v, 0), most)
	const whole = 1 << 23 // numbers from here on have no fractions
	return int8(int32(float32(v+whole) - whole))
}

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
