package wasmtools_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// gate is a host that holds calls, where the guest asks for a setting.
type gate struct {
	entered chan struct{} // hears of each call that arrives
	open    chan struct{} // lets them go when it is closed
	host    func()        // what else asking does
}

func newGate() *gate {
	return &gate{entered: make(chan struct{}, 100), open: make(chan struct{})}
}

type gated struct {
	abi.Host
	gate *gate
}

func (h gated) Config(key string) (string, bool) {
	if h.gate.host != nil {
		h.gate.host()
	}
	h.gate.entered <- struct{}{}
	<-h.gate.open
	return h.Host.Config(key)
}

func (g *gate) config() wasmtools.Config {
	return wasmtools.Wrapped(wasmtools.Config{}, func(_ agent.Call, host abi.Host) abi.Host { return gated{host, g} })
}

// source is a guest whose tool attack goes through the gate.
func (g *gate) source() wasmtools.Source {
	return wasmtools.Source{Name: "gated", Module: attacker(abi.Bulk, 1, 1, nil, operation("config.get", `{"key":"x"}`))}
}

// cancelled is a context that has ended.
func cancelled(t testing.TB) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// remembering returns a guest with tools that write what later calls might
// find, in its pages of memory, in what memory grows by, and in globals; and one, look,
// that fails if it finds any.
func remembering(pages int) []byte {
	const secret = 0x5ec4e75e
	g := newHandmade(abi.Bulk, pages, -1)
	for _, value := range [][]byte{w.Op(0x41, w.S(1)), w.Op(0x42, w.S(1)), w.Op(0x43, make([]byte, 4)), w.Op(0x44, make([]byte, 8))} {
		g.Globals = append(g.Globals, w.Seq([]byte{map[byte]byte{0x41: 0x7f, 0x42: 0x7e, 0x43: 0x7d, 0x44: 0x7c}[value[0]], 1}, value, w.End))
	}
	write := func(at ...int) []byte {
		var all [][]byte
		for _, a := range at {
			all = append(all, w.I32(a), w.I32(secret), w.Store(0))
		}
		return w.Seq(all...)
	}
	sizes := w.Seq(w.Op(0x3f, w.U(0)), w.I32(pages), w.Sub, w.When(w.Unreachable))
	memory := w.Seq(w.I32(0), w.Set(0), w.Loop(w.Get(0), w.Load(0), w.I32(secret), w.Eq, w.When(w.Unreachable),
		w.Get(0), w.I32(4), w.Add, w.Tee(0), w.I32(pages*onePage), w.LtU, w.BrIf(0)))
	globals := w.Seq(
		w.Global(0), w.I32(1), w.Op(0x47), w.When(w.Unreachable), w.Global(1), w.I64(1), w.Op(0x52), w.When(w.Unreachable), // ne
		w.Global(2), w.Op(0xbc), w.When(w.Unreachable), w.Global(3), w.Op(0xbd), w.Wrap, w.When(w.Unreachable)) // the bits of floats
	return g.finish(map[byte][]byte{
		'l': w.Seq(sizes, memory, globals),
		'm': write(0, 0x2000, 0x8000, onePage, 2*onePage-4, pages*onePage-4),
		's': w.Seq(w.I32(secret), w.SetGlobal(0), w.I64(secret), w.SetGlobal(1), w.I32(secret), w.Op(0xbe), w.SetGlobal(2), w.I64(secret), w.Op(0xbf), w.SetGlobal(3)),
		'h': w.Seq(w.I32(3), w.MemoryGrow(), w.Drop, write(pages*onePage, (pages+3)*onePage-4)),
		't': w.Seq(write(0x2000), w.Unreachable),
	})
}

// TestNoByteLeaks has calls leave what they can. With snapshots and with fresh
// instances nothing of it is found by the next; with reuse all of it is. Small memories are
// compared with a snapshot, larger ones have its pages, as far as the system can, and those above 8 MiB are compared again.
func TestNoByteLeaks(t *testing.T) {
	t.Parallel()
	for _, pages := range []int{2, 3, 4, 16, 128, 129} {
		module := remembering(pages)
		for _, isolation := range []wasmtools.Isolation{wasmtools.Snapshot, wasmtools.Fresh, wasmtools.Reuse} {
			t.Run(fmt.Sprintf("%s, %d pages", isolation, pages), func(t *testing.T) {
				p := openSource(t, wasmtools.Config{}, wasmtools.Grant{Isolation: isolation}, wasmtools.Source{Name: "remembers", Module: module})
				if p.Isolation != isolation {
					t.Fatalf("%s became %s", isolation, p.Isolation)
				}
				for _, tool := range []string{"memory", "state", "heap", "trap"} {
					leavesNothing(t, p, tool)
				}
			})
		}
	}
}

