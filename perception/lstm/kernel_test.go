package lstm

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// All kernels must give what the portable one gives, bit for bit.
func TestKernelsAgree(t *testing.T) {
	t.Parallel()
	portable := kernels[len(kernels)-1]
	random := rand.New(rand.NewPCG(1, 2))
	for _, k := range kernels {
		t.Run(k.name, func(t *testing.T) {
			for range 300 {
				m, units := randomMatrix(random)
				compareDot(t, random, k, portable, m)
				compareConvolve(t, random, k, portable)
				compareStep(t, random, k, portable, units)
			}
		})
	}
}

// bytesIn returns n random bytes, some at the ends of the range. An input is
// never -128.
func bytesIn(random *rand.Rand, n int, least int8) []int8 {
	out := make([]int8, n)
	for i := range out {
		switch random.IntN(8) {
		case 0:
			out[i] = least
		case 1:
			out[i] = math.MaxInt8
		default:
			out[i] = int8(int(least) + random.IntN(math.MaxInt8-int(least)+1))
		}
	}
	return out
}

func randomMatrix(random *rand.Rand) (m *matrix, units int) {
	units = lanes * (1 + random.IntN(6))
	w := weights{outputs: 4*units - random.IntN(2)*random.IntN(lanes), inputs: 1 + random.IntN(300)}
	w.factor = bytesIn(random, w.outputs*w.inputs, math.MinInt8)
	for range w.outputs {
		w.bias = append(w.bias, 127*int32(int8(random.Uint32())))
		w.scale = append(w.scale, random.Float32()/1e4)
	}
	return newMatrix(w), units
}

func randomConvolution(random *rand.Rand) *matrix {
	w := weights{outputs: channels, inputs: pool * pool, factor: bytesIn(random, channels*pool*pool, math.MinInt8)}
	for range channels {
		w.bias = append(w.bias, 127*int32(int8(random.Uint32())))
		w.scale = append(w.scale, random.Float32()/1e3)
	}
	return newMatrix(byRow(w))
}

func compareDot(t *testing.T, random *rand.Rand, k, want *kernel, m *matrix) {
	t.Helper()
	x := bytesIn(random, batch*m.stride(), -127)
	a, b := make([]int32, batch*m.panels*lanes), make([]int32, batch*m.panels*lanes)
	k.dot(m, x, m.stride(), a)
	want.dot(m, x, m.stride(), b)
	if !slices.Equal(a, b) {
		t.Fatalf("dot differs for %d outputs of %d inputs", m.outputs, m.inputs)
	}
	comparePositive(t, random, k, want, m)
}

// comparePositive compares products of inputs that have no sign, with weights that leave sums of 16 bits no room
// for two groups, some room, and much.
func comparePositive(t *testing.T, random *rand.Rand, k, want *kernel, m *matrix) {
	t.Helper()
	w := weights{outputs: m.outputs, inputs: m.inputs, factor: bytesIn(random, m.outputs*m.inputs, math.MinInt8), bias: m.bias[:m.outputs]}
	for i, shift := 0, random.IntN(4); i < len(w.factor); i++ {
		w.factor[i] >>= shift
	}
	p := NewProducts(w.outputs, w.inputs, w.factor, w.bias)
	x := bytesIn(random, batch*m.stride(), 0)
	a, b := make([]int32, batch*m.panels*lanes), make([]int32, batch*m.panels*lanes)
	Kernel{k}.MultiplyPositive(p, x, m.stride(), a)
	want.dot(p.m, x, m.stride(), b)
	if !slices.Equal(a, b) {
		t.Fatalf("products of positive inputs differ for %d outputs of %d inputs", m.outputs, m.inputs)
	}
}

// Sums of pairs reach the ends of 16 bits, and no further.
func TestPairs(t *testing.T) {
	t.Parallel()
	const groups = 9
	for _, tt := range []struct {
		name   string
		weight func(input int) int8
		pairs  int
	}{
		{"as large as fits", func(i int) int8 { return int8(64 + i%2) }, 5}, // 64 + 65 + 64 + 65 = 258
		{"larger by one", func(i int) int8 { return int8(64 + min(i%4, 1)) }, 9},
		{"as low as fits", func(i int) int8 { return int8(-64 - i%2) }, 5},
		{"of both signs", func(i int) int8 { return int8(127 - 254*(i%2)) }, 5},
		{"every second large", func(i int) int8 { return int8(3 + 124*(i/group%2)) }, 7},
	} {
		t.Run(tt.name, func(t *testing.T) {
			factor := make([]int8, groups*group)
			for i := range factor {
				factor[i] = tt.weight(i)
			}
			p := NewProducts(1, len(factor), factor, []int32{5})
			if got := int(p.pairs().count[0]); got != tt.pairs {
				t.Errorf("%d pairs, want %d", got, tt.pairs)
			}
			x := slices.Repeat([]int8{127}, batch*len(factor))
			for _, k := range kernels {
				got, want := make([]int32, batch*lanes), make([]int32, batch*lanes)
				Kernel{k}.MultiplyPositive(p, x, len(factor), got)
				dot(p.m, x, len(factor), want)
				if !slices.Equal(got, want) {
					t.Errorf("%s: %d, want %d", k.name, got[0], want[0])
				}
			}
		})
	}
}

