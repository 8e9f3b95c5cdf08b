package fuel_test

import (
	"bytes"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/wasmtools/fuel"
	w "github.com/windieos/windie/wasmtools/wasmtest"
)

// TestRefusals gives what is no module, needs too much, or reaches for what the
// pass adds. Modules of the last kind would be valid after the pass.
func TestRefusals(t *testing.T) {
	t.Parallel()
	valid := w.Module().Fn("f", "", "", w.Nop).Bytes()
	with := func(body ...[]byte) []byte { return w.Module().Global(1).Fn("", "", "", body...).Bytes() }
	for _, tt := range []struct {
		name   string
		module []byte
		kind   fuel.Kind
		fn     int
		want   string // in the whole error
	}{
		{"nothing", nil, fuel.NotModule, -1, "not a WebAssembly module"},
		{"text", []byte("(module)"), fuel.NotModule, -1, "not text"},
		{"half a header", valid[:6], fuel.Truncated, -1, "at byte 6"},
		{"another version", []byte("\x00asm\x02\x00\x00\x00"), fuel.NotModule, -1, "unknown version"},
		{"component", []byte("\x00asm\x0d\x00\x01\x00"), fuel.Component, -1, "wasm32-wasip1"},
		{"half a module", valid[:len(valid)-3], fuel.Truncated, -1, "end too early"},
		{"half a function", w.Module().FnRaw("", "", "", w.Seq(w.U(0), w.Nop)).Section(0, w.Sized([]byte("x"))).Bytes(), fuel.Malformed, 0, "end too early"},
		{"sections twice", append(slices.Clone(valid), w.Op(1, w.Sized(w.U(0)))...), fuel.Malformed, -1, "out of order"},
		{"unknown section", w.Module().Section(14, nil).Bytes(), fuel.Malformed, -1, "section 14"},
		{"tags", w.Module().Section(13, w.U(0)).Bytes(), fuel.Unsupported, -1, "exception-handling"},
		{"code without types", w.Module().Section(10, w.Vec(w.Sized(w.Seq(w.U(0), w.End)))).Bytes(), fuel.Malformed, -1, "1 functions have code, but 0 have a type"},
		{"a count beyond the bytes", w.Module().Section(3, w.U(40_000)).Bytes(), fuel.Truncated, -1, "end too early"},

		{"shared memory", w.Module().Section(5, w.Seq(w.U(1), []byte{3}, w.U(1), w.U(1))).Bytes(), fuel.Unsupported, -1, "without -pthread"},
		{"64-bit memory", w.Module().Section(5, w.Seq(w.U(1), []byte{4}, w.U(1))).Bytes(), fuel.Unsupported, -1, "wasm32, not wasm64"},
		{"small pages", w.Module().Section(5, w.Seq(w.U(1), []byte{8}, w.U(1), w.U(1))).Bytes(), fuel.Unsupported, -1, "pages of 64 KiB"},
		{"two memories", w.Module().Memory(1, 1).Memory(1, 1).Bytes(), fuel.Unsupported, -1, "one memory"},
		{"atomics", with(w.Op(0xfe, w.U(0))), fuel.Unsupported, 0, "threads"},
		{"exceptions", with(w.Op(0x08, w.U(0))), fuel.Unsupported, 0, "exception-handling"},
		{"garbage collection", with(w.Op(0xfb, w.U(0))), fuel.Unsupported, 0, "gc"},
		{"calls by reference", with(w.Op(0x14, w.U(0))), fuel.Unsupported, 0, "function-references"},
		{"relaxed vectors", with(w.Op(0xfd, w.U(0x100))), fuel.Unsupported, 0, "relaxed-simd"},
		{"wide arithmetic", with(w.Misc(19)), fuel.Unsupported, 0, "wide-arithmetic"},
		{"tail calls", with(w.TailCall(0)), fuel.Unsupported, 0, "-mno-tail-call"},
		{"computed constants", w.Module().Section(6, w.Seq(w.U(1), []byte{0x7f, 0}, w.I32(1), w.I32(1), w.Add, w.End)).Bytes(), fuel.Unsupported, -1, "extended-const"},
		{"unknown instruction", with(w.Op(0xff)), fuel.Unsupported, 0, "0xff"},

		{"our global", with(w.I64(1<<40), w.SetGlobal(1)), fuel.Malformed, 0, "there is no global 1"},
		{"reading our global", with(w.Global(3), w.Drop), fuel.Malformed, 0, "there is no global 3"},
		{"our function", with(w.Call(1)), fuel.Malformed, 0, "there is no function 1"},
		{"our function as a value", with(w.Op(0xd2, w.U(2)), w.Drop), fuel.Malformed, 0, "there is no function 2"},
		{"our type", with(w.Op(0x02, w.S(1)), w.End), fuel.Malformed, 0, "there is no type 1"},
		{"our type for a function", w.Module().Section(1, w.Vec()).Section(3, w.Vec(w.U(0))).Bytes(), fuel.Malformed, -1, "there is no type 0"},
		{"our memory", with(w.I32(0), w.Load(0), w.Drop), fuel.Malformed, 0, "the module has no memory"},
		{"growing our memory", with(w.I32(0), w.MemoryGrow(), w.Drop), fuel.Malformed, 0, "the module has no memory"},
		{"data in our memory", w.Module().Section(11, w.Seq(w.U(1), []byte{0}, w.I32(0), w.End, w.U(0))).Bytes(), fuel.Malformed, -1, "the module has no memory"},
		{"our label", with(w.Br(1)), fuel.Malformed, 0, "there is no label 1"},
		{"exporting our global", w.Module().Export("g", 3, 0).Bytes(), fuel.Malformed, -1, "there is no global 0"},
		{"exporting our memory", w.Module().Export("m", 2, 0).Bytes(), fuel.Malformed, -1, "there is no memory 0"},
		{"exporting our function", w.Module().Fn("", "", "", w.Nop).Export("f", 0, 1).Bytes(), fuel.Malformed, -1, "there is no func 1"},
		{"starting our function", w.Module().Section(8, w.U(0)).Bytes(), fuel.Malformed, -1, "there is no function 0"},
		{"our function in a table", w.Module().Table(1, 1).Element(1).Fn("", "", "", w.Nop).Bytes(), fuel.Malformed, -1, "there is no function 1"},
		{"our global in a constant", w.Module().Section(6, w.Seq(w.U(1), []byte{0x7e, 0}, w.Global(1), w.End)).Bytes(), fuel.Malformed, -1, "there is no global 1"},
		{"our names", w.Module().Fn("windie.fuel.reserve", "", "", w.Nop).Bytes(), fuel.Reserved, -1, "are the host's"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := refusal(t, tt.module, fuel.Options{})
			if err.Kind != tt.kind || err.Func != tt.fn || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("kind %s, function %d: %v; want kind %s, function %d and %q", err.Kind, err.Func, err, tt.kind, tt.fn, tt.want)
			}
			if err.Offset < 0 || err.Offset > len(tt.module) {
				t.Errorf("offset %d of %d bytes", err.Offset, len(tt.module))
			}
		})
	}
}

