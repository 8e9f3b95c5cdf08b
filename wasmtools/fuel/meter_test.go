package fuel_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/windieos/windie/wasmtools/fuel"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// TestFuelTaken counts by hand what functions take.
func TestFuelTaken(t *testing.T) {
	t.Parallel()
	m := w.Module().Memory(2, 4).Table(20, 40).
		Fn("add", "ii", "i", w.Get(0), w.Get(1), w.Add).                                            // 3
		Fn("nothing", "", "", w.Nop, w.Block()).                                                    // a charge is 1 at least
		Fn("calls", "", "", w.I32(1), w.I32(2), w.Call(0), w.Drop, w.Call(1)).                      // 5 + 3 + 1
		Fn("early", "i", "i", w.Get(0), w.When(w.I32(7), w.Return), w.Call(1), w.I32(8)).           // 6, and 1 in call
		Fn("loop", "i", "", w.Loop(w.Get(0), w.I32(1), w.Sub, w.Tee(0), w.BrIf(0))).                // 1 + 5 for each turn
		Fn("fill", "i", "", w.I32(0), w.I32(0), w.Get(0), w.Misc(11, w.U(0))).                      // 4 and an eighth of each byte
		Fn("copy", "i", "", w.I32(0), w.I32(0), w.Get(0), w.Misc(10, w.U(0), w.U(0))).              //
		Fn("tableCopy", "i", "", w.I32(0), w.I32(0), w.Get(0), w.Misc(14, w.U(0), w.U(0))).         // 4 and 1 for each entry
		Fn("tableFill", "i", "", w.I32(0), w.Op(0xd0, []byte{0x70}), w.Get(0), w.Misc(17, w.U(0))). //
		Fn("grow", "i", "", w.Get(0), w.MemoryGrow(), w.Drop).                                      // 2 + 64 and 32768 for each page
		Fn("tableGrow", "i", "", w.Op(0xd0, []byte{0x70}), w.Get(0), w.Misc(15, w.U(0)), w.Drop).   // 3 + 64 and 1 for each entry
		Fn("tail", "i", "i", w.Get(0), w.When(w.I32(1), w.I32(2), w.TailCall(0)), w.I32(3)).        // 6, and 3 in add
		Fn("nested", "i", "", w.Loop(w.Loop(w.Get(0), w.BrIf(1)), w.Nop), w.I32(1), w.Drop).        // 2 + 1 + 2
		Fn("skip", "i", "", w.Get(0), w.When(w.Repeat(100, w.I32(1), w.Drop)), w.Nop).
		Fn("choose", "i", "", w.Block(w.Block(w.Get(0), w.BrTable(0, 1)), w.Repeat(100, w.I32(1), w.Drop)), w.Repeat(150, w.I32(1), w.Drop)).
		Fn("either", "i", "", w.Get(0), w.Op(0x04, []byte{0x40}), w.Repeat(100, w.I32(1), w.Drop), w.Op(0x05), w.Repeat(150, w.I32(1), w.Drop), w.End).
		Fn("small", "i", "", w.Get(0), w.When(w.Repeat(10, w.I32(1), w.Drop)))
	i := instantiate(t, m.Bytes(), fuel.Options{Allow: fuel.TailCalls})
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
		t.Run(fmt.Sprint(tt.fn, " ", tt.args), func(t *testing.T) {
			if got := i.mustUse(tt.fn, tt.args...); got != tt.want {
				t.Errorf("%s%v took %d, want %d", tt.fn, tt.args, got, tt.want)
			}
			if d := i.meter.Depth(); d != 0 {
				t.Errorf("%s%v left a depth of %d", tt.fn, tt.args, d)
			}
		})
	}
}

// TestPayingForAll fills all there can be, which is the most that is paid for.
func TestPayingForAll(t *testing.T) {
	t.Parallel()
	m := w.Module().Memory(1, 1).Table(7, 7).
		Fn("memory", "i", "", w.I32(0), w.I32(0), w.Get(0), w.Misc(11, w.U(0))).
		Fn("table", "i", "", w.I32(0), w.Op(0xd0, []byte{0x70}), w.Get(0), w.Misc(17, w.U(0)))
	i := instantiate(t, m.Bytes(), fuel.Options{})
	if got := i.mustUse("memory", 65_536); got != 4+8_192 {
		t.Errorf("all of memory took %d", got)
	}
	if got := i.mustUse("table", 7); got != 4+7 {
		t.Errorf("all of a table took %d", got)
	}
}

