package wasmtools_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// opening is a module that must not open.
type opening struct {
	name   string
	module []byte
	grant  wasmtools.Grant
	says   string
}

// described returns a guest whose describe does what body says.
func described(imports []string, body func(g *handmade) []byte) []byte {
	g := newHandmade(abi.Bulk, 1, -1, imports...)
	return g.FnLocals("describe", "", "", locals, body(g)).Fn("call", "", "", w.Nop).Bytes()
}

// beginning returns a good guest that first does what body says: at export, or
// in its start section if that is empty.
func beginning(export string, imports []string, body func(g *handmade) []byte) []byte {
	g := newHandmade(abi.Bulk, 1, -1, imports...)
	begin := g.add("", "", locals, body(g))
	if export != "" {
		g.Export(export, 0, begin)
	} else {
		g.Start = w.U(begin)
	}
	return g.finish(nil)
}

// clearing takes and gives back blocks of megabytes in its start section.
func clearing() []byte {
	g := newHandmade(abi.Extism, 1, 1)
	g.Start = w.U(g.add("", "", "", w.Forever(w.I64(15<<20), g.host("alloc"), g.host("free"))))
	return g.finish(nil)
}

func openings() []opening {
	say := func(text string) func(g *handmade) []byte {
		return func(g *handmade) []byte { g.Text(0x100, text); return g.say(0x100, text) }
	}
	clock := operation("clock.now", `{}`)
	return append(bombs(),
		opening{name: "start section that loops", module: beginning("", nil, is(w.Forever())), says: "the start section, which may use at most 10000000 fuel"},
		opening{name: "start section that sleeps", module: beginning("", wasi("poll_oneoff"), func(g *handmade) []byte { return sleep(g, 10e9) }), says: "wall_ms"},
		opening{name: "start section that calls the host", module: beginning("", nil, forever(clock)), says: "limit host_calls"},
		opening{name: "start section that has memory cleared", module: clearing(), says: "wall_ms"},
		opening{name: "_initialize that loops", module: beginning("_initialize", nil, is(w.Forever())), says: "wall_ms"},
		opening{name: "_initialize that traps", module: beginning("_initialize", nil, is(w.Unreachable)), says: "unreachable"},
		opening{name: "describe that loops", module: described(nil, is(w.Forever())), says: "wall_ms"},
		opening{name: "describe that sleeps", module: described(wasi("poll_oneoff"), func(g *handmade) []byte { return sleep(g, 10e9) }), says: "wall_ms"},
		opening{name: "describe that takes all of memory", module: described(nil, is(w.Forever(growOr(w.Seq(w.I32(1), w.MemoryGrow()), w.Unreachable)))), says: "unreachable"},
		opening{name: "describe that says nothing", module: described(nil, is(w.Nop)), says: "the answer is empty"},
		opening{name: "describe that prints garbage", module: described(nil, say("\x00\xff{not JSON")), says: "the answer begins with"},
		opening{name: "describe of a list", module: described(nil, say(`{"tools":{}}`)), says: "must be a JSON array"},
		opening{name: "describe that goes on", module: described(nil, say(description+description)), says: "after top-level value"},
		opening{name: "describe of too many tools", module: described(nil, say(`{"tools":[`+strings.Repeat(`{"name":"x"},`, 2000)+`{"name":"y"}]}`)), says: "2001 tools; at most"},
		opening{name: "describe of a million tools", module: described(nil, func(g *handmade) []byte {
			g.Text(0x300, `{},`).Text(0x200, `{"tools":[`).Text(0x280, `{}]}`)
			grow := w.Seq(w.I32(70), w.MemoryGrow(), w.Drop)
			return w.Seq(grow, w.Call(g.add("", "", "i", repeatText(`{},`, 1_300_000))), g.say(0x200, `{"tools":[`),
				w.I32(onePage), w.I32(3_900_000), g.host("output_write"), g.say(0x280, `{}]}`))
		}), says: "more than 10000 entries in a list"},
		opening{name: "describe that asks for a request", module: described(nil, func(g *handmade) []byte {
			operation("http.request", `{"url":"https://a.test"}`)(g)
			return w.Seq(w.I32(0x100), w.I32(12), w.I32(0x200), w.I32(24), g.host("host_call"), w.Set(0),
				w.I32(0x400), w.I32(500), g.host("host_read"), w.Drop, w.I32(0x400), w.I32(0), w.Get(0), w.Sub, g.host("error_write"))
		}), says: "PERMISSION_DENIED"},
		opening{name: "describe that exits", module: described(wasi("proc_exit"), func(g *handmade) []byte {
			return w.Seq(g.say(atTools, description), g.try("proc_exit", w.I32(0)))
		}), says: "exited after it described its tools"},
		opening{name: "describe that is a function of the host", module: newHandmade(abi.Bulk, 1, 1).Export("describe", 0, 3).Export("call", 0, 3).Bytes(), says: "the answer is empty"},
		opening{name: "forbidden imports", module: w.Module().ImportFunc("env", "system", "i", "i").Fn("_start", "", "", w.Nop).Bytes(), says: "env.system"},
		opening{name: "an import of another type", module: w.Module().ImportFunc("windie", "input_len", "", "l").Fn("describe", "", "").Fn("call", "", "").Bytes(), says: "windie.input_len"},
		opening{name: "no module", module: []byte("#!/bin/sh"), says: "not a WebAssembly module"},
		opening{name: "half a module", module: attacker(abi.Bulk, 1, 1, nil, is(w.Nop))[:100], says: "refuses the plugin"},
		opening{name: "wrong types", module: w.Module().Fn("_start", "", "i", w.Nop).Bytes(), says: "not valid WebAssembly"},
	)
}