func compareConvolve(t *testing.T, random *rand.Rand, k, want *kernel) {
	t.Helper()
	m := randomConvolution(random)
	n := random.IntN(40)
	stride := n*pool + 2 + random.IntN(9)
	img := bytesIn(random, 5*stride+group, -127)
	a, b := make([]int32, n*lanes), make([]int32, n*lanes)
	k.convolve(m, img, stride, a)
	want.convolve(m, img, stride, b)
	if !slices.Equal(a, b) {
		t.Fatalf("convolve differs for %d squares", n)
	}
	apart := lanes + random.IntN(20)
	c, d := make([]int8, n*apart), make([]int8, n*apart)
	k.squash(a, m.scale, c, apart)
	want.squash(a, m.scale, d, apart)
	if !slices.Equal(c, d) {
		t.Fatalf("squash differs for %d squares", n)
	}
}

func compareStep(t *testing.T, random *rand.Rand, k, want *kernel, units int) {
	t.Helper()
	raw, scale, state := make([]int32, 4*units), make([]float32, 4*units), make([]float32, units)
	for i := range raw {
		raw[i] = int32(random.IntN(1<<22) - 1<<21)
		scale[i] = random.Float32() / float32(int(1)<<random.IntN(20))
	}
	for i := range state {
		state[i] = 200*random.Float32() - 100
	}
	other := slices.Clone(state)
	a, b := make([]int8, units), make([]int8, units)
	k.step(raw, scale, state, a)
	want.step(raw, scale, other, b)
	if !slices.Equal(a, b) || !slices.Equal(state, other) {
		t.Fatalf("step differs for %d units", units)
	}
}

func TestTanh(t *testing.T) {
	t.Parallel()
	for x := -20.0; x <= 20; x += 1e-3 {
		if got := float64(tanh(float32(x))); math.Abs(got-math.Tanh(x)) > 1e-4 {
			t.Fatalf("tanh(%v) = %v, want %v", x, got, math.Tanh(x))
		}
	}
}

// Other processors compute the same bits: the checksum was made on one and
// holds on all. It would not, did a compiler fuse a product with a sum.
func TestStepIsTheSameOnAllProcessors(t *testing.T) {
	t.Parallel()
	const units, tangents = 4096, 1 << 20
	random := rand.New(rand.NewPCG(9, 9))
	raw, scale, state := make([]int32, 4*units), make([]float32, 4*units), make([]float32, units)
	for i := range raw {
		raw[i] = int32(random.IntN(1<<16) - 1<<15)
		scale[i] = random.Float32() / (1 << 13)
	}
	out := make([]int8, units)
	for range 4 {
		step(raw, scale, state, out)
	}
	curve := make([]float32, tangents)
	for i := range curve {
		curve[i] = tanh(5 * float32(i) / tangents)
	}
	sum := crc32.NewIEEE()
	for _, data := range []any{state, out, curve} {
		if err := binary.Write(sum, binary.LittleEndian, data); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := sum.Sum32(), uint32(0xba381fc9); got != want {
		t.Errorf("the states have the checksum %#x, want %#x", got, want)
	}
}

// A model reads with the kernel that it is told to use, and refuses one that
// this machine does not have.
func TestUse(t *testing.T) {
	t.Parallel()
	m := &Model{kernel: kernels[0]}
	for _, name := range Kernels() {
		if err := m.Use(name); err != nil || m.kernel.name != name {
			t.Errorf("told to use %s it uses %s: %v", name, m.kernel.name, err)
		}
	}
	if err := m.Use("abacus"); err == nil || !strings.Contains(err.Error(), "portable") || m.kernel.name != "portable" {
		t.Errorf("told to use what is not there it uses %s: %v", m.kernel.name, err)
	}
}