// TestCallsOfTheHost takes much for each, however the host's function is called.
func TestCallsOfTheHost(t *testing.T) {
	t.Parallel()
	const host, own, sig = 0, 1, 0
	hosted := func() *w.Builder {
		return w.Module().ImportFunc("host", "nothing", "", "").Table(2, 2).Fn("own", "", "", w.Nop).
			Fn("direct", "", "", w.Call(host)).
			Fn("tail", "", "", w.TailCall(host)).
			Fn("indirect", "i", "", w.Get(0), w.CallIndirect(sig)).
			Fn("calls own", "", "", w.Call(own))
	}
	constant := func(fn int) []byte { return w.Seq([]byte{0x70, 0}, w.Op(0xd2, w.U(fn)), w.End) }
	global := hosted().Element(own, own)
	global.Globals = append(global.Globals, constant(host))
	ownGlobal := hosted().Element(own, own)
	ownGlobal.Globals = append(ownGlobal.Globals, constant(own))
	expressions := hosted()
	expressions.Elements = append(expressions.Elements, w.Seq([]byte{4}, w.I32(0), w.End, w.Vec(w.Op(0xd2, w.U(own), w.End), w.Op(0xd2, w.U(host), w.End))))
	for _, tt := range []struct {
		name     string
		module   *w.Builder
		indirect int64 // of a call through the table that ends in own, which takes 1
	}{
		{"in no table", hosted().Element(own, own), 3},
		{"in a table", hosted().Element(own, host), 502},
		{"in a table, by an expression", expressions, 502},
		{"in a global", global, 502},
		{"own function in a global", ownGlobal, 3},
		{"exported", hosted().Element(own, own).Export("host", 0, host), 502},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRuntime(t)
			if _, err := r.NewHostModuleBuilder("host").NewFunctionBuilder().WithFunc(func() {}).Export("nothing").Instantiate(t.Context()); err != nil {
				t.Fatal(err)
			}
			i := instantiateIn(t, r, tt.module.Bytes(), fuel.Options{Allow: fuel.TailCalls})
			for name, want := range map[string]int64{"direct": 500, "tail": 500, "calls own": 2} {
				t.Run(name, func(t *testing.T) {
					if got := i.mustUse(name); got != want {
						t.Errorf("%s: %s took %d, want %d", tt.name, name, got, want)
					}
				})
			}
			if got := i.mustUse("indirect", 0); got != tt.indirect {
				t.Errorf("%s: a call through the table took %d, want %d", tt.name, got, tt.indirect)
			}
		})
	}
}

// TestBudgets finds the least fuel with which a call returns: what it was seen
// to take. With less it must not return, and with any more take the same. The
// budgets lie on both sides of a slice, where fuel moves from the reserve.
func TestBudgets(t *testing.T) {
	t.Parallel()
	m := w.Module().
		Fn("run", "i", "", w.Loop(w.Get(0), w.Call(1), w.Drop, w.Get(0), w.I32(1), w.Sub, w.Tee(0), w.BrIf(0))).
		Fn("", "i", "i", w.Get(0), w.I32(9), w.Mul)
	i := instantiate(t, m.Bytes(), fuel.Options{})
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
	m := w.Module().
		Fn("run", "i", "", w.Get(0), w.When(w.Repeat(100, w.I32(1), w.Drop))).
		Fn("twice", "", "", w.I32(1), w.Call(0), w.I32(1), w.Call(0))
	i := instantiate(t, m.Bytes(), fuel.Options{})
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
	down := func(locals string) *w.Builder {
		return w.Module().FnLocals("run", "i", "i", locals, w.Get(0), w.When(w.Get(0), w.I32(1), w.Sub, w.Call(0), w.Drop), w.Get(0))
	}
	waiting := func(before, after []byte) *w.Builder {
		return w.Module().Fn("run", "i", "i", w.Get(0), w.When(before, w.Get(0), w.I32(1), w.Sub, w.Call(0), w.Drop, after), w.Get(0))
	}
	for _, tt := range []struct {
		name   string
		module *w.Builder
		frames uint64
	}{
		{"small frames", down(""), limit},
		{"40 locals weigh 3", down("llllllllllllllllllllllllllllllllllllllll"), limit / 3},
		{"51 locals and operands weigh 4", waiting(w.Repeat(48, w.I32(1)), w.Repeat(48, w.Drop)), limit / 4},
		{"operands that are taken at once weigh nothing", waiting(w.Repeat(200, w.I32(1), w.Drop), nil), limit},
		{"operands of a block that was left weigh nothing", waiting(w.Repeat(40, w.Block(w.I32(1), w.I32(1), w.Br(0))), nil), limit},
		{"43 results and others weigh 3", waiting(w.Call(1), w.Repeat(40, w.Drop)).Fn("", "", strings.Repeat("i", 40), w.Repeat(40, w.I32(1))), limit / 3},
		{"many instructions weigh 3", w.Module().Fn("run", "i", "i", w.Get(0), w.When(w.Get(0), w.I32(1), w.Sub, w.Call(0), w.Drop), w.Repeat(4_096, w.I32(0), w.Drop), w.Get(0)), limit / 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			i := instantiate(t, tt.module.Bytes(), opts)
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
		})
	}
}