// bombs cost much before anything runs.
func bombs() []opening {
	function := func(body ...[]byte) []byte { return w.Module().Fn("_start", "", "", body...).Bytes() }
	many := func(n int, body ...[]byte) []byte {
		m := w.Module()
		for range n {
			m.Fn("", "", "", body...)
		}
		return m.Fn("_start", "", "").Bytes()
	}
	return []opening{
		{name: "bomb of loops", module: function(w.Repeat(20_000, w.Loop())), says: "20000 blocks in a function"},
		{name: "bomb of nested blocks", module: function(w.Repeat(5_000, []byte{0x02, 0x40}), w.Repeat(5_000, w.End)), says: "nested blocks"},
		{name: "bomb of br_table", module: function(w.I32(0), w.BrTable(make([]int, 100_000)...)), says: "labels in a br_table"},
		{name: "bomb of locals", module: w.Module().FnRaw("_start", "", "", w.Seq(w.Vec(w.Seq(w.U(1<<30), []byte{0x7e})), w.End)).Bytes(), says: "locals in a function"},
		{name: "bomb of code", module: function(w.Repeat(600_000, w.Nop)), says: "bytes of code in a function"},
		{name: "bomb of functions", module: many(60_000), says: "60001 functions"},
		{name: "bomb of slow functions", module: many(40, w.Repeat(8_000, w.Block())), says: "steps to compile"},
		{name: "bomb of memory", module: w.Module().Memory(65_536, -1).Fn("_start", "", "").Bytes(), says: "pages of memory at the start"},
		{name: "bomb of a table", module: w.Module().Table(1<<30, -1).Fn("_start", "", "").Bytes(), says: "entries of a table at the start"},
		{name: "bomb of bytes", module: append(function(), w.Op(0, w.Sized(make([]byte, 65<<20)))...), says: "bytes in a module"},
	}
}

// TestCompilingStops opens what takes seconds to compile, for a caller who
// does not wait, and has others compile meanwhile.
func TestCompilingStops(t *testing.T) {
	t.Parallel()
	m := w.Module()
	for range 400 {
		m.Fn("", "", "", w.Repeat(500, w.Loop(w.I32(1), w.BrIf(0))))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	begun := time.Now()
	_, err := newEngine(t, wasmtools.Config{}).Open(ctx, wasmtools.Source{Name: "slow", Module: m.Fn("_start", "", "").Bytes()}, wasmtools.Grant{})
	took := time.Since(begun)
	if !errors.Is(err, context.DeadlineExceeded) || clockTells && took > 2*time.Second*slowness {
		t.Errorf("after %v: %v", took, err)
	}
	t.Logf("it took %v", took)
}
