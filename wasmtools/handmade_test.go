package wasmtools_test

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// handmade is a guest put together from instructions. It describes two tools:
// good, which answers, and attack, which first does something.
type handmade struct {
	*w.Builder
	kind     abi.Kind
	imported map[string]int // indexes of imported functions, by name
	sigs     map[string]string
}

// Where a handmade guest keeps things, in its first page.
const (
	atScratch = 0      // for attacks
	atInput   = 0x4000 // what it read of its input
	atAnswer  = 0x5000
	atTools   = 0x6000
	onePage   = 0x10000
)

const (
	goodAnswer  = `{"content":[{"type":"text","text":"good"}]}`
	description = `{"tools":[{"name":"good"},{"name":"attack"}]}`
)

const wasiModule = "wasi_snapshot_preview1"

// signatures are the functions of the host as letters, "params:results", by
// module and name.
var signatures = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	letters := strings.NewReplacer("i32", "i", "i64", "l", ", ", "", "(", "", ")", "", " -> ", ":")
	for _, f := range abi.Offered() {
		all[f.Module+"."+f.Name] = letters.Replace(f.Signature)
	}
	r := wazero.NewRuntime(noContext)
	defer func() { _ = r.Close(noContext) }()
	b := r.NewHostModuleBuilder(wasiModule)
	wasi_snapshot_preview1.NewFunctionExporter().ExportFunctions(b)
	compiled, err := b.Compile(noContext)
	if err != nil {
		panic(err)
	}
	spell := func(types []api.ValueType) (text string) {
		for _, t := range types {
			text += map[api.ValueType]string{api.ValueTypeI32: "i", api.ValueTypeI64: "l"}[t]
		}
		return text
	}
	for name, f := range compiled.ExportedFunctions() {
		all[wasiModule+"."+name] = spell(f.ParamTypes()) + ":" + spell(f.ResultTypes())
	}
	return all
})

// offered lists the functions of some modules of the host, sorted.
func offered(modules ...string) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(signatures())) {
		if module, _, _ := cut(name); slices.Contains(modules, module) {
			list = append(list, name)
		}
	}
	return list
}

// cut splits "module.name".
func cut(name string) (module, function string, found bool) {
	at := strings.LastIndex(name, ".")
	return name[:max(at, 0)], name[at+1:], at > 0
}

// newHandmade returns a guest that imports what its kind needs, and more.
func newHandmade(kind abi.Kind, pages, most int, imports ...string) *handmade {
	g := &handmade{Builder: w.Module().Memory(pages, most), kind: kind, imported: map[string]int{}, sigs: map[string]string{}}
	needs := map[abi.Kind][]string{
		abi.Bulk: offered("windie"), abi.Extism: offered("extism:host/env"),
		abi.Command: {wasiModule + ".fd_read", wasiModule + ".fd_write"},
	}
	for _, name := range append(needs[kind], imports...) {
		module, function, _ := cut(name)
		if _, twice := g.imported[function]; twice {
			continue
		}
		g.sigs[function] = signatures()[name]
		params, results, _ := strings.Cut(g.sigs[function], ":")
		g.imported[function] = g.ImportedFuncs
		g.ImportFunc(module, function, params, results)
	}
	return g.Text(atAnswer, goodAnswer).Text(atTools, description)
}

// Text is Builder's, on g.
func (g *handmade) Text(offset int, text string) *handmade {
	g.Builder.Text(offset, text)
	return g
}

// host calls a function of the host.
func (g *handmade) host(name string, args ...[]byte) []byte {
	fn, ok := g.imported[name]
	if !ok {
		panic("the guest does not import " + name)
	}
	return w.Seq(w.Seq(args...), w.Call(fn))
}

// try calls a function of the host and drops what it returns.
func (g *handmade) try(name string, args ...[]byte) []byte {
	call := g.host(name, args...)
	if !strings.HasSuffix(g.sigs[name], ":") {
		call = w.Seq(call, w.Drop)
	}
	return call
}

// add adds a function and returns its index.
func (g *handmade) add(params, results, locals string, body ...[]byte) int {
	g.FnLocals("", params, results, locals, body...)
	return g.ImportedFuncs + len(g.Funcs) - 1
}

// locals are those of the function that runs attacks: numbers 0 to 3 are i32,
// 4 to 6 are i64.
const locals = "iiiilll"

