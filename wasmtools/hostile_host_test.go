package wasmtools_test

import (
	"strings"
	"testing"

	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// operation puts texts for host_call into the guest, and returns what calls it.
func operation(name, input string) func(g *handmade) []byte {
	return func(g *handmade) []byte {
		g.Text(0x100, name).Text(0x200, input)
		return g.try("host_call", w.I32(0x100), w.I32(len(name)), w.I32(0x200), w.I32(len(input)))
	}
}

// forever repeats what body says.
func forever(body func(g *handmade) []byte) func(g *handmade) []byte {
	return func(g *handmade) []byte { return w.Forever(body(g)) }
}

// TestHostileHostCalls attacks through the functions of windie: little work
// for the guest is much for the gateway.
func TestHostileHostCalls(t *testing.T) {
	const mib = 1 << 20
	large := `{"text":"` + strings.Repeat("x", 3*mib) + `"}`
	table := func(function, params, results string, call ...[]byte) func(g *handmade) []byte {
		return func(g *handmade) []byte {
			g.Table(1, 1).Element(g.imported[function])
			return w.Forever(w.Seq(call...), w.I32(0), w.CallIndirect(g.Sig(params, results)), w.Drop)
		}
	}
	survive(t, []attack{
		{name: "flood of calls", body: forever(operation("config.get", `{"key":"x"}`)), code: sdkapi.ToolError, says: "limit host_calls of 10000"},
		{name: "flood of what there is not", body: forever(operation("no.such", `{}`)), code: sdkapi.ToolError, says: "limit host_calls"},
		{name: "flood of logging", pages: 16, body: func(g *handmade) []byte {
			return w.Forever(g.try("log", w.I32(2), w.I32(0), w.I32(onePage)))
		}, code: sdkapi.ToolError, says: "limit host_calls"},
		{name: "flood of output", pages: 16, body: func(g *handmade) []byte {
			return w.Forever(g.try("output_write", w.I32(0), w.I32(onePage)))
		}, code: sdkapi.ToolError, says: "limit output_bytes of 4194304"},
		{name: "output byte by byte", body: func(g *handmade) []byte {
			return w.Forever(g.try("output_write", w.I32(0), w.I32(1)))
		}, code: sdkapi.ToolError, says: "limit output_bytes of 100000", grant: limits(wasmtools.Limits{OutputBytes: 100_000})},
		{name: "flood of errors", body: func(g *handmade) []byte {
			return w.Forever(g.try("error_write", w.I32(0), w.I32(onePage)))
		}, code: sdkapi.ToolError, says: "limit output_bytes"},
		{name: "an error of megabytes", body: func(g *handmade) []byte {
			return w.Repeat(60, g.try("error_write", w.I32(0x8000), w.I32(0x8000)))
		}, code: sdkapi.ToolError, says: "failed: "},
		{name: "reading megabytes of input", pages: 64, input: large, body: func(g *handmade) []byte {
			return w.Forever(g.try("input_read", w.I32(onePage), w.I32(-1)))
		}, code: sdkapi.Timeout, says: "wall_ms"},
		{name: "reading megabytes of input through a table", pages: 64, input: large,
			body: table("input_read", "ii", "i", w.I32(onePage), w.I32(-1)), code: sdkapi.Timeout, says: "wall_ms"},
		{name: "tiny calls of the host through a table", body: table("input_len", "", "i"), code: sdkapi.Timeout, says: "wall_ms"},
		{name: "tiny calls of the host", body: func(g *handmade) []byte { return w.Forever(g.try("input_len")) }, code: sdkapi.Timeout, says: "wall_ms"},
		{name: "JSON of megabytes for an operation", pages: 80, body: func(g *handmade) []byte {
			g.Text(0x100, "config.get")
			fill := w.Seq(w.I32(onePage), w.I32('['), w.I32(4*mib), w.MemoryFill())
			return w.Seq(fill, w.Forever(g.try("host_call", w.I32(0x100), w.I32(10), w.I32(onePage), w.I32(4*mib))))
		}, code: sdkapi.ToolError, says: "limit host_calls", grant: limits(wasmtools.Limits{HostCalls: 100})},
		{name: "hundreds of thousands of headers", pages: 80, body: manyHeaders, code: sdkapi.ToolError, says: "limit host_calls", grant: limits(wasmtools.Limits{HostCalls: 3})},
		{name: "a million pieces of content", pages: 80, body: millionPieces, code: sdkapi.ToolError, says: "more than 10000 entries in a list"},
		{name: "random numbers", body: forever(operation("random.bytes", `{"n":65536}`)), code: sdkapi.ToolError, says: "limit random_bytes of 1048576"},
	})
}

// repeatText fills memory from the second page on with copies of a text.
func repeatText(text string, times int) []byte {
	n := len(text)
	return w.Seq(w.I32(0), w.Set(0), w.Loop(
		w.I32(onePage), w.Get(0), w.I32(n), w.Mul, w.Add, w.I32(0x300), w.I32(n), w.Misc(10, w.U(0), w.U(0)),
		w.Get(0), w.I32(1), w.Add, w.Tee(0), w.I32(times), w.LtU, w.BrIf(0)))
}

// manyHeaders asks for a request with as many headers as fit, each of another
// name.
func manyHeaders(g *handmade) []byte {
	const times, begin = 280_000, `{"url":"https://a.test","headers":{`
	const header, rest = `"aaaaaaaa":"",`, `"a":""}}`
	at := onePage - len(begin)
	end := onePage + times*len(header)
	g.Text(0x100, "http.request").Text(at, begin).Text(0x300, header).Text(0x400, rest)
	nibble := func(n int) []byte { // that of the number, as a letter of four
		return w.Seq(w.Get(0), w.I32(4*n), w.Op(0x76), w.I32(15), w.Op(0x71), w.I32(8*n), w.Op(0x74)) // shr_u, and, shl
	}
	letters := g.add("i", "i", "", w.I32(0x61616161), nibble(0), w.Add, nibble(1), w.Add, nibble(2), w.Add, nibble(3), w.Add)
	name := w.Seq(w.I32(onePage+1), w.Get(0), w.I32(len(header)), w.Mul, w.Add)
	names := w.Seq(w.I32(0), w.Set(0), w.Loop(
		name, w.Get(0), w.Call(letters), w.Store(0), name, w.Get(0), w.I32(16), w.Op(0x76), w.Call(letters), w.Store(4),
		w.Get(0), w.I32(1), w.Add, w.Tee(0), w.I32(times), w.LtU, w.BrIf(0)))
	tail := w.Seq(w.I32(end), w.I32(0x400), w.I32(len(rest)), w.Misc(10, w.U(0), w.U(0)))
	return w.Seq(repeatText(header, times), names, tail,
		w.Forever(g.try("host_call", w.I32(0x100), w.I32(12), w.I32(at), w.I32(end+len(rest)-at))))
}

// millionPieces answers with as many pieces as fit.
func millionPieces(g *handmade) []byte {
	const times, begin, piece, rest = 1_300_000, `{"content":[`, `{},`, `{}]}`
	at := onePage - len(begin)
	end := onePage + times*len(piece)
	g.Text(at, begin).Text(0x300, piece).Text(0x400, rest)
	tail := w.Seq(w.I32(end), w.I32(0x400), w.I32(len(rest)), w.Misc(10, w.U(0), w.U(0)))
	return w.Seq(repeatText(piece, times), tail, g.try("output_write", w.I32(at), w.I32(end+len(rest)-at)), w.Return)
}