// TestOffset points at the byte that is wrong.
func TestOffset(t *testing.T) {
	t.Parallel()
	m := w.Module().Fn("", "", "", w.Nop).Fn("", "", "", w.Nop, w.Nop, w.Op(0xff)).Bytes()
	if err := refusal(t, m, fuel.Options{}); m[err.Offset] != 0xff || err.Func != 1 {
		t.Errorf("offset %d in function %d", err.Offset, err.Func)
	}
}

// TestRewritingTwice is refused, so that no guest brings its own tank.
func TestRewritingTwice(t *testing.T) {
	t.Parallel()
	once, _, err := fuel.Rewrite(w.Module().Fn("f", "", "", w.Nop).Bytes(), fuel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := refusal(t, once, fuel.Options{}); err.Kind != fuel.Reserved {
		t.Error(err)
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	m := w.Module().
		ImportFunc("env", "log", "il", "").
		Memory(1, -1).Table(2, 300_000).
		Fn("run", "ifd", "ld", w.Unreachable).
		Fn("", "", "", w.Repeat(10, w.I32(1), w.Op(0xc0), w.Drop)).
		Export("mem", 2, 0)
	m.Section(0, w.Seq(w.Sized([]byte("producers")), w.U(0))).Section(0, w.Seq(w.Sized([]byte(".debug_line")), w.U(0)))
	in := m.Bytes()
	out, got, err := fuel.Rewrite(in, fuel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := &fuel.Report{
		Imports: []fuel.Import{{Module: "env", Name: "log", Signature: "(i32, i64) -> ()"}},
		Exports: []fuel.Export{
			{Name: "run", Index: 1, Signature: "(i32, f32, f64) -> (i64, f64)"},
			{Name: "mem", Type: fuel.ExternMemory},
		},
		Memories:          []fuel.Extent{{Min: 1, Imposed: 4_096}},
		Tables:            []fuel.Extent{{Min: 2, Max: 300_000, Bounded: true, Imposed: 100_000}},
		Functions:         2,
		ImportedFunctions: 1,
		Visit:             3,
		Features:          fuel.MultiValue | fuel.SignExtension,
		BytesBefore:       len(in),
		BytesAfter:        len(out),
		Dropped:           []string{".debug_line"},
		Costliest:         2,
		CostliestFuel:     30,
		CompileWork:       3*16 + 42*16 + 1,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestFeatures(t *testing.T) {
	t.Parallel()
	opts := fuel.Options{Allow: fuel.TailCalls | fuel.ExtendedConst}
	for _, tt := range []struct {
		module *w.Builder
		want   string
	}{
		{w.Module().Fn("", "", "", w.Nop), ""},
		{w.Module().Fn("", "", "ii", w.Unreachable), "multivalue"},
		{w.Module().Memory(1, 1).Fn("", "", "", w.I32(0), w.I32(0), w.I32(0), w.Misc(11, w.U(0))), "bulk-memory"},
		{w.Module().Fn("", "", "", w.Op(0xd0, []byte{0x6f}), w.Drop), "reference-types"},
		{w.Module().Fn("", "", "", w.I32(1), w.I32(2), w.I32(3), w.Op(0x1c, w.U(1), []byte{0x7f}), w.Drop), "reference-types"},
		{w.Module().Fn("", "i", "i", w.Get(0), w.Op(0xc1)), "sign-ext"},
		{w.Module().Fn("", "f", "i", w.Get(0), w.Misc(0)), "nontrapping-fptoint"},
		{w.Module().Fn("", "", "", w.Op(0xfd, w.U(12), make([]byte, 16)), w.Drop), "simd128"},
		{w.Module().Fn("", "", "", w.TailCall(0)), "tail-call"},
		{w.Module().Section(6, w.Seq(w.U(1), []byte{0x7f, 0}, w.I32(1), w.I32(1), w.Add, w.End)), "extended-const"},
	} {
		t.Run(fmt.Sprintf("%.50q", tt.want), func(t *testing.T) {
			_, report, err := fuel.Rewrite(tt.module.Bytes(), opts)
			if err != nil || report.Features.String() != tt.want {
				t.Errorf("%v (%v), want %q", report, err, tt.want)
			}
		})
	}
}

// TestCustomSections keeps those that stay true.
func TestCustomSections(t *testing.T) {
	t.Parallel()
	names := w.Seq([]byte{1}, w.Sized(w.Vec(w.Seq(w.U(0), w.Sized([]byte("main"))))))
	for _, tt := range []struct {
		name    string
		content []byte
		kept    bool
	}{
		{"name", names, true},
		{"name", w.Seq([]byte{0}, w.Sized(w.Sized([]byte("module"))), names, []byte{2}, w.Sized(w.Vec(w.Seq(w.U(0), w.Vec(w.Seq(w.U(0), w.Sized([]byte("x")))))))), true},
		{"name", w.Seq([]byte{1}, w.Sized(w.U(1<<32-1))), false}, // more names than bytes
		{"name", w.Seq([]byte{0}, w.Sized(w.U(1<<30))), false},
		{"name", w.Seq([]byte{2}, w.Sized(w.Seq(w.U(1), w.U(0), w.U(1<<30)))), false},
		{"name", append(slices.Clone(names), 7), false},
		{"producers", []byte("clang"), true},
		{"target_features", w.U(0), true},
		{"windie.manifest", []byte("{}"), true},
		{".debug_info", []byte("x"), false},
		{"reloc.CODE", nil, false},
		{"linking", nil, false},
		{"metadata.code.branch_hint", nil, false},
		{"sourceMappingURL", []byte("x"), false},
	} {
		t.Run(fmt.Sprintf("%s %d bytes, kept %v", tt.name, len(tt.content), tt.kept), func(t *testing.T) {
			section := w.Op(0, w.Sized(w.Seq(w.Sized([]byte(tt.name)), tt.content)))
			m := append(w.Module().Fn("f", "", "", w.Nop).Bytes(), section...)
			out, report, err := fuel.Rewrite(m, fuel.Options{})
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				return
			}
			if kept := bytes.Contains(out, section); kept != tt.kept || slices.Contains(report.Dropped, tt.name) == kept {
				t.Errorf("%s %q: kept %v, report %q; want kept %v", tt.name, tt.content, kept, report.Dropped, tt.kept)
			}
			if _, err := newRuntime(t).CompileModule(t.Context(), out); err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
		})
	}
}

// TestInputIsNotChanged: callers hash the module they gave.
func TestInputIsNotChanged(t *testing.T) {
	t.Parallel()
	in := w.Module().Memory(1, -1).Fn("f", "", "", w.Loop(w.Call(0), w.Return)).Bytes()
	before := slices.Clone(in)
	if _, _, err := fuel.Rewrite(in, fuel.Options{}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(in, before) {
		t.Error("the module given was changed")
	}
}

// TestMemoryUse gives modules of few bytes that promise much. It runs alone, so
// that what is counted is its own.
func TestMemoryUse(t *testing.T) {
	for name, m := range map[string][]byte{
		"returns":  w.Module().Fn("", "", "", w.Call(0), w.Repeat(100_000, w.Return)).Bytes(),
		"loops":    w.Module().Fn("", "", "", w.Repeat(1_000, w.Loop())).Bytes(),
		"grows":    w.Module().Memory(1, 1).Fn("", "", "", w.I32(0), w.Repeat(100_000, w.MemoryGrow()), w.Drop).Bytes(),
		"promises": w.Module().Section(1, w.U(1<<32-1)).Bytes(),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _, _ = fuel.Rewrite(m, fuel.Options{})
			runtime.ReadMemStats(&after)
			if got, most := after.TotalAlloc-before.TotalAlloc, uint64(160*len(m)+64<<10); got > most {
				t.Errorf("%s: %d bytes of memory for %d of module; want at most %d", name, got, len(m), most)
			}
		})
	}
}
