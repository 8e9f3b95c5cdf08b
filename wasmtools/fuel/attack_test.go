package fuel_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/windieos/windie/wasmtools/fuel"
)

// callTree has functions that each call the next twice: 2^60 calls without a
// loop.
func callTree() *builder {
	m := module()
	for i := range 60 {
		m.fn("", "", "", call(i+1), call(i+1))
	}
	m.fn("", "", "", nop)
	return m.export("run", 0, 0)
}

// TestGuestsWithoutEndAreStopped calls run of modules that would go on for
// longer than anyone waits, or take more than there is.
func TestGuestsWithoutEndAreStopped(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	for _, tt := range []struct {
		name   string
		module *builder
		want   fuel.Reason
	}{
		{"loop", module().fn("run", "", "", loop(br(0))), fuel.OutOfFuel},
		{"loop with a condition", module().fn("run", "", "", loop(i32(1), brIf(0))), fuel.OutOfFuel},
		{"loop by a table", module().fn("run", "", "", loop(i32(7), brTable(1, 0, 0))), fuel.OutOfFuel},
		{"two nested loops", module().fn("run", "", "", loop(loop(nop), br(0))), fuel.OutOfFuel},
		{"jump to the outer of two loops", module().fn("run", "", "", loop(loop(br(1)))), fuel.OutOfFuel},
		{"loop with calls", module().fn("run", "", "", loop(call(1), br(0))).fn("", "", "", nop), fuel.OutOfFuel},
		{"tree of calls", callTree(), fuel.OutOfFuel},
		{"recursion", module().fn("run", "", "", call(0)), fuel.TooDeep},
		{"recursion with results", module().fn("run", "", "ll", call(0)), fuel.TooDeep},
		{"recursion by turns", module().fn("run", "", "", call(1)).fn("", "", "", call(0)), fuel.TooDeep},
		{"recursion by a table", module().table(1, 1).element(0).fn("run", "", "", i32(0), op(0x11, u(0), u(0))), fuel.TooDeep},
		{"recursion in a tail", module().fn("run", "", "", tailCall(0)), fuel.OutOfFuel},
		{"tails that take turns with calls", module().fn("run", "", "", call(1)).fn("", "", "", tailCall(0)), fuel.TooDeep},
		{"filling memory", module().memory(size>>16, -1).fn("run", "", "", loop(i32(0), i32(1), i32(size), misc(11, u(0)), br(0))), fuel.OutOfFuel},
		{"copying memory", module().memory(size>>16, -1).fn("run", "", "", loop(i32(0), i32(1), i32(size-1), misc(10, u(0), u(0)), br(0))), fuel.OutOfFuel},
		{"filling a table", module().table(9_999, -1).fn("run", "", "", loop(i32(0), op(0xd0, []byte{0x70}), i32(9_999), misc(17, u(0)), br(0))), fuel.OutOfFuel},
		{"copying a table", module().table(9_999, -1).fn("run", "", "", loop(i32(0), i32(1), i32(9_998), misc(14, u(0), u(0)), br(0))), fuel.OutOfFuel},
		{"growing memory", module().memory(0, -1).fn("run", "", "", loop(i32(1), memoryGrow(), drop, br(0))), fuel.OutOfFuel},
		{"growing a table", module().table(0, -1).fn("run", "", "", loop(op(0xd0, []byte{0x70}), i32(1), misc(15, u(0)), drop, br(0))), fuel.OutOfFuel},
		{"much left to do while returning", module().memory(1, 1).fn("run", "i", "", get(0), i32(1), sub, call(0), repeat(40_000, i32(0), load(0), drop)), fuel.TooDeep},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			i := instantiate(t, tt.module.bytes(), fuel.Options{Allow: fuel.TailCalls, Limits: fuel.Limits{MemoryPages: 512}})
			begun := time.Now()
			args := make([]uint64, len(i.m.ExportedFunction("run").Definition().ParamTypes()))
			_, err := i.call(1<<26, "run", args...)
			if trap(err) != "unreachable" || i.meter.Reason() != tt.want {
				t.Errorf("trap %q because of %s; want %s", trap(err), i.meter.Reason(), tt.want)
			}
			if took := time.Since(begun); took > 5*time.Second {
				t.Errorf("it took %v", took)
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
	nested := func(n int) []byte { return seq(repeat(n, []byte{0x02, 0x40}), repeat(n, end)) }
	manyLocals := func(n int) []byte { return seq(vec(seq(u(n), []byte{0x7e})), end) }
	for _, tt := range []struct {
		name   string
		module *builder
		want   string
	}{
		{"memory", module().memory(65_536, -1), "pages of memory at the start; the limit is 4096"},
		{"table", module().table(100_000_000, -1), "entries of a table at the start; the limit is 100000"},
		{"tables", func() *builder {
			m := module()
			for range 17 {
				m.table(1, 1)
			}
			return m
		}(), "17 tables; the limit is 16"},
		{"locals", module().fnRaw("", "", "", manyLocals(5_000)), "5000 locals in a function; the limit is 4096"},
		{"locals whose sum overflows", module().fnRaw("", "", "", seq(vec(seq(u(1<<32-1), []byte{0x7f}), seq(u(1<<32-1), []byte{0x7f})), end)), "8589934590 locals"},
		{"large function", module().fn("", "", "", repeat(263_000, nop)), "bytes of code in a function; the limit is 262144"},
		{"blocks", module().fn("", "", "", repeat(8_193, block())), "8193 blocks in a function"},
		{"loops", module().fn("", "", "", repeat(1_025, loop())), "1025 loops in a function"},
		{"nesting", module().fn("", "", "", nested(4_096)), "4097 nested blocks"},
		{"labels", module().fn("", "", "", repeat(2, i32(0), brTable(make([]int, 20_000)...))), "39998 labels in the br_table of a function"},
		{"blocks times locals", module().fnRaw("", "", "", seq(vec(seq(u(4_096), []byte{0x7e})), repeat(500, block()), end)), "2048000 blocks times locals"},
		{"many slow functions", func() *builder {
			m := module()
			for range 40 {
				m.fn("", "", "", repeat(8_000, block()))
			}
			return m
		}(), "steps to compile the functions so far; the limit is 1073741824"},
		{"types", module().section(1, seq(u(10_001), repeat(10_001, []byte{0x60, 0, 0}))), "10001 types"},
		{"values in a type", module().section(1, seq(u(1), []byte{0x60}, u(1_001), repeat(1_001, []byte{0x7f}), u(0))), "1001 parameters or results"},
		{"elements", module().table(1, 1).section(9, seq(u(1), []byte{0}, i32(0), end, u(200_001), repeat(200_001, u(0)))), "200001 elements"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := refusal(t, tt.module.bytes(), fuel.Options{})
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
	m := module().memory(2, -1).table(5, 50).
		fn("memory", "i", "i", get(0), memoryGrow()).
		fn("table", "i", "i", op(0xd0, []byte{0x70}), get(0), misc(15, u(0)))
	i := instantiate(t, m.bytes(), opts)
	for _, tt := range []struct {
		fn   string
		by   uint64
		want uint32
	}{
		{"memory", 9, ^uint32(0)}, {"memory", 8, 2}, {"memory", 1, ^uint32(0)}, {"memory", 1 << 31, ^uint32(0)},
		{"table", 46, ^uint32(0)}, {"table", 45, 5}, {"table", 1, ^uint32(0)},
	} {
		got, err := i.call(10_000_000, tt.fn, tt.by)
		if err != nil || uint32(got[0]) != tt.want {
			t.Errorf("%s by %d: %d (%v); want %d", tt.fn, tt.by, got, err, tt.want)
		}
	}
}

// TestStart runs a start function without end, before there is a meter.
func TestStart(t *testing.T) {
	t.Parallel()
	m := module().fn("", "", "", loop(br(0)))
	m.types, m.funcs = [][]byte{op(0x60, u(0), u(0))}, [][]byte{u(0)}
	code := m.code
	m.code = nil
	m.section(8, u(0)).section(10, vec(code...))
	safe, report, err := fuel.Rewrite(m.bytes(), fuel.Options{})
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
	for name, m := range map[string]*builder{"loop": module().fn("run", "", "", loop(br(0))), "calls": callTree()} {
		t.Run(name, func(t *testing.T) {
			i := instantiate(t, m.bytes(), fuel.Options{})
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
