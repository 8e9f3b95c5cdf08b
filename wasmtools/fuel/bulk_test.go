package fuel_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/windieos/windie/wasmtools/fuel"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// chunk is the most that one instruction works on without a visit to the host.
const chunk = 256 << 10

// bulk works on ranges of a memory of 64 pages; init copies of the segment.
func bulk(pages int, segment string) []byte {
	all := w.Seq(w.Get(0), w.Get(1), w.Get(2))
	return w.Module().Memory(pages, pages).Export("memory", 2, 0).Passive(segment).
		Fn("fill", "iii", "", all, w.MemoryFill()).
		Fn("copy", "iii", "", all, w.Misc(10, w.U(0), w.U(0))).
		Fn("init", "iii", "", all, w.Misc(8, w.U(0), w.U(0))).Bytes()
}

// model does to memory what the instruction should, and reports whether it traps.
func model(memory []byte, segment, name string, to, from, n uint64) (traps bool) {
	size := uint64(len(memory))
	source := map[string]uint64{"copy": size, "init": uint64(len(segment)), "fill": 1 << 40}[name]
	if to+n > size || from+n > source {
		return true
	}
	switch name {
	case "fill":
		for i := range n {
			memory[to+i] = byte(from)
		}
	case "copy":
		copy(memory[to:to+n], memory[from:from+n])
	case "init":
		copy(memory[to:], segment[from:from+n])
	}
	return false
}

// TestRangesInChunks works on ranges around the size of a chunk, which overlap or end outside
// of the memory, and compares the memory with what the instructions should do to it.
func TestRangesInChunks(t *testing.T) {
	t.Parallel()
	const size = 32 << 16
	random := rand.New(rand.NewPCG(1, 2))
	segment := strings.Repeat("0123456789abcdefg", 3*chunk/17)
	i := instantiate(t, bulk(size>>16, segment), fuel.Options{})
	memory, _ := i.m.Memory().Read(0, size)
	for n := range memory {
		memory[n] = byte(random.Uint32())
	}
	want := bytes.Clone(memory)
	near := func(of ...uint64) uint64 {
		return uint64(uint32(of[random.IntN(len(of))] + uint64(random.IntN(5)) - 2))
	}
	for range 600 {
		name := []string{"fill", "copy", "init"}[random.IntN(3)]
		n := near(0, chunk, 2*chunk, 3*chunk, uint64(random.IntN(size)), 1<<31)
		to := near(2, chunk, size-n, size-chunk, uint64(random.IntN(size)), 1<<32-n)
		from := near(2, to+7, to-7, to+chunk, size-n, uint64(len(segment))-n, uint64(random.IntN(size)))
		_, err := i.call(enough, name, to, from, n)
		traps := model(want, segment, name, to, from, n)
		if (err != nil) != traps || traps && trap(err) != "out of bounds memory access" {
			t.Fatalf("%s(%d, %d, %d): %v; should it trap? %v", name, to, from, n, err, traps)
		}
		if !bytes.Equal(memory, want) {
			t.Fatalf("%s(%d, %d, %d) did something else to the memory", name, to, from, n)
		}
	}
}

// TestRangesVisitTheHost counts the visits to the host in one instruction.
func TestRangesVisitTheHost(t *testing.T) {
	t.Parallel()
	const size = 512 << 16
	segment := strings.Repeat("x", size/4)
	safe, report, err := fuel.Rewrite(bulk(size>>16, segment), fuel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	visits := 0
	ctx := experimental.WithFunctionListenerFactory(t.Context(), experimental.FunctionListenerFactoryFunc(func(d api.FunctionDefinition) experimental.FunctionListener {
		if d.Index() != report.Visit {
			return nil
		}
		return experimental.FunctionListenerFunc(func(context.Context, api.Module, api.FunctionDefinition, []uint64, experimental.StackIterator) {
			visits++
		})
	}))
	m, err := newRuntime(t).InstantiateWithConfig(ctx, safe, wazero.NewModuleConfig())
	if err != nil {
		t.Fatal(err)
	}
	meter, err := fuel.NewMeter(find(m))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		operation   string
		to, from, n uint64
	}{
		"fill": {"fill", 0, 7, size}, "copy down": {"copy", 0, 1, size - 1}, "copy up": {"copy", 1, 0, size - 1}, "init": {"init", 0, 0, size / 4},
	} {
		t.Run(name, func(t *testing.T) {
			visits = 0
			meter.Start(enough)
			if _, err := m.ExportedFunction(tt.operation).Call(ctx, tt.to, tt.from, tt.n); err != nil {
				t.Fatal(err)
			}
			if least := int(tt.n / chunk); visits < least {
				t.Errorf("%d visits to the host for %d bytes; want at least %d", visits, tt.n, least)
			}
			if used, least := meter.Used(), int64(tt.n/8); used < least || used > least+least/10+1000 {
				t.Errorf("%d of fuel for %d bytes; want about %d", used, tt.n, least)
			}
		})
	}
}
