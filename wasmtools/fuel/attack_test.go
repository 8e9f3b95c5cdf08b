package fuel_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/windieos/windie/wasmtools/fuel"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// callTree has functions that each call the next twice: 2^60 calls without a
// loop.
func callTree() *w.Builder {
	m := w.Module()
	for i := range 60 {
		m.Fn("", "", "", w.Call(i+1), w.Call(i+1))
	}
	m.Fn("", "", "", w.Nop)
	return m.Export("run", 0, 0)
}

// TestGuestsWithoutEndAreStopped calls run of modules that would go on for
// longer than anyone waits, or take more than there is.
func TestGuestsWithoutEndAreStopped(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	for _, tt := range []struct {
		name   string
		module *w.Builder
		want   fuel.Reason
	}{
		{"loop", w.Module().Fn("run", "", "", w.Loop(w.Br(0))), fuel.OutOfFuel},
		{"loop with a condition", w.Module().Fn("run", "", "", w.Loop(w.I32(1), w.BrIf(0))), fuel.OutOfFuel},
		{"loop by a table", w.Module().Fn("run", "", "", w.Loop(w.I32(7), w.BrTable(1, 0, 0))), fuel.OutOfFuel},
		{"two nested loops", w.Module().Fn("run", "", "", w.Loop(w.Loop(w.Nop), w.Br(0))), fuel.OutOfFuel},
		{"jump to the outer of two loops", w.Module().Fn("run", "", "", w.Loop(w.Loop(w.Br(1)))), fuel.OutOfFuel},
		{"loop with calls", w.Module().Fn("run", "", "", w.Loop(w.Call(1), w.Br(0))).Fn("", "", "", w.Nop), fuel.OutOfFuel},
		{"tree of calls", callTree(), fuel.OutOfFuel},
		{"recursion", w.Module().Fn("run", "", "", w.Call(0)), fuel.TooDeep},
		{"recursion with results", w.Module().Fn("run", "", "ll", w.Call(0)), fuel.TooDeep},
		{"recursion by turns", w.Module().Fn("run", "", "", w.Call(1)).Fn("", "", "", w.Call(0)), fuel.TooDeep},
		{"recursion by a table", w.Module().Table(1, 1).Element(0).Fn("run", "", "", w.I32(0), w.Op(0x11, w.U(0), w.U(0))), fuel.TooDeep},
		{"recursion in a tail", w.Module().Fn("run", "", "", w.TailCall(0)), fuel.OutOfFuel},
		{"tails that take turns with calls", w.Module().Fn("run", "", "", w.Call(1)).Fn("", "", "", w.TailCall(0)), fuel.TooDeep},
		{"filling memory", w.Module().Memory(size>>16, -1).Fn("run", "", "", w.Loop(w.I32(0), w.I32(1), w.I32(size), w.Misc(11, w.U(0)), w.Br(0))), fuel.OutOfFuel},
		{"copying memory", w.Module().Memory(size>>16, -1).Fn("run", "", "", w.Loop(w.I32(0), w.I32(1), w.I32(size-1), w.Misc(10, w.U(0), w.U(0)), w.Br(0))), fuel.OutOfFuel},
		{"filling a table", w.Module().Table(9_999, -1).Fn("run", "", "", w.Loop(w.I32(0), w.Op(0xd0, []byte{0x70}), w.I32(9_999), w.Misc(17, w.U(0)), w.Br(0))), fuel.OutOfFuel},
		{"copying a table", w.Module().Table(9_999, -1).Fn("run", "", "", w.Loop(w.I32(0), w.I32(1), w.I32(9_998), w.Misc(14, w.U(0), w.U(0)), w.Br(0))), fuel.OutOfFuel},
		{"growing memory", w.Module().Memory(0, -1).Fn("run", "", "", w.Loop(w.I32(1), w.MemoryGrow(), w.Drop, w.Br(0))), fuel.OutOfFuel},
		{"growing a table", w.Module().Table(0, -1).Fn("run", "", "", w.Loop(w.Op(0xd0, []byte{0x70}), w.I32(1), w.Misc(15, w.U(0)), w.Drop, w.Br(0))), fuel.OutOfFuel},
		{"much left to do while returning", w.Module().Memory(1, 1).Fn("run", "i", "", w.Get(0), w.I32(1), w.Sub, w.Call(0), w.Repeat(40_000, w.I32(0), w.Load(0), w.Drop)), fuel.TooDeep},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			i := instantiate(t, tt.module.Bytes(), fuel.Options{Allow: fuel.TailCalls, Limits: fuel.Limits{MemoryPages: 512}})
			args := make([]uint64, len(i.m.ExportedFunction("run").Definition().ParamTypes()))
			_, err := i.call(1<<26, "run", args...)
			if trap(err) != "unreachable" || i.meter.Reason() != tt.want {
				t.Errorf("trap %q because of %s; want %s", trap(err), i.meter.Reason(), tt.want)
			}
			if left := i.meter.Left(); tt.want == fuel.OutOfFuel && left != 0 {
				t.Errorf("%d of fuel left", left)
			}
		})
	}
}

