package wasmtools_test

import (
	"testing"

	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// TestHostileExtism attacks through Extism's functions, whose memory is the
// gateway's own.
func TestHostileExtism(t *testing.T) {
	const mib = 1 << 20
	const block = 4 // a local of 64 bits
	loop := func(body func(g *handmade) []byte) func(g *handmade) []byte {
		return func(g *handmade) []byte { return w.Forever(body(g)) }
	}
	attacks := []attack{
		{name: "large blocks taken and given back", body: loop(func(g *handmade) []byte {
			return w.Seq(w.I64(15*mib), g.host("alloc"), g.host("free"))
		}), code: sdkapi.Timeout, says: "wall_ms"},
		{name: "millions of blocks", body: loop(func(g *handmade) []byte { return g.try("alloc", w.I64(1)) }), code: sdkapi.ToolError, says: "in Extism's memory"},
		{name: "blocks until there is no room", body: loop(func(g *handmade) []byte { return g.try("alloc", w.I64(mib)) }), code: sdkapi.ToolError, says: "in Extism's memory"},
		{name: "one block for all", body: loop(func(g *handmade) []byte { return g.try("alloc", w.I64(-1)) }), code: sdkapi.ToolError, says: "in Extism's memory"},
		{name: "flood of variables", body: loop(func(g *handmade) []byte {
			return w.Seq(w.I64(64<<10), g.host("alloc"), w.Tee(block), w.Get(block), g.host("var_set"),
				w.Get(block), w.Get(block), g.host("store_u64"), w.Get(block), g.host("free"))
		}), grant: limits(wasmtools.Limits{HostCalls: 500}), code: sdkapi.ToolError, says: "limit host_calls of 500"},
		{name: "variables by the megabyte", body: loop(func(g *handmade) []byte {
			return w.Seq(w.I64(2*mib), g.host("alloc"), w.Set(block), w.Get(block), w.Get(block), g.host("var_set"))
		}), code: sdkapi.ToolError, says: "more than 1048576 bytes of variables"},
		{name: "byte by byte", body: loop(func(g *handmade) []byte { return g.try("store_u64", w.I64(16), w.I64(1)) }), code: sdkapi.Timeout, says: "wall_ms"},
		{name: "output again and again", body: func(g *handmade) []byte {
			return w.Seq(w.I64(4*mib), g.host("alloc"), w.Set(block), w.Forever(g.try("output_set", w.Get(block), w.I64(4*mib))))
		}, code: sdkapi.Timeout, says: "wall_ms"},
		{name: "too much output", body: func(g *handmade) []byte {
			return w.Seq(w.I64(5*mib), g.host("alloc"), w.Set(block), g.try("output_set", w.Get(block), w.I64(5*mib)))
		}, code: sdkapi.ToolError, says: "limit output_bytes of 4194304"},
		{name: "flood of logging", body: func(g *handmade) []byte {
			return w.Seq(w.I64(mib), g.host("alloc"), w.Set(block), w.Forever(g.try("log_error", w.Get(block))))
		}, code: sdkapi.ToolError, says: "limit host_calls of 10000"},
		{name: "flood of settings", body: loop(func(g *handmade) []byte { return g.try("config_get", w.I64(0)) }), code: sdkapi.ToolError, says: "limit host_calls"},
		{name: "a request that is none", body: loop(func(g *handmade) []byte { return g.try("http_request", w.I64(0), w.I64(0)) }), code: sdkapi.ValidationError, says: "http_request expects JSON"},
		{name: "asking for what is nobody's", imports: []string{"extism:host/user.create_message"},
			body: loop(func(g *handmade) []byte { return g.try("create_message", w.I64(0)) }), code: sdkapi.ToolError, says: "limit host_calls"},
	}
	for i := range attacks {
		attacks[i].kind = abi.Extism
	}
	survive(t, attacks)
}

// TestExtismMemoryIsClean looks at all of Extism's memory that there is, for
// what the call before wrote there. A block's room is larger than the block.
func TestExtismMemoryIsClean(t *testing.T) {
	t.Parallel()
	const block, i, seen = 4, 0, 1
	g := newHandmade(abi.Extism, 1, 1)
	alloc := func(n int) []byte { return w.Seq(w.I64(n), g.host("alloc"), w.Set(block)) }
	each := func(n int, body ...[]byte) []byte {
		return w.Seq(w.I32(0), w.Set(i), w.Loop(w.Seq(body...), w.Get(i), w.I32(1), w.Add, w.Tee(i), w.I32(n), w.LtU, w.BrIf(0)))
	}
	module := g.finish(map[byte][]byte{
		'w': w.Seq(alloc(4000), each(4096, w.Get(block), w.Get(i), w.Extend, i64Add, w.I32('x'), g.host("store_u8"))),
		'r': w.Seq(alloc(17), each(8192, w.Get(i), w.Extend, g.host("load_u8"), w.Get(seen), w.Add, w.Set(seen)), w.Get(seen), w.When(w.Unreachable)),
	})
	for _, isolation := range []wasmtools.Isolation{wasmtools.Snapshot, wasmtools.Fresh} {
		p := openSource(t, wasmtools.Config{}, wasmtools.Grant{Isolation: isolation}, wasmtools.Source{Name: "memory", Module: module})
		for _, tool := range []string{"read", "write", "read"} {
			if _, _, err := call(t.Context(), t, p, tool, `{}`); err != nil {
				t.Errorf("%s: %s: %v", isolation, tool, err)
			}
		}
	}
}