// leavesNothing calls a tool twice and looks for what it leaves each time.
func leavesNothing(t *testing.T, p *wasmtools.Plugin, tool string) {
	t.Helper()
	for range 2 {
		_, _, err := call(t.Context(), t, p, tool, `{}`)
		if err != nil && tool != "trap" {
			t.Fatal(err)
		}
		_, _, err = call(t.Context(), t, p, "look", `{}`)
		found := err != nil && strings.Contains(err.Error(), "unreachable")
		if found != (p.Isolation == wasmtools.Reuse && tool != "trap") || err != nil && !found {
			t.Errorf("%s after %s: %v", p.Isolation, tool, err)
		}
	}
}

// TestGoGuestsForget asks the Go guest what it remembers.
func TestGoGuestsForget(t *testing.T) {
	t.Parallel()
	for isolation, want := range map[wasmtools.Isolation]answer{wasmtools.Snapshot: {"b", 1}, wasmtools.Fresh: {"b", 1}, wasmtools.Reuse: {"a,b", 2}} {
		t.Run(fmt.Sprint(isolation), func(t *testing.T) {
			p := open(t, wasmtools.Config{}, wasmtools.Grant{Isolation: isolation})
			for _, text := range []string{"a", "b"} {
				got, _, err := call(t.Context(), t, p, "leave", `{"text":"`+text+`"}`)
				if err != nil || text == "b" && got != want {
					t.Errorf("%s: %+v, %v", isolation, got, err)
				}
			}
		})
	}
}

// TestGoGuestsAreWarm has the first call from a snapshot do little more than a later one of a guest that is used again: what
// the kit does once is in the snapshot.
func TestGoGuestsAreWarm(t *testing.T) {
	t.Parallel()
	fuel := map[wasmtools.Isolation]uint64{}
	for _, isolation := range []wasmtools.Isolation{wasmtools.Snapshot, wasmtools.Reuse} {
		p := open(t, wasmtools.Config{}, wasmtools.Grant{Isolation: isolation})
		for range 3 {
			_, result, err := call(t.Context(), t, p, "echo", `{"text":"hello"}`)
			if err != nil {
				t.Fatal(err)
			}
			fuel[isolation] = result.Usage.Fuel
		}
	}
	if fuel[wasmtools.Snapshot] > fuel[wasmtools.Reuse]*3/2 {
		t.Errorf("from a snapshot a call takes %d of fuel, and %d in a guest that is used again", fuel[wasmtools.Snapshot], fuel[wasmtools.Reuse])
	}
}

// TestWhatASnapshotCannotHold gives each call an instance of its own.
func TestWhatASnapshotCannotHold(t *testing.T) {
	t.Parallel()
	g := newHandmade(abi.Bulk, 1, 1)
	g.Table(1, 1).Export("named", 0, 0)
	module := g.finish(map[byte][]byte{
		'w': w.Seq(w.I32(0), w.Op(0xd2, w.U(0)), w.Op(0x26, w.U(0))),
		'l': w.Seq(w.I32(0), w.Op(0x25, w.U(0)), w.Op(0xd1), w.I32(1), w.Sub, w.When(w.Unreachable)), // ref.is_null
	})
	p := openSource(t, wasmtools.Config{}, wasmtools.Grant{}, wasmtools.Source{Name: "tables", Module: module})
	if p.Isolation != wasmtools.Fresh || !slices.ContainsFunc(p.Warnings, func(s string) bool { return strings.Contains(s, "tables") }) {
		t.Errorf("%s, %q", p.Isolation, p.Warnings)
	}
	for _, tool := range []string{"look", "write", "look"} {
		if _, _, err := call(t.Context(), t, p, tool, `{}`); err != nil {
			t.Errorf("%s: %v", tool, err)
		}
	}
}

// TestCallsSideBySide has callers with a text each, of which no other sees any.
func TestCallsSideBySide(t *testing.T) {
	t.Parallel()
	p := open(t, wasmtools.Config{}, limits(wasmtools.Limits{ConcurrentCalls: 8}))
	var all sync.WaitGroup
	for caller := range 8 {
		all.Go(func() {
			for i := range 40 {
				text := fmt.Sprintf("%d-%d", caller, i)
				got, _, err := call(t.Context(), t, p, "leave", `{"text":"`+text+`"}`)
				if err != nil || got != (answer{text, 1}) {
					t.Errorf("%s: %+v, %v", text, got, err)
					return
				}
			}
		})
	}
	all.Wait()
}

// TestManyCallsTakeNoMemory calls twenty thousand times, or five hundred by
// default.
func TestManyCallsTakeNoMemory(t *testing.T) {
	rounds := 500
	switch {
	case os.Getenv("WINDIE_TEST_MEMORY") != "":
		rounds = 20_000
	case !memoryTells:
		rounds = 10
	}
	p := open(t, wasmtools.Config{}, wasmtools.Grant{})
	run := func(n int) int64 {
		for range n {
			if _, _, err := call(t.Context(), t, p, "leave", `{"text":"hello"}`); err != nil {
				t.Fatal(err)
			}
		}
		return residentNow()
	}
	before := run(rounds / 10)
	if after := run(rounds); memoryTells && after > before+(4<<20) {
		t.Errorf("%d bytes after %d calls, and before %d", after, rounds, before)
	}
}

