package layers

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/perception/lstm"
)

// extreme returns a layer whose weights are all -127 or 127, so that sums are as large as they get.
func extreme(random *rand.Rand, outputs, inputs int) Raw {
	r := Raw{Outputs: outputs, Inputs: inputs}
	for range outputs * inputs {
		r.Weights = append(r.Weights, int8(127-254*random.IntN(2)))
	}
	for range outputs {
		r.Worth, r.Add = append(r.Worth, random.Float32()/100), append(r.Add, random.Float32()-0.5)
	}
	return r
}

// activations returns n activations near the maximum.
func activations(random *rand.Rand, n int) []int8 {
	x := make([]int8, n)
	for i := range x {
		x[i] = int8(127 - random.IntN(3))
	}
	return x
}

// each runs a test with every kernel of this machine, beside the portable one.
func each(t *testing.T, run func(t *testing.T, portable, k Kernel)) {
	t.Helper()
	want, err := KernelOf("portable")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range lstm.Kernels() {
		t.Run(name, func(t *testing.T) {
			k, err := KernelOf(name)
			if err != nil {
				t.Fatal(err)
			}
			run(t, want, k)
		})
	}
}

// Windows of a depthwise convolution have any shape and distance.
func TestKernelsAgreeOnDepthwise(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, portable, k Kernel) {
		random := rand.New(rand.NewPCG(3, 4))
		for _, taps := range []int{1, 2, 9, 25, 63} {
			for _, channels := range []int{16, 48} {
				d := NewDepthwise(extreme(random, channels, taps), 0.05, 0.04)
				at := make([]int, taps)
				for i := range at {
					at[i] = random.IntN(40) * channels / 3
				}
				const windows, step = 7, 32
				x := activations(random, (windows-1)*step+slices.Max(at)+channels) // no byte more than the windows have
				want, got := make([]int8, windows*channels), make([]int8, windows*channels)
				portable.Depthwise(&d, x, d.Places(at), step, want)
				k.Depthwise(&d, x, d.Places(at), step, got)
				if !slices.Equal(got, want) {
					t.Errorf("%d places of %d channels: %v, want %v", taps, channels, got, want)
				}
			}
		}
		d := NewDepthwise(extreme(random, 16, 3), 0.05, 0.04)
		k.Depthwise(&d, nil, d.Places([]int{0, 16, 32}), 16, nil) // no windows
	})
}

// The portable convolution is what its definition says.
func TestDepthwise(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	const channels, taps = 32, 9
	r := extreme(random, channels, taps)
	d := NewDepthwise(r, 0.5, 0.25)
	at := []int{0, 32, 64, 320, 352, 384, 640, 672, 704}
	x := activations(random, at[8]+channels)
	got := make([]int8, channels)
	depthwise(&d, x, d.Places(at), 0, got)
	for c := range channels {
		sum := math.RoundToEven(float64(r.Add[c]) / (float64(r.Worth[c]) * 0.5))
		for i := range taps {
			sum += float64(r.Weights[c*taps+i]) * float64(x[at[i]+c])
		}
		want := math.RoundToEven(min(max(sum*float64(r.Worth[c])*0.5/0.25, 0), 127))
		if math.Abs(float64(got[c])-want) > 1 { // the sum is rounded once more in 32 bits
			t.Errorf("channel %d: %d, want %g", c, got[c], want)
		}
	}
}

func TestKernelsAgreeOnActivations(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, portable, k Kernel) {
		random := rand.New(rand.NewPCG(5, 6))
		const windows = 3
		l := Layer{Outputs: 48, scale: make([]float32, 48), keep: 0.37}
		n := windows * l.Outputs
		sums, input := make([]int32, n), make([]int8, n)
		for range 200 {
			for i := range sums {
				sums[i], input[i] = random.Int32()>>random.IntN(31), int8(random.IntN(128))
			}
			for i := range l.scale {
				l.scale[i] = random.Float32() / float32(1+random.IntN(1<<20))
			}
			want, got := make([]int8, n), make([]int8, n)
			portable.Activate(&l, sums, want)
			k.Activate(&l, sums, got)
			if !slices.Equal(got, want) {
				t.Fatalf("Activate: %v, want %v", got, want)
			}
			portable.ActivateOn(&l, sums, input, want)
			k.ActivateOn(&l, sums, input, got)
			if !slices.Equal(got, want) {
				t.Fatalf("ActivateOn: %v, want %v", got, want)
			}
		}
	})
}

