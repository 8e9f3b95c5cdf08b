package wasmtools_test

import (
	"testing"

	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// is returns instructions that need no guest to be written.
func is(body ...[]byte) func(*handmade) []byte {
	return func(*handmade) []byte { return w.Seq(body...) }
}

// limits returns a grant of nothing but limits.
func limits(l wasmtools.Limits) wasmtools.Grant { return wasmtools.Grant{Limits: l} }

// growOr grows the memory or the table by the i32 on the stack, and does
// something else when it cannot.
func growOr(grow []byte, otherwise []byte) []byte {
	return w.Seq(grow, w.I32(-1), w.Eq, w.When(otherwise))
}

var tableGrow = w.Misc(15, w.U(0))

// nullRef is a null reference to a function.
var nullRef = w.Op(0xd0, []byte{0x70})

// TestHostileComputing attacks with what a guest can do by itself.
func TestHostileComputing(t *testing.T) {
	const mib = 1 << 20
	survive(t, []attack{
		{name: "endless loop", body: is(w.Forever()), code: sdkapi.Timeout, says: "wall_ms (300"},
		{name: "endless loop with little fuel", body: is(w.Forever()), grant: limits(wasmtools.Limits{Fuel: 10_000_000}), code: sdkapi.ToolError, says: "limit fuel of 10000000"},
		{name: "exponential calls without a loop", body: callTree, code: sdkapi.Timeout, says: "wall_ms"},
		{name: "deep recursion", body: func(g *handmade) []byte {
			self := g.ImportedFuncs + len(g.Funcs)
			return w.Call(g.add("", "", "", w.Call(self)))
		}, code: sdkapi.ToolError, says: "limit stack_depth of 10000"},
		{name: "deep recursion with large frames", body: largeFrames, code: sdkapi.ToolError, says: "limit stack_depth of 10000"},
		{name: "recursion by a table", body: func(g *handmade) []byte {
			self := g.ImportedFuncs + len(g.Funcs)
			g.Table(1, 1).Element(self)
			return w.Call(g.add("", "", "", w.I32(0), w.CallIndirect(g.Sig("", ""))))
		}, code: sdkapi.ToolError, says: "limit stack_depth of 10000"},
		{name: "memory that grows", body: is(w.Forever(growOr(w.Seq(w.I32(1), w.MemoryGrow()), w.Unreachable))),
			code: sdkapi.ToolError, says: "the limit memory_bytes of 16777216"},
		{name: "memory that grows and is used", body: is(w.Forever(growOr(w.Seq(w.I32(255), w.MemoryGrow()),
			w.Seq(w.I32(0x8000), w.I32(7), w.I32(15*mib), w.MemoryFill())))), code: sdkapi.Timeout, says: "wall_ms"},
		{name: "memory that is used page by page", pages: 256, body: is(w.Forever(
			w.Get(0), w.I32(1), w.Store(0x8000), w.Get(0), w.I32(4096), w.Add, w.I32(15*mib), w.Op(0x70), w.Set(0))), // i32.rem_u
			code: sdkapi.Timeout, says: "wall_ms"},
		{name: "table that grows", body: func(g *handmade) []byte {
			g.Table(1, -1)
			return w.Forever(growOr(w.Seq(nullRef, w.I32(1), tableGrow), w.Unreachable))
		}, code: sdkapi.ToolError, says: "unreachable"},
		{name: "table that is filled", body: func(g *handmade) []byte {
			g.Table(100_000, -1)
			return w.Forever(w.I32(0), nullRef, w.I32(100_000), w.Misc(17, w.U(0)))
		}, code: sdkapi.Timeout, says: "wall_ms"},
		{name: "failing to grow", body: is(w.Forever(w.I32(-1), w.MemoryGrow(), w.Drop)), code: sdkapi.Timeout, says: "wall_ms"},
		{name: "slow instructions", body: is(w.Forever(w.Repeat(100, w.I64(-1), w.I64(3), w.Op(0x7f), w.Drop))), code: sdkapi.Timeout, says: "wall_ms"}, // i64.div_s
	})
}

// callTree has functions that each call the next twice: 2^60 calls.
func callTree(g *handmade) []byte {
	first := g.ImportedFuncs + len(g.Funcs)
	for i := range 60 {
		g.Fn("", "", "", w.Call(first+i+1), w.Call(first+i+1))
	}
	g.Fn("", "", "", w.Nop)
	return w.Call(first)
}

// largeFrames has a function that calls itself while it holds a thousand
// values for later.
func largeFrames(g *handmade) []byte {
	const held = 1000
	self := g.ImportedFuncs + len(g.Funcs)
	sum := w.Repeat(held, w.Add)
	return w.Seq(w.I32(1), w.Call(g.add("i", "i", "", w.Repeat(held, w.Get(0), w.Load(0)), w.Get(0), w.Call(self), sum)), w.Drop)
}