// finish adds describe and call, whose tools are distinguished by the first
// letter of their name: what is not in tools only answers. It returns the
// module.
func (g *handmade) finish(tools map[byte][]byte) []byte {
	name := map[abi.Kind]int{abi.Bulk: len(`{"name":"`), abi.Extism: len(`{"params":{"name":"`), abi.Command: len(`{"name":"`)}[g.kind]
	var choose [][]byte
	for _, letter := range slices.Sorted(maps.Keys(tools)) {
		is := w.Seq(w.I32(atInput+name), w.Load8(0), w.I32(int(letter)), w.Eq)
		choose = append(choose, is, w.When(tools[letter]))
	}
	act := w.Seq(choose...)
	switch g.kind {
	case abi.Bulk:
		g.Fn("describe", "", "", g.say(atTools, description))
		g.FnLocals("call", "", "", locals, g.try("input_read", w.I32(atInput), w.I32(64)), act, g.say(atAnswer, goodAnswer))
	case abi.Extism:
		read := w.Seq(w.I32(atInput+name), w.I64(name), g.host("input_load_u8"), w.Store(0))
		put := g.add("ii", "l", "lil", // copies a text into a block
			w.Get(1), w.Extend, g.host("alloc"), w.Set(2),
			w.Loop(w.Get(2), w.Get(3), w.Extend, i64Add, w.Get(0), w.Get(3), w.Add, w.Load8(0), g.host("store_u8"),
				w.Get(3), w.I32(1), w.Add, w.Tee(3), w.Get(1), w.LtU, w.BrIf(0)), w.Get(2))
		answer := func(at int, text string) []byte {
			return w.Seq(w.I32(at), w.I32(len(text)), w.Call(put), w.I64(len(text)), g.host("output_set"))
		}
		g.Fn("describe", "", "", answer(atTools, description))
		g.FnLocals("call", "", "", locals, read, act, answer(atAnswer, goodAnswer))
	case abi.Command:
		isCall := w.Seq(w.I32(atInput), w.Load8(0))
		g.Export("memory", 2, 0)
		g.FnLocals("_start", "", "", locals, g.print(0, "fd_read", atInput, 64),
			isCall, w.When(act, g.say(atAnswer, goodAnswer), w.Return), g.say(atTools, description))
	}
	return g.Bytes()
}

var i64Add = w.Op(0x7c)

// say answers with a text of the guest.
func (g *handmade) say(at int, text string) []byte {
	if g.kind == abi.Command {
		return g.print(1, "fd_write", at, len(text))
	}
	return g.host("output_write", w.I32(at), w.I32(len(text)))
}

// print reads or writes one buffer through WASI.
func (g *handmade) print(file int, function string, at, n int) []byte {
	const iov = atInput - 16
	return w.Seq(w.I32(iov), w.I32(at), w.Store(0), w.I32(iov+4), w.I32(n), w.Store(0),
		g.try(function, w.I32(file), w.I32(iov), w.I32(1), w.I32(iov+8)))
}

// attacker returns a guest whose tool attack does what body says.
func attacker(kind abi.Kind, pages, most int, imports []string, body func(g *handmade) []byte) []byte {
	g := newHandmade(kind, pages, most, imports...)
	return g.finish(map[byte][]byte{'a': body(g)})
}

// TestHandmadeGuests calls the good tool of each kind.
func TestHandmadeGuests(t *testing.T) {
	t.Parallel()
	for _, kind := range []abi.Kind{abi.Bulk, abi.Extism, abi.Command} {
		module := attacker(kind, 1, 1, nil, func(*handmade) []byte { return w.Unreachable })
		p := openSource(t, wasmtools.Config{}, wasmtools.Grant{}, wasmtools.Source{Name: "handmade", Module: module})
		if p.ABI != kind || len(p.Description.Tools) != 2 {
			t.Errorf("%s: %+v", kind, p.Admission)
		}
		mustAnswer(t, p)
		_, _, err := call(t.Context(), t, p, "attack", `{}`)
		wantCode(t, err, "TOOL_ERROR", "unreachable")
		mustAnswer(t, p)
	}
}

// mustAnswer calls the good tool of a handmade guest.
func mustAnswer(t testing.TB, p *wasmtools.Plugin) {
	t.Helper()
	_, result, err := call(t.Context(), t, p, "good", `{}`)
	if err != nil || len(result.Content) != 1 || result.Content[0].Text != "good" {
		t.Fatalf("the good tool: %+v, %v", result, err)
	}
}