// Every kernel finds the highest score, the first of equals, and its lead.
func TestKernelsAgreeOnBest(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, portable, k Kernel) {
		random := rand.New(rand.NewPCG(5, 6))
		for n := 1; n < 60; n++ {
			l := Layer{Outputs: n, scale: make([]float32, n)}
			sums := make([]int32, n)
			for range 50 {
				for i := range sums {
					sums[i], l.scale[i] = random.Int32N(7)-6, 1/float32(1+random.IntN(2))
				}
				want, got := make([]float32, n), make([]float32, n)
				class, lead := portable.Best(&l, sums, want)
				if c, d := k.Best(&l, sums, got); c != class || d != lead || !slices.Equal(got, want) {
					t.Fatalf("of %v the best is %d, by %v; want %d, by %v", want, c, d, class, lead)
				}
			}
		}
	})
}

func TestKernelOf_RefusesUnknownNames(t *testing.T) {
	t.Parallel()
	if _, err := KernelOf("abacus"); err == nil {
		t.Error("an unknown kernel is used")
	}
}

// layerFile has the bytes of a layer of a file.
func layerFile(outputs, inputs uint32, weights int, floats ...float32) []byte {
	b := binary.LittleEndian.AppendUint32(nil, outputs)
	b = binary.LittleEndian.AppendUint32(b, inputs)
	b = append(b, make([]byte, weights)...)
	for _, f := range floats {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return b
}

// sealed returns a file with this network and its checksum.
func sealed(network []byte) []byte {
	data := append([]byte("test 1\n"), network...)
	return binary.LittleEndian.AppendUint32(data, crc32.ChecksumIEEE(data))
}

// A cursor reports its first problem, not one that follows from it.
func TestCursor(t *testing.T) {
	t.Parallel()
	ones := make([]float32, 32)
	for _, tt := range []struct {
		name, text string
		data       []byte
	}{
		{"whole", "", sealed(layerFile(16, 2, 32, ones...))},
		{"empty", "not a network of this version", nil},
		{"another version", "not a network of this version", []byte("test 2\nabcd")},
		{"changed", "checksum differs", append(sealed(nil)[:7], 1, 2, 3, 4)},
		{"too long", "bytes; at most", make([]byte, MaxFileBytes+1)},
		{"cut short", "ends too early", sealed(layerFile(16, 2, 31))},
		{"more behind it", "1 extra bytes", sealed(layerFile(16, 2, 33, ones...))},
		{"many outputs", "invalid sizes: 1073741824 outputs", sealed(layerFile(1<<30, 2, 0))},
		{"other inputs", "invalid sizes: 16 outputs and 3 inputs", sealed(layerFile(16, 3, 48, ones...))},
		{"outputs between blocks", "invalid sizes: 15 outputs", sealed(layerFile(15, 2, 30, ones[:30]...))},
		{"no number", "out of range", sealed(layerFile(16, 2, 32, append([]float32{float32(math.NaN())}, ones[1:]...)...))},
		{"an infinite number, then the end", "out of range", sealed(layerFile(16, 2, 32, append([]float32{float32(math.Inf(1))}, ones[:15]...)...))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Open(tt.data, "test 1\n")
			if err == nil {
				c.Convolution(2)
				err = c.Close()
			}
			if tt.text == "" && err != nil || tt.text != "" && (err == nil || !strings.Contains(err.Error(), tt.text)) {
				t.Errorf("%v, want one with %q", err, tt.text)
			}
		})
	}
}
