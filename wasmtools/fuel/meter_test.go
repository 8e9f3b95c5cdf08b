package fuel_test

import (
	"testing"

	"github.com/windieos/windie/wasmtools/fuel"
)

// TestFuelTaken counts by hand what functions take.
func TestFuelTaken(t *testing.T) {
	t.Parallel()
	m := module().memory(2, 4).table(20, 40).
		fn("add", "ii", "i", get(0), get(1), add).                                        // 3
		fn("nothing", "", "", nop, block()).                                              // a charge is 1 at least
		fn("calls", "", "", i32(1), i32(2), call(0), drop, call(1)).                      // 5 + 3 + 1
		fn("early", "i", "i", get(0), when(i32(7), ret), call(1), i32(8)).                // 6, and 1 in call
		fn("loop", "i", "", loop(get(0), i32(1), sub, tee(0), brIf(0))).                  // 1 + 5 for each turn
		fn("fill", "i", "", i32(0), i32(0), get(0), misc(11, u(0))).                      // 4 and an eighth of each byte
		fn("copy", "i", "", i32(0), i32(0), get(0), misc(10, u(0), u(0))).                //
		fn("tableCopy", "i", "", i32(0), i32(0), get(0), misc(14, u(0), u(0))).           // 4 and 1 for each entry
		fn("tableFill", "i", "", i32(0), op(0xd0, []byte{0x70}), get(0), misc(17, u(0))). //
		fn("grow", "i", "", get(0), memoryGrow(), drop).                                  // 2 + 64 and 32768 for each page
		fn("tableGrow", "i", "", op(0xd0, []byte{0x70}), get(0), misc(15, u(0)), drop).   // 3 + 64 and 1 for each entry
		fn("tail", "i", "i", get(0), when(i32(1), i32(2), tailCall(0)), i32(3)).          // 6, and 3 in add
		fn("nested", "i", "", loop(loop(get(0), brIf(1)), nop), i32(1), drop).            // 2 + 1 + 2
		fn("skip", "i", "", get(0), when(repeat(100, i32(1), drop)), nop).
		fn("choose", "i", "", block(block(get(0), brTable(0, 1)), repeat(100, i32(1), drop)), repeat(150, i32(1), drop)).
		fn("either", "i", "", get(0), op(0x04, []byte{0x40}), repeat(100, i32(1), drop), op(0x05), repeat(150, i32(1), drop), end).
		fn("small", "i", "", get(0), when(repeat(10, i32(1), drop)))
	i := instantiate(t, m.bytes(), fuel.Options{Allow: fuel.TailCalls})
	for _, tt := range []struct {
		fn   string
		args []uint64
		want int64
	}{
		{"add", []uint64{1, 2}, 3},
		{"nothing", nil, 1},
		{"calls", nil, 9},
		{"early", []uint64{1}, 6},
		{"early", []uint64{0}, 7},
		{"loop", []uint64{1}, 6},
		{"loop", []uint64{1000}, 5001},
		{"fill", []uint64{0}, 4},
		{"fill", []uint64{80_000}, 10_004},
		{"copy", []uint64{80_000}, 10_004},
		{"tableCopy", []uint64{20}, 24},
		{"tableFill", []uint64{20}, 24},
		{"grow", []uint64{1}, 66 + 32_768},
		{"grow", []uint64{9999}, 66}, // fails, and nothing is cleared
		{"tableGrow", []uint64{10}, 77},
		{"tableGrow", []uint64{9999}, 67},
		{"tail", []uint64{1}, 9},
		{"nested", []uint64{0}, 5},
		{"skip", []uint64{0}, 2},
		{"skip", []uint64{1}, 202},
		{"choose", []uint64{0}, 502},
		{"choose", []uint64{1}, 302},
		{"either", []uint64{0}, 302},
		{"either", []uint64{1}, 202},
		{"small", []uint64{0}, 22}, // jumped over, and paid for at the entry
		{"small", []uint64{1}, 22},
	} {
		if got := i.mustUse(tt.fn, tt.args...); got != tt.want {
			t.Errorf("%s%v took %d, want %d", tt.fn, tt.args, got, tt.want)
		}
		if d := i.meter.Depth(); d != 0 {
			t.Errorf("%s%v left a depth of %d", tt.fn, tt.args, d)
		}
	}
}