// TestExits leaves a function by every way there is, and looks at the depth.
func TestExits(t *testing.T) {
	t.Parallel()
	leaf := func(m *w.Builder) *w.Builder { return m.Fn("", "", "", w.Nop) }
	for _, tt := range []struct {
		name string
		body []byte
		want uint64
	}{
		{"end", w.Seq(w.Call(1), w.I32(1)), 1},
		{"return", w.Seq(w.Call(1), w.I32(2), w.Return), 2},
		{"return from blocks", w.Seq(w.Call(1), w.Block(w.Loop(w.Block(w.I32(9), w.I32(3), w.Return))), w.I32(4)), 3},
		{"return over other values", w.Seq(w.Call(1), w.I64(8), w.I64(9), w.I32(5), w.Return), 5},
		{"branch to the function", w.Seq(w.Call(1), w.I32(6), w.Br(0)), 6},
		{"branch from blocks", w.Seq(w.Call(1), w.Block(w.Loop(w.I32(7), w.Br(2))), w.I32(4)), 7},
		{"branch if", w.Seq(w.Call(1), w.I32(8), w.I32(1), w.BrIf(0)), 8},
		{"branch by a table", w.Seq(w.Call(1), w.I32(9), w.I32(5), w.BrTable(0, 0)), 9},
		{"branch from blocks by a table", w.Seq(w.Call(1), w.Block(w.Block(w.I32(10), w.I32(1), w.BrTable(2, 2, 2))), w.I32(4)), 10},
		{"tail call", w.Seq(w.Call(1), w.TailCall(2)), 11},
		{"tail call by a table", w.Seq(w.Call(1), w.I32(0), w.Op(0x13, w.U(0), w.U(0))), 11},
		{"return in code that is never reached", w.Seq(w.Call(1), w.I32(12), w.Br(0), w.Return), 12},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := w.Module().Table(1, 1).Element(2).Fn("run", "", "i", tt.body)
			m = leaf(m).Fn("", "", "i", w.I32(11))
			i := instantiate(t, m.Bytes(), fuel.Options{Allow: fuel.TailCalls})
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
	m := w.Module().Memory(1, 1).Table(2, 2).
		Fn("unreachable", "", "", w.Unreachable).
		Fn("divide", "", "", w.I32(1), w.I32(0), w.Op(0x6d), w.Drop).
		Fn("load", "", "", w.I32(-4), w.Load(0), w.Drop).
		Fn("fill", "", "", w.I32(0), w.I32(0), w.I32(-1), w.Misc(11, w.U(0))).
		Fn("table", "", "", w.I32(0), w.I32(0), w.I32(-1), w.Misc(14, w.U(0), w.U(0))).
		Fn("indirect", "", "", w.I32(1), w.Op(0x11, w.U(0), w.U(0)))
	i := instantiate(t, m.Bytes(), fuel.Options{})
	for name, want := range map[string]string{
		"unreachable": "unreachable", "divide": "integer divide by zero", "load": "out of bounds memory access",
		"fill": "out of bounds memory access", "table": "invalid table access", "indirect": "invalid table access",
	} {
		t.Run(name, func(t *testing.T) {
			// So little fuel that a charge for what traps anyway would show.
			if _, err := i.call(100, name); trap(err) != want || i.meter.Reason() != fuel.None {
				t.Errorf("%s: %q because of %s; want %q", name, trap(err), i.meter.Reason(), want)
			}
		})
	}
}

// TestStartClears what the call before left.
func TestStartClears(t *testing.T) {
	t.Parallel()
	i := instantiate(t, w.Module().Fn("run", "", "", w.Loop(w.Br(0))).Fn("nothing", "", "", w.Nop).Bytes(), fuel.Options{})
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
	m, err := newRuntime(t).Instantiate(t.Context(), w.Module().Fn("run", "", "", w.Nop).Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fuel.NewMeter(find(m)); err == nil {
		t.Error("a meter of a module that was not rewritten")
	}
}