// TestBombsAreRefused gives modules that cost much before anything runs.
func TestBombsAreRefused(t *testing.T) {
	t.Parallel()
	nested := func(n int) []byte { return w.Seq(w.Repeat(n, []byte{0x02, 0x40}), w.Repeat(n, w.End)) }
	manyLocals := func(n int) []byte { return w.Seq(w.Vec(w.Seq(w.U(n), []byte{0x7e})), w.End) }
	for _, tt := range []struct {
		name   string
		module *w.Builder
		want   string
	}{
		{"memory", w.Module().Memory(65_536, -1), "pages of memory at the start; the limit is 4096"},
		{"table", w.Module().Table(100_000_000, -1), "entries of a table at the start; the limit is 100000"},
		{"tables", func() *w.Builder {
			m := w.Module()
			for range 17 {
				m.Table(1, 1)
			}
			return m
		}(), "17 tables; the limit is 16"},
		{"locals", w.Module().FnRaw("", "", "", manyLocals(5_000)), "5000 locals in a function; the limit is 4096"},
		{"locals whose sum overflows", w.Module().FnRaw("", "", "", w.Seq(w.Vec(w.Seq(w.U(1<<32-1), []byte{0x7f}), w.Seq(w.U(1<<32-1), []byte{0x7f})), w.End)), "8589934590 locals"},
		{"large function", w.Module().Fn("", "", "", w.Repeat(525_000, w.Nop)), "bytes of code in a function; the limit is 524288"},
		{"blocks", w.Module().Fn("", "", "", w.Repeat(8_193, w.Block())), "8193 blocks in a function"},
		{"loops", w.Module().Fn("", "", "", w.Repeat(1_025, w.Loop())), "1025 loops in a function"},
		{"nesting", w.Module().Fn("", "", "", nested(4_096)), "4097 nested blocks"},
		{"labels", w.Module().Fn("", "", "", w.Repeat(2, w.I32(0), w.BrTable(make([]int, 20_000)...))), "39998 labels in the br_table of a function"},
		{"blocks times locals", w.Module().FnRaw("", "", "", w.Seq(w.Vec(w.Seq(w.U(4_096), []byte{0x7e})), w.Repeat(500, w.Block()), w.End)), "2048000 blocks times locals"},
		{"many slow functions", func() *w.Builder {
			m := w.Module()
			for range 40 {
				m.Fn("", "", "", w.Repeat(8_000, w.Block()))
			}
			return m
		}(), "steps to compile the functions so far; the limit is 1073741824"},
		{"types", w.Module().Section(1, w.Seq(w.U(10_001), w.Repeat(10_001, []byte{0x60, 0, 0}))), "10001 types"},
		{"values in a type", w.Module().Section(1, w.Seq(w.U(1), []byte{0x60}, w.U(1_001), w.Repeat(1_001, []byte{0x7f}), w.U(0))), "1001 parameters or results"},
		{"elements", w.Module().Table(1, 1).Section(9, w.Seq(w.U(1), []byte{0}, w.I32(0), w.End, w.U(200_001), w.Repeat(200_001, w.U(0)))), "200001 elements"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := refusal(t, tt.module.Bytes(), fuel.Options{})
			if err.Kind != fuel.TooLarge || !strings.Contains(err.Message, tt.want) || err.Advice == "" {
				t.Errorf("kind %s, %v; want %q", err.Kind, err, tt.want)
			}
		})
	}
}