// TestPayingForAll fills all there can be, which is the most that is paid for.
func TestPayingForAll(t *testing.T) {
	t.Parallel()
	m := module().memory(1, 1).table(7, 7).
		fn("memory", "i", "", i32(0), i32(0), get(0), misc(11, u(0))).
		fn("table", "i", "", i32(0), op(0xd0, []byte{0x70}), get(0), misc(17, u(0)))
	i := instantiate(t, m.bytes(), fuel.Options{})
	if got := i.mustUse("memory", 65_536); got != 4+8_192 {
		t.Errorf("all of memory took %d", got)
	}
	if got := i.mustUse("table", 7); got != 4+7 {
		t.Errorf("all of a table took %d", got)
	}
}

// TestBudgets finds the least fuel with which a call returns: what it was seen
// to take. With less it must not return, and with any more take the same. The
// budgets lie on both sides of a slice, where fuel moves from the reserve.
func TestBudgets(t *testing.T) {
	t.Parallel()
	m := module().
		fn("run", "i", "", loop(get(0), call(1), drop, get(0), i32(1), sub, tee(0), brIf(0))).
		fn("", "i", "i", get(0), i32(9), mul)
	i := instantiate(t, m.bytes(), fuel.Options{})
	last := int64(0)
	for _, turns := range []uint64{1, 2, 100, 22_000, 24_000, 100_000} {
		need := i.mustUse("run", turns)
		if need <= last {
			t.Errorf("%d turns took %d, fewer took %d", turns, need, last)
		}
		last = need
		for _, spare := range []int64{0, 1, 1000, 1 << 30} {
			if _, err := i.call(need+spare, "run", turns); err != nil || i.meter.Used() != need || i.meter.Left() != spare {
				t.Errorf("%d turns with %d: %v, used %d", turns, need+spare, err, i.meter.Used())
			}
		}
		for _, given := range []int64{need - 1, need / 2, 1, 0, -5} {
			if _, err := i.call(given, "run", turns); trap(err) != "unreachable" || i.meter.Reason() != fuel.OutOfFuel {
				t.Errorf("%d turns with %d: %v, %s", turns, given, err, i.meter.Reason())
			}
			if used := i.meter.Used(); used != max(given, 0) {
				t.Errorf("%d turns with %d: used %d", turns, given, used)
			}
		}
	}
}

// TestLateStop gives fuel for a function's entry and none for the branch it
// takes: it comes to its end, having used all, and the next does not start.
func TestLateStop(t *testing.T) {
	t.Parallel()
	m := module().
		fn("run", "i", "", get(0), when(repeat(100, i32(1), drop))).
		fn("twice", "", "", i32(1), call(0), i32(1), call(0))
	i := instantiate(t, m.bytes(), fuel.Options{})
	if _, err := i.call(2, "run", 1); err != nil || i.meter.Used() != 2 || i.meter.Left() != 0 {
		t.Errorf("%v, used %d, left %d", err, i.meter.Used(), i.meter.Left())
	}
	if _, err := i.call(6+200, "twice"); trap(err) != "unreachable" || i.meter.Reason() != fuel.OutOfFuel {
		t.Errorf("%v, %s", err, i.meter.Reason())
	}
}

// TestDepth goes down by as much as the limit allows and by one more.
func TestDepth(t *testing.T) {
	t.Parallel()
	const limit = 100
	opts := fuel.Options{Limits: fuel.Limits{CallDepth: limit}}
	down := func(locals string) *builder {
		return module().fnLocals("run", "i", "i", locals, get(0), when(get(0), i32(1), sub, call(0), drop), get(0))
	}
	for _, tt := range []struct {
		name   string
		module *builder
		frames uint64
	}{
		{"small frames", down(""), limit},
		{"40 locals weigh 3", down("llllllllllllllllllllllllllllllllllllllll"), limit / 3},
		{"many instructions weigh 3", module().fn("run", "i", "i", get(0), when(get(0), i32(1), sub, call(0), drop), repeat(4_096, i32(0), drop), get(0)), limit / 3},
	} {
		i := instantiate(t, tt.module.bytes(), opts)
		if _, err := i.call(enough, "run", tt.frames-1); err != nil || i.meter.Depth() != 0 {
			t.Errorf("%s: %d frames: %v, depth %d after", tt.name, tt.frames, err, i.meter.Depth())
		}
		if _, err := i.call(enough, "run", tt.frames); trap(err) != "unreachable" || i.meter.Reason() != fuel.TooDeep {
			t.Errorf("%s: %d frames: %v, %s", tt.name, tt.frames+1, err, i.meter.Reason())
		}
		if i.meter.Depth() <= limit {
			t.Errorf("%s: depth %d after a trap", tt.name, i.meter.Depth())
		}
		if _, err := i.call(enough, "run", tt.frames-1); err != nil || i.meter.Depth() != 0 {
			t.Errorf("%s: after a trap: %v, depth %d", tt.name, err, i.meter.Depth())
		}
	}
}