// TestNoMemoryForAnInstance calls where the system gives no memory. It runs
// alone.
func TestNoMemoryForAnInstance(t *testing.T) {
	module := attacker(abi.Bulk, 1, 1, nil, is(w.Nop))
	p := openSource(t, wasmtools.Config{}, wasmtools.Grant{Isolation: wasmtools.Fresh}, wasmtools.Source{Name: "large", Module: module})
	over := wasmtools.RunOutOfMemory()
	_, _, err := call(t.Context(), t, p, "good", `{}`)
	over()
	wantCode(t, err, sdkapi.Overloaded, "too little free memory for another instance")
	mustAnswer(t, p)
}

// TestIdleInstancesAreFew runs eight calls at once, of which two leave an
// instance behind.
func TestIdleInstancesAreFew(t *testing.T) {
	const size = 8 << 20
	gate := newGate()
	module := attacker(abi.Bulk, size/onePage, -1, nil, func(g *handmade) []byte {
		fill := w.Seq(w.I32(onePage), w.I32('x'), w.I32(size-onePage), w.MemoryFill()) // what is blank takes no room
		return w.Seq(fill, operation("config.get", `{"key":"x"}`)(g))
	})
	p := openSource(t, gate.config(), limits(wasmtools.Limits{ConcurrentCalls: 8}), wasmtools.Source{Name: "large", Module: module})
	before := residentNow()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, _, err := call(t.Context(), t, p, "attack", `{}`); err != nil {
				t.Error(err)
			}
		})
		<-gate.entered
	}
	during := residentPeak()
	close(gate.open)
	all.Wait()
	after := residentNow()
	t.Logf("%d MiB more with eight calls, %d MiB after", (during-before)>>20, (after-before)>>20)
	if memoryTells && (during < before+6*size || after > before+size*5/2) {
		t.Errorf("%d bytes more with eight calls, %d after", during-before, after-before)
	}
}

// TestCloseWaitsForCalls closes a plugin in which a call runs.
func TestCloseWaitsForCalls(t *testing.T) {
	t.Parallel()
	gate := newGate()
	p := openSource(t, gate.config(), wasmtools.Grant{}, gate.source())
	ended := make(chan error, 1)
	go func() { _, _, err := call(t.Context(), t, p, "attack", `{}`); ended <- err }()
	<-gate.entered
	p.Close()
	if _, _, err := call(t.Context(), t, p, "good", `{}`); !errors.Is(err, wasmtools.ErrClosed) {
		t.Errorf("a call after Close: %v", err)
	}
	p.Close()
	close(gate.open)
	if err := <-ended; err != nil {
		t.Errorf("the call that ran: %v", err)
	}
}

// TestCallersLeave ends calls whose callers do not wait any more: one that
// computes, one that sleeps, and one that waits for its turn.
func TestCallersLeave(t *testing.T) {
	t.Parallel()
	p := open(t, wasmtools.Config{}, limits(wasmtools.Limits{ConcurrentCalls: 1}))
	for tool, arguments := range map[string]string{"spin": `{}`, "sleep": `{"n":20000}`} {
		t.Run(tool, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			running, waiting := make(chan error, 1), make(chan error, 1)
			go func() { _, _, err := call(ctx, t, p, tool, arguments); running <- err }()
			time.Sleep(50 * time.Millisecond)
			go func() { _, _, err := call(ctx, t, p, "echo", `{}`); waiting <- err }()
			time.Sleep(20 * time.Millisecond)
			cancel()
			begun := time.Now()
			for who, ended := range map[string]chan error{"running": running, "waiting": waiting} {
				t.Run(who, func(t *testing.T) {
					if err := <-ended; !errors.Is(err, context.Canceled) {
						t.Errorf("%s, %s: %v", tool, who, err)
					}
				})
			}
			if took := time.Since(begun); clockTells && took > time.Second*slowness {
				t.Errorf("%s went on for %v", tool, took)
			}
		})
	}
	if got, _, err := call(t.Context(), t, p, "echo", `{"text":"x"}`); err != nil || got.Text != "x" {
		t.Errorf("after them: %+v, %v", got, err)
	}
}

// TestPanicsEndOneCall panics in the guest, and in the gateway beside it.
func TestPanicsEndOneCall(t *testing.T) {
	t.Parallel()
	p := open(t, wasmtools.Config{}, wasmtools.Grant{})
	_, _, err := call(t.Context(), t, p, "panic", `{"text":"oh no"}`)
	wantCode(t, err, sdkapi.ToolError, "oh no")
	if got, _, err := call(t.Context(), t, p, "echo", `{"text":"x"}`); err != nil || got.Text != "x" {
		t.Errorf("after it: %+v, %v", got, err)
	}
	gate := newGate()
	gate.host = func() { panic("broken host") }
	q := openSource(t, gate.config(), wasmtools.Grant{}, gate.source())
	_, _, err = call(t.Context(), t, q, "attack", `{}`)
	if fault.CodeOf(err) != sdkapi.ToolError {
		t.Error(err)
	}
	mustAnswer(t, q)
}