// TestGrowthStopsAtTheLimit lets guests grow by doubling as far as they get.
func TestGrowthStopsAtTheLimit(t *testing.T) {
	t.Parallel()
	opts := fuel.Options{Limits: fuel.Limits{MemoryPages: 10, TableEntries: 100}}
	m := w.Module().Memory(2, -1).Table(5, 50).
		Fn("memory", "i", "i", w.Get(0), w.MemoryGrow()).
		Fn("table", "i", "i", w.Op(0xd0, []byte{0x70}), w.Get(0), w.Misc(15, w.U(0)))
	i := instantiate(t, m.Bytes(), opts)
	for _, tt := range []struct {
		fn   string
		by   uint64
		want uint32
	}{
		{"memory", 9, ^uint32(0)}, {"memory", 8, 2}, {"memory", 1, ^uint32(0)}, {"memory", 1 << 31, ^uint32(0)},
		{"table", 46, ^uint32(0)}, {"table", 45, 5}, {"table", 1, ^uint32(0)},
	} {
		t.Run(fmt.Sprint(tt.fn, " ", tt.by), func(t *testing.T) {
			got, err := i.call(10_000_000, tt.fn, tt.by)
			if err != nil || uint32(got[0]) != tt.want {
				t.Errorf("%s by %d: %d (%v); want %d", tt.fn, tt.by, got, err, tt.want)
			}
		})
	}
}

// TestStart runs a start function without end, before there is a meter.
func TestStart(t *testing.T) {
	t.Parallel()
	m := w.Module().Fn("", "", "", w.Loop(w.Br(0)))
	m.Types, m.Funcs = [][]byte{w.Op(0x60, w.U(0), w.U(0))}, [][]byte{w.U(0)}
	code := m.Code
	m.Code = nil
	m.Section(8, w.U(0)).Section(10, w.Vec(code...))
	safe, report, err := fuel.Rewrite(m.Bytes(), fuel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !report.HasStart {
		t.Error("the report has no start function")
	}
	if _, err := newRuntime(t).InstantiateWithConfig(t.Context(), safe, wazero.NewModuleConfig()); !strings.Contains(trap(err), "unreachable") {
		t.Errorf("instantiation: %v", err)
	}
}

// TestGuestsLetOthersRun has a guest spin with fuel for some ten seconds. Meanwhile the
// garbage collector must come to its end, which needs every goroutine to stop,
// and Stop must reach the guest. It runs alone: other tests have guests that are
// not rewritten.
func TestGuestsLetOthersRun(t *testing.T) {
	for name, m := range map[string]*w.Builder{"loop": w.Module().Fn("run", "", "", w.Loop(w.Br(0))), "calls": callTree()} {
		t.Run(name, func(t *testing.T) {
			i := instantiate(t, m.Bytes(), fuel.Options{})
			i.meter.Start(1 << 35)
			ended := make(chan error, 1)
			go func() {
				_, err := i.m.ExportedFunction("run").Call(t.Context())
				ended <- err
			}()
			time.Sleep(10 * time.Millisecond)
			begun := time.Now()
			for range 3 {
				runtime.GC()
			}
			collected := time.Since(begun)
			i.meter.Stop()
			err := <-ended
			stopped := time.Since(begun) - collected
			if trap(err) != "unreachable" || i.meter.Reason() != fuel.Stopped {
				t.Errorf("trap %q because of %s", trap(err), i.meter.Reason())
			}
			t.Logf("three collections took %v, stopping %v", collected, stopped)
			if collected > 5*time.Second || stopped > time.Second {
				t.Errorf("three collections took %v, stopping %v", collected, stopped)
			}
		})
	}
}