// TestExits leaves a function by every way there is, and looks at the depth.
func TestExits(t *testing.T) {
	t.Parallel()
	leaf := func(m *builder) *builder { return m.fn("", "", "", nop) }
	for _, tt := range []struct {
		name string
		body []byte
		want uint64
	}{
		{"end", seq(call(1), i32(1)), 1},
		{"return", seq(call(1), i32(2), ret), 2},
		{"return from blocks", seq(call(1), block(loop(block(i32(9), i32(3), ret))), i32(4)), 3},
		{"return over other values", seq(call(1), i64(8), i64(9), i32(5), ret), 5},
		{"branch to the function", seq(call(1), i32(6), br(0)), 6},
		{"branch from blocks", seq(call(1), block(loop(i32(7), br(2))), i32(4)), 7},
		{"branch if", seq(call(1), i32(8), i32(1), brIf(0)), 8},
		{"branch by a table", seq(call(1), i32(9), i32(5), brTable(0, 0)), 9},
		{"branch from blocks by a table", seq(call(1), block(block(i32(10), i32(1), brTable(2, 2, 2))), i32(4)), 10},
		{"tail call", seq(call(1), tailCall(2)), 11},
		{"tail call by a table", seq(call(1), i32(0), op(0x13, u(0), u(0))), 11},
		{"return in code that is never reached", seq(call(1), i32(12), br(0), ret), 12},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := module().table(1, 1).element(2).fn("run", "", "i", tt.body)
			m = leaf(m).fn("", "", "i", i32(11))
			i := instantiate(t, m.bytes(), fuel.Options{Allow: fuel.TailCalls})
			got, err := i.call(enough, "run")
			if err != nil || got[0] != tt.want {
				t.Errorf("%d (%v), want %d", got, err, tt.want)
			}
			if d := i.meter.Depth(); d != 0 {
				t.Errorf("depth %d after it returned", d)
			}
		})
	}
}

// TestOwnTraps looks at traps of the guest's own: they keep their kind, and
// have no reason.
func TestOwnTraps(t *testing.T) {
	t.Parallel()
	m := module().memory(1, 1).table(2, 2).
		fn("unreachable", "", "", unreachable).
		fn("divide", "", "", i32(1), i32(0), op(0x6d), drop).
		fn("load", "", "", i32(-4), load(0), drop).
		fn("fill", "", "", i32(0), i32(0), i32(-1), misc(11, u(0))).
		fn("table", "", "", i32(0), i32(0), i32(-1), misc(14, u(0), u(0))).
		fn("indirect", "", "", i32(1), op(0x11, u(0), u(0)))
	i := instantiate(t, m.bytes(), fuel.Options{})
	for name, want := range map[string]string{
		"unreachable": "unreachable", "divide": "integer divide by zero", "load": "out of bounds memory access",
		"fill": "out of bounds memory access", "table": "invalid table access", "indirect": "invalid table access",
	} {
		// So little fuel that a charge for what traps anyway would show.
		if _, err := i.call(100, name); trap(err) != want || i.meter.Reason() != fuel.None {
			t.Errorf("%s: %q because of %s; want %q", name, trap(err), i.meter.Reason(), want)
		}
	}
}

// TestStartClears what the call before left.
func TestStartClears(t *testing.T) {
	t.Parallel()
	i := instantiate(t, module().fn("run", "", "", loop(br(0))).fn("nothing", "", "", nop).bytes(), fuel.Options{})
	i.meter.Start(enough)
	i.meter.Stop()
	if _, err := i.m.ExportedFunction("run").Call(t.Context()); trap(err) != "unreachable" || i.meter.Reason() != fuel.Stopped {
		t.Fatalf("%v, %s", err, i.meter.Reason())
	}
	if _, err := i.call(enough, "nothing"); err != nil || i.meter.Reason() != fuel.None || i.meter.Used() != 1 {
		t.Errorf("%v, %s, used %d", err, i.meter.Reason(), i.meter.Used())
	}
}

func TestNewMeterWantsARewrittenModule(t *testing.T) {
	t.Parallel()
	m, err := newRuntime(t).Instantiate(t.Context(), module().fn("run", "", "", nop).bytes())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fuel.NewMeter(find(m)); err == nil {
		t.Error("a meter of a module that was not rewritten")
	}
}
