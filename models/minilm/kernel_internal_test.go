package minilm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// vectorKernel returns the kernel of vector instructions, where there is one.
func vectorKernel(t *testing.T) *kernel {
	t.Helper()
	k := machineKernel()
	if k == nil {
		t.Skip("this processor has the portable kernel alone")
	}
	return k
}

func randomRow(random *rand.Rand, n int, size float32) []float32 {
	row := make([]float32, n)
	for i := range row {
		row[i] = size * (2*random.Float32() - 1)
	}
	return row
}

// near fails for numbers that differ by more than 1e-5 of the greatest.
func near(t *testing.T, what string, got, want []float32) {
	t.Helper()
	var most float64
	for _, f := range want {
		most = max(most, math.Abs(float64(f)))
	}
	for i := range want {
		if d := math.Abs(float64(got[i]) - float64(want[i])); !(d <= 1e-5*most) {
			t.Fatalf("%s: number %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func TestTileIsThePortableOne(t *testing.T) {
	t.Parallel()
	k, random := vectorKernel(t), rand.New(rand.NewPCG(1, 2))
	for range 200 {
		inputs := 4 * (1 + random.IntN(200))
		inStride, outStride := inputs+random.IntN(9), panel+random.IntN(9)
		in, weights, bias := randomRow(random, tileRows*inStride, 1), randomRow(random, inputs*panel, 1), randomRow(random, panel, 1)
		got := randomRow(random, tileRows*outStride+8, 1) // what lies between and behind must stay
		want := slices.Clone(got)
		k.tile(got, outStride, in, inStride, weights, bias)
		portable.tile(want, outStride, in, inStride, weights, bias)
		near(t, "tile", got, want)
	}
}

func TestExpIsThePortableOne(t *testing.T) {
	t.Parallel()
	k, random := vectorKernel(t), rand.New(rand.NewPCG(3, 4))
	for i := range 200 {
		got := randomRow(random, 8*(1+random.IntN(33)), float32(i))
		got[random.IntN(len(got))] = farOff
		want := slices.Clone(got)
		a, b := k.exp(got), portable.exp(want)
		near(t, "exp", got, want)
		near(t, "sum", []float32{a}, []float32{b})
	}
}

func TestGELUIsThePortableOne(t *testing.T) {
	t.Parallel()
	k := vectorKernel(t)
	for x := float32(-40); x < 40; x += 8. / 256 {
		var got [8]float32
		for i := range got {
			got[i] = x + float32(i)/256
		}
		want := got
		k.gelu(got[:])
		portable.gelu(want[:])
		near(t, "gelu", got[:], want[:])
	}
}

// The portable kernel is measured against the functions of package math.
func TestPortableFunctions(t *testing.T) {
	t.Parallel()
	t.Run("exp", func(t *testing.T) {
		for x := -86.9; x <= 0; x += 1e-3 {
			want := math.Exp(float64(float32(x)))
			if got := float64(power(float32(x))); math.Abs(got-want) > 3e-7*want {
				t.Fatalf("e to the %v is %v, want %v", x, got, want)
			}
		}
	})
	t.Run("gelu", func(t *testing.T) {
		for x := -30.0; x <= 30; x += 1e-3 {
			one := []float32{float32(x)}
			want := float64(one[0]) / 2 * math.Erfc(-float64(one[0])/math.Sqrt2)
			if gelu(one); math.Abs(float64(one[0])-want) > 3e-7*max(1, math.Abs(x)) {
				t.Fatalf("gelu of %v is %v, want %v", x, one[0], want)
			}
		}
	})
}

// A whole text comes out of both kernels as one vector.
func TestEmbedIsThePortableOne(t *testing.T) {
	t.Parallel()
	k, fast := vectorKernel(t), opened(t)
	slow := &Model{vocabulary: fast.vocabulary, network: fast.network, kernel: portable}
	texts := []string{"", "How do I reset my password?", "Zażółć gęślą jaźń, and then some more words to fill a panel of keys"}
	fast = &Model{vocabulary: fast.vocabulary, network: fast.network, kernel: k}
	a, err := fast.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	b, err := slow.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i := range texts {
		near(t, texts[i], a[i], b[i])
	}
}
