package fuel_test

import (
	"bytes"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/wasmtools/fuel"
)

// TestRefusals gives what is no module, needs too much, or reaches for what the
// pass adds. Modules of the last kind would be valid after the pass.
func TestRefusals(t *testing.T) {
	t.Parallel()
	valid := module().fn("f", "", "", nop).bytes()
	with := func(body ...[]byte) []byte { return module().global(1).fn("", "", "", body...).bytes() }
	for _, tt := range []struct {
		name   string
		module []byte
		kind   fuel.Kind
		fn     int
		want   string // in the whole error
	}{
		{"nothing", nil, fuel.NotModule, -1, "no WebAssembly module"},
		{"text", []byte("(module)"), fuel.NotModule, -1, "not text"},
		{"half a header", valid[:6], fuel.Truncated, -1, "at byte 6"},
		{"another version", []byte("\x00asm\x02\x00\x00\x00"), fuel.NotModule, -1, "unknown version"},
		{"component", []byte("\x00asm\x0d\x00\x01\x00"), fuel.Component, -1, "wasm32-wasip1"},
		{"half a module", valid[:len(valid)-3], fuel.Truncated, -1, "end too early"},
		{"half a function", module().fnRaw("", "", "", seq(u(0), nop)).section(0, sized([]byte("x"))).bytes(), fuel.Malformed, 0, "end too early"},
		{"sections twice", append(slices.Clone(valid), op(1, sized(u(0)))...), fuel.Malformed, -1, "out of order"},
		{"unknown section", module().section(14, nil).bytes(), fuel.Malformed, -1, "section 14"},
		{"tags", module().section(13, u(0)).bytes(), fuel.Unsupported, -1, "exception-handling"},
		{"code without types", module().section(10, vec(sized(seq(u(0), end)))).bytes(), fuel.Malformed, -1, "1 functions have code, and 0 a type"},
		{"a count beyond the bytes", module().section(3, u(40_000)).bytes(), fuel.Truncated, -1, "end too early"},

		{"shared memory", module().section(5, seq(u(1), []byte{3}, u(1), u(1))).bytes(), fuel.Unsupported, -1, "without -pthread"},
		{"64-bit memory", module().section(5, seq(u(1), []byte{4}, u(1))).bytes(), fuel.Unsupported, -1, "wasm32, not wasm64"},
		{"small pages", module().section(5, seq(u(1), []byte{8}, u(1), u(1))).bytes(), fuel.Unsupported, -1, "pages of 64 KiB"},
		{"two memories", module().memory(1, 1).memory(1, 1).bytes(), fuel.Unsupported, -1, "one memory"},
		{"atomics", with(op(0xfe, u(0))), fuel.Unsupported, 0, "threads"},
		{"exceptions", with(op(0x08, u(0))), fuel.Unsupported, 0, "exception-handling"},
		{"garbage collection", with(op(0xfb, u(0))), fuel.Unsupported, 0, "gc"},
		{"calls by reference", with(op(0x14, u(0))), fuel.Unsupported, 0, "function-references"},
		{"relaxed vectors", with(op(0xfd, u(0x100))), fuel.Unsupported, 0, "relaxed-simd"},
		{"wide arithmetic", with(misc(19)), fuel.Unsupported, 0, "wide-arithmetic"},
		{"tail calls", with(tailCall(0)), fuel.Unsupported, 0, "-mno-tail-call"},
		{"computed constants", module().section(6, seq(u(1), []byte{0x7f, 0}, i32(1), i32(1), add, end)).bytes(), fuel.Unsupported, -1, "extended-const"},
		{"unknown instruction", with(op(0xff)), fuel.Unsupported, 0, "0xff"},

		{"our global", with(i64(1<<40), setGlobal(1)), fuel.Malformed, 0, "there is no global 1"},
		{"reading our global", with(global(3), drop), fuel.Malformed, 0, "there is no global 3"},
		{"our function", with(call(1)), fuel.Malformed, 0, "there is no function 1"},
		{"our function as a value", with(op(0xd2, u(2)), drop), fuel.Malformed, 0, "there is no function 2"},
		{"our type", with(op(0x02, s(1)), end), fuel.Malformed, 0, "there is no type 1"},
		{"our type for a function", module().section(1, vec()).section(3, vec(u(0))).bytes(), fuel.Malformed, -1, "there is no type 0"},
		{"our memory", with(i32(0), load(0), drop), fuel.Malformed, 0, "there is no memory"},
		{"growing our memory", with(i32(0), memoryGrow(), drop), fuel.Malformed, 0, "there is no memory"},
		{"data in our memory", module().section(11, seq(u(1), []byte{0}, i32(0), end, u(0))).bytes(), fuel.Malformed, -1, "there is no memory"},
		{"our label", with(br(1)), fuel.Malformed, 0, "there is no label 1"},
		{"exporting our global", module().export("g", 3, 0).bytes(), fuel.Malformed, -1, "there is no global 0"},
		{"exporting our memory", module().export("m", 2, 0).bytes(), fuel.Malformed, -1, "there is no memory 0"},
		{"exporting our function", module().fn("", "", "", nop).export("f", 0, 1).bytes(), fuel.Malformed, -1, "there is no func 1"},
		{"starting our function", module().section(8, u(0)).bytes(), fuel.Malformed, -1, "there is no function 0"},
		{"our function in a table", module().table(1, 1).element(1).fn("", "", "", nop).bytes(), fuel.Malformed, -1, "there is no function 1"},
		{"our global in a constant", module().section(6, seq(u(1), []byte{0x7e, 0}, global(1), end)).bytes(), fuel.Malformed, -1, "there is no global 1"},
		{"our names", module().fn("windie.fuel.reserve", "", "", nop).bytes(), fuel.Reserved, -1, "are the host's"},
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
	m := module().fn("", "", "", nop).fn("", "", "", nop, nop, op(0xff)).bytes()
	if err := refusal(t, m, fuel.Options{}); m[err.Offset] != 0xff || err.Func != 1 {
		t.Errorf("offset %d in function %d", err.Offset, err.Func)
	}
}

// TestRewritingTwice is refused, so that no guest brings its own tank.
func TestRewritingTwice(t *testing.T) {
	t.Parallel()
	once, _, err := fuel.Rewrite(module().fn("f", "", "", nop).bytes(), fuel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := refusal(t, once, fuel.Options{}); err.Kind != fuel.Reserved {
		t.Error(err)
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	m := module().
		importFunc("env", "log", "il", "").
		memory(1, -1).table(2, 300_000).
		fn("run", "ifd", "ld", unreachable).
		fn("", "", "", repeat(10, i32(1), op(0xc0), drop)).
		export("mem", 2, 0)
	m.section(0, seq(sized([]byte("producers")), u(0))).section(0, seq(sized([]byte(".debug_line")), u(0)))
	in := m.bytes()
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
		module *builder
		want   string
	}{
		{module().fn("", "", "", nop), ""},
		{module().fn("", "", "ii", unreachable), "multivalue"},
		{module().memory(1, 1).fn("", "", "", i32(0), i32(0), i32(0), misc(11, u(0))), "bulk-memory"},
		{module().fn("", "", "", op(0xd0, []byte{0x6f}), drop), "reference-types"},
		{module().fn("", "", "", i32(1), i32(2), i32(3), op(0x1c, u(1), []byte{0x7f}), drop), "reference-types"},
		{module().fn("", "i", "i", get(0), op(0xc1)), "sign-ext"},
		{module().fn("", "f", "i", get(0), misc(0)), "nontrapping-fptoint"},
		{module().fn("", "", "", op(0xfd, u(12), make([]byte, 16)), drop), "simd128"},
		{module().fn("", "", "", tailCall(0)), "tail-call"},
		{module().section(6, seq(u(1), []byte{0x7f, 0}, i32(1), i32(1), add, end)), "extended-const"},
	} {
		_, report, err := fuel.Rewrite(tt.module.bytes(), opts)
		if err != nil || report.Features.String() != tt.want {
			t.Errorf("%v (%v), want %q", report, err, tt.want)
		}
	}
}

// TestCustomSections keeps those that stay true.
func TestCustomSections(t *testing.T) {
	t.Parallel()
	names := seq([]byte{1}, sized(vec(seq(u(0), sized([]byte("main"))))))
	for _, tt := range []struct {
		name    string
		content []byte
		kept    bool
	}{
		{"name", names, true},
		{"name", seq([]byte{0}, sized(sized([]byte("module"))), names, []byte{2}, sized(vec(seq(u(0), vec(seq(u(0), sized([]byte("x")))))))), true},
		{"name", seq([]byte{1}, sized(u(1<<32-1))), false}, // more names than bytes
		{"name", seq([]byte{0}, sized(u(1<<30))), false},
		{"name", seq([]byte{2}, sized(seq(u(1), u(0), u(1<<30)))), false},
		{"name", append(slices.Clone(names), 7), false},
		{"producers", []byte("clang"), true},
		{"target_features", u(0), true},
		{"windie.manifest", []byte("{}"), true},
		{".debug_info", []byte("x"), false},
		{"reloc.CODE", nil, false},
		{"linking", nil, false},
		{"metadata.code.branch_hint", nil, false},
		{"sourceMappingURL", []byte("x"), false},
	} {
		section := op(0, sized(seq(sized([]byte(tt.name)), tt.content)))
		m := append(module().fn("f", "", "", nop).bytes(), section...)
		out, report, err := fuel.Rewrite(m, fuel.Options{})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if kept := bytes.Contains(out, section); kept != tt.kept || slices.Contains(report.Dropped, tt.name) == kept {
			t.Errorf("%s %q: kept %v, report %q; want kept %v", tt.name, tt.content, kept, report.Dropped, tt.kept)
		}
		if _, err := newRuntime(t).CompileModule(t.Context(), out); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// TestInputIsNotChanged: callers hash the module they gave.
func TestInputIsNotChanged(t *testing.T) {
	t.Parallel()
	in := module().memory(1, -1).fn("f", "", "", loop(call(0), ret)).bytes()
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
		"returns":  module().fn("", "", "", call(0), repeat(100_000, ret)).bytes(),
		"loops":    module().fn("", "", "", repeat(1_000, loop())).bytes(),
		"grows":    module().memory(1, 1).fn("", "", "", i32(0), repeat(100_000, memoryGrow()), drop).bytes(),
		"promises": module().section(1, u(1<<32-1)).bytes(),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, _ = fuel.Rewrite(m, fuel.Options{})
		runtime.ReadMemStats(&after)
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(160*len(m)+64<<10); got > most {
			t.Errorf("%s: %d bytes of memory for %d of module; want at most %d", name, got, len(m), most)
		}
	}
}
