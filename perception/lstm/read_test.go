package lstm

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"
)

// The whole network gives the same readings on all kernels, for any number of
// strips of any width.
func TestReadIsTheSameOnAllKernels(t *testing.T) {
	t.Parallel()
	small := newTiny()
	small.height, small.units = 6, [4]int{16, 16, 48, 16}
	smallModel, err := Load(small.file())
	if err != nil {
		t.Fatal(err)
	}
	t.Run("tiny", func(t *testing.T) { compareReadings(t, loadTiny(t), 40) })
	t.Run("small", func(t *testing.T) { compareReadings(t, smallModel, 40) })
	t.Run("english", func(t *testing.T) { compareReadings(t, english(t), 3) })
}

func compareReadings(t *testing.T, m *Model, rounds int) {
	t.Helper()
	random := rand.New(rand.NewPCG(11, 12))
	chars := 0
	for range rounds {
		strips := make([]Strip, 1+random.IntN(9))
		for i := range strips {
			strips[i] = randomStrip(random, random.IntN(201), m.Height())
		}
		want, err := m.read(t.Context(), kernels[len(kernels)-1], strips)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range want {
			chars += len(r)
		}
		for _, k := range kernels[:len(kernels)-1] {
			got, err := m.read(t.Context(), k, strips)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s reads %+v, not %+v", k.name, got, want)
			}
		}
	}
	if chars < 5*rounds {
		t.Errorf("%d characters in %d rounds are too few to tell", chars, rounds)
	}
}

// Other processors read the same: the checksum was made on one and holds on
// all. It changes with the model that newTiny describes and with the strips.
func TestReadIsTheSameOnAllProcessors(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	var strips []Strip
	for width := range 60 {
		strips = append(strips, randomStrip(random, 3*width, 36))
	}
	readings, err := loadTiny(t).Read(t.Context(), strips)
	if err != nil {
		t.Fatal(err)
	}
	sum := crc32.NewIEEE()
	for _, r := range readings {
		for _, c := range r {
			// A processor's exponential function may differ in the last bits.
			fmt.Fprintf(sum, "%s %.9f %d %d %s %.9f\n", c.Text, c.Confidence, c.From, c.To, c.Else, c.ElseScore)
		}
	}
	if got, want := sum.Sum32(), uint32(0xd1e148b); got != want {
		t.Errorf("the readings have the checksum %#x, want %#x", got, want)
	}
}

// A strip is read alike whatever others are read with it, in its place in the
// list, and by several goroutines at once.
func TestReadTellsStripsApart(t *testing.T) {
	t.Parallel()
	m, random := loadTiny(t), rand.New(rand.NewPCG(1, 1))
	strips := make([]Strip, 30)
	var alone []Reading
	for i := range strips {
		strips[i] = randomStrip(random, random.IntN(150), m.Height())
		r, err := m.Read(t.Context(), strips[i:i+1])
		if err != nil {
			t.Fatal(err)
		}
		alone = append(alone, r[0])
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got, err := m.Read(t.Context(), strips); err != nil || !reflect.DeepEqual(got, alone) {
				t.Errorf("%v; together the strips read %+v, alone %+v", err, got, alone)
			}
		})
	}
	wg.Wait()
}

func TestReadNarrowAndNone(t *testing.T) {
	t.Parallel()
	m := loadTiny(t)
	for _, widths := range [][]int{{}, {0}, {1}, {2}, {0, 1, 2, 0, 1}, {2, 90, 0, 3, 1}} {
		var strips []Strip
		for _, width := range widths {
			strips = append(strips, randomStrip(rand.New(rand.NewPCG(2, 2)), width, m.Height()))
		}
		got, err := m.Read(t.Context(), strips)
		if err != nil || got == nil || len(got) != len(strips) {
			t.Fatalf("widths %v: %d readings, %v", widths, len(got), err)
		}
		for i, r := range got {
			if r == nil || strips[i].Width < pool && len(r) > 0 {
				t.Errorf("a strip %d wide reads %v", strips[i].Width, r)
			}
		}
	}
}

// A flat strip has no contrast to stretch, and extremes have nothing between.
func TestReadFlatStrips(t *testing.T) {
	t.Parallel()
	m := english(t)
	for _, paper := range []uint8{0, 1, 127, 254, 255} {
		s := Strip{Width: 100, Pix: make([]uint8, 100*m.Height())}
		for i := range s.Pix {
			s.Pix[i] = paper
		}
		if got, err := m.Read(t.Context(), []Strip{s}); err != nil || len(got[0]) > 4 {
			t.Errorf("a strip of %d reads %q, %v", paper, got[0].text(), err)
		}
	}
}

func TestReadRefusesStrips(t *testing.T) {
	t.Parallel()
	m := loadTiny(t)
	good := randomStrip(rand.New(rand.NewPCG(2, 2)), 10, m.Height())
	for _, bad := range []Strip{
		{Width: 10},
		{Width: -1},
		{Width: 10, Pix: make([]uint8, 10*m.Height()-1)},
		{Width: 10, Pix: make([]uint8, 10*m.Height()+1)},
		{Width: MaxWidth + 1, Pix: make([]uint8, (MaxWidth+1)*m.Height())},
	} {
		t.Run(fmt.Sprintf("%d wide, of %d pixels", bad.Width, len(bad.Pix)), func(t *testing.T) {
			got, err := m.Read(t.Context(), []Strip{good, bad})
			if err == nil || got != nil || !strings.Contains(err.Error(), "strip 1") {
				t.Errorf("a strip %d wide with %d pixels: %v, %v", bad.Width, len(bad.Pix), got, err)
			}
		})
	}
}

func TestReadTheWidest(t *testing.T) {
	t.Parallel()
	if len(kernels) == 1 {
		t.Skip("this would take long without a vector kernel")
	}
	small := newTiny()
	small.height = 6
	m, err := Load(small.file())
	if err != nil {
		t.Fatal(err)
	}
	s := randomStrip(rand.New(rand.NewPCG(2, 2)), MaxWidth, m.Height())
	got, err := m.Read(t.Context(), []Strip{s})
	if err != nil || len(got[0]) < 100 || got[0][len(got[0])-1].To < MaxWidth/2 {
		t.Errorf("%d characters, %v", len(got[0]), err)
	}
}

func TestReadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	m, random := loadTiny(t), rand.New(rand.NewPCG(2, 2))
	strips := make([]Strip, 4*batch)
	for i := range strips {
		strips[i] = randomStrip(random, 900, m.Height())
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, list := range [][]Strip{nil, strips} {
		if got, err := m.Read(ended, list); !errors.Is(err, context.Canceled) || got != nil {
			t.Errorf("%d strips with a context that has ended: %v, %v", len(list), got, err)
		}
	}
	// A context that ends at some look is not looked at often after.
	for _, last := range []int{1, 2, 5, 9, 40, 100} {
		ctx := &countdown{Context: t.Context(), left: last}
		if got, err := m.Read(ctx, strips); !errors.Is(err, context.Canceled) || got != nil {
			t.Errorf("a context that ends at look %d: %v, %v", last, got, err)
		}
		if after := ctx.looks() - last; after > 40 {
			t.Errorf("a context that ended was looked at %d times more", after)
		}
	}
}

// countdown is a context that ends when it has been looked at often enough.
type countdown struct {
	context.Context
	mu   sync.Mutex
	left int
	seen int
}

func (c *countdown) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen++; c.seen >= c.left {
		return context.Canceled
	}
	return nil
}

func (c *countdown) looks() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen
}
