package lstm

import "math"

// batch is the number of lines, or columns, that a layer processes at once. They share each loaded
// weight.
const batch = 4

// kernel has the inner loops of the network. All kernels return the same bits: sums are exact, and
// all other operations are those of IEEE 754 in the same order. Each product in a sum is converted
// to its own type, so that no compiler fuses the product with the sum, which would round once
// instead of twice.
type kernel struct {
	name string

	// dot sets out[v][o] to bias[o] + the sum of m[o][i]*x[v][i]. x has batch vectors of inputs,
	// stride bytes apart; out has batch vectors of m.panels*lanes outputs.
	dot func(m *matrix, x []int8, stride int, out []int32)

	// positive, if not nil, does the same as dot for inputs of 0 to 127.
	positive func(p *Products, x []int8, stride int, out []int32)

	// convolve sets out[n][c] to the greatest result of the convolution m in the n-th square of
	// pool by pool pixels. The first window begins at img[0]; a row of img is stride bytes long.
	convolve func(m *matrix, img []int8, stride int, out []int32)

	// squash sets out[n*stride+c] to 127 tanh(scale[c]*in[n][c]), rounded, for all lanes c.
	squash func(in []int32, scale []float32, out []int8, stride int)

	// step computes one step of an LSTM layer. raw has the sums of the cell inputs, input gates,
	// forget gates and output gates. state has the state of the cells and is updated. out gets 127
	// times the outputs, rounded.
	step func(raw []int32, scale, state []float32, out []int8)
}

// kernels lists the kernels of this machine, fastest first. The last is always portable.
var kernels = append(machineKernels(), &kernel{
	name: "portable", dot: dot, convolve: convolve, squash: squash, step: step,
})

// dot computes two outputs at once: a 64-bit number has the weights, or sums, of both in its
// halves.
func dot(m *matrix, x []int8, stride int, out []int32) {
	size := m.stride()
	a, b, c, d := x[:size], x[stride:][:size], x[2*stride:][:size], x[3*stride:][:size]
	for o := 0; o < m.panels*lanes; o += 2 {
		w := m.packed[(o/lanes*size*lanes + o%lanes*group):]
		var sa, sb, sc, sd int64
		for g := 0; g < size; g += group {
			f := w[g*lanes:][:2*group]
			for i := range group {
				both := int64(f[i]) + int64(f[group+i])<<32
				sa += both * int64(a[g+i])
				sb += both * int64(b[g+i])
				sc += both * int64(c[g+i])
				sd += both * int64(d[g+i])
			}
		}
		for v, s := range [batch]int64{sa, sb, sc, sd} {
			to := out[v*m.panels*lanes+o:][:2]
			low := int32(s)
			to[0], to[1] = m.bias[o]+low, m.bias[o+1]+int32((s-int64(low))>>32)
		}
	}
}

// addGroup adds the products of a group of inputs to the sums of a panel.
func addGroup(sums []int32, w, in []int8) {
	a, b, c, d := int32(in[0]), int32(in[1]), int32(in[2]), int32(in[3])
	for o := range sums {
		f := w[o*group : o*group+group : o*group+group]
		sums[o] += a*int32(f[0]) + b*int32(f[1]) + c*int32(f[2]) + d*int32(f[3])
	}
}

// convolve is the portable kernel.convolve.
func convolve(m *matrix, img []int8, stride int, out []int32) {
	for n := range len(out) / lanes {
		best := out[n*lanes:][:lanes]
		for c := range best {
			best[c] = math.MinInt32
		}
		for at := range pool * pool {
			var sums [lanes]int32
			copy(sums[:], m.bias)
			for row := range pool {
				addGroup(sums[:], m.packed[row*lanes*group:], img[(at/pool+row)*stride+n*pool+at%pool:])
			}
			for c, s := range sums {
				best[c] = max(best[c], s)
			}
		}
	}
}

// squash is the portable kernel.squash.
func squash(in []int32, scale []float32, out []int8, stride int) {
	for n := range len(in) / lanes {
		for c, sum := range in[n*lanes:][:lanes] {
			out[n*stride+c] = round127(tanh(float32(sum) * scale[c]))
		}
	}
}

const (
	maxState  = 100  // limit of the state of a cell, as in training
	tanhLimit = 4.97 // where the approximation reaches 1
)

// step is the portable kernel.step.
func step(raw []int32, scale, state []float32, out []int8) {
	units := len(state)
	at := func(gate, unit int) float32 { i := gate*units + unit; return float32(raw[i]) * scale[i] }
	for u := range units {
		add := float32(tanh(at(0, u)) * sigmoid(at(1, u)))
		keep := float32(state[u] * sigmoid(at(2, u)))
		s := min(max(keep+add, -maxState), maxState)
		state[u] = s
		out[u] = round127(tanh(s) * sigmoid(at(3, u)))
	}
}

// tanh approximates the hyperbolic tangent by the Padé approximant of order 7/6 (Lambert's
// continued fraction). The error is below 1e-4.
func tanh(x float32) float32 {
	x = min(max(x, -tanhLimit), tanhLimit)
	s := float32(x * x)
	p := float32(s*(float32(s*(s+378))+17325)) + 135135
	q := float32(s*(float32(s*(float32(28*s)+3150))+62370)) + 135135
	return x * p / q
}

// sigmoid approximates the logistic function by tanh.
func sigmoid(x float32) float32 { return float32(0.5*tanh(float32(0.5*x))) + 0.5 }

// round127 returns 127 x, for x in -1..1, rounded half to even.
func round127(x float32) int8 { return int8(math.RoundToEven(float64(127 * x))) }
