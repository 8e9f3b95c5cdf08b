package fuel_test

import (
	"bytes"
	"slices"
)

// This file builds modules from bytes that read almost as the text format:
//
//	module().memory(1, 1).
//		fn("spin", "", "", seq(loop(br(0)))).
//		bytes()
//
// Signatures are letters: i for i32, l for i64, f for f32, d for f64.

// builder collects the sections of a module.
type builder struct {
	types, imports, funcs, tables, memories, globals, exports, elements, code, data [][]byte
	custom                                                                          [][]byte // whole sections, put last
	importedFuncs                                                                   int
}

func module() *builder { return &builder{} }

// u is v as unsigned LEB128, s as signed.
func u(v int) []byte {
	var b []byte
	for ; v >= 0x80; v >>= 7 {
		b = append(b, byte(v)|0x80)
	}
	return append(b, byte(v))
}

func s(v int) []byte {
	var b []byte
	for ; v < -0x40 || v > 0x3f; v >>= 7 {
		b = append(b, byte(v)|0x80)
	}
	return append(b, byte(v)&0x7f)
}

// seq joins what follows each other.
func seq(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// vec is a vector: the count and the parts.
func vec(parts ...[]byte) []byte { return append(u(len(parts)), seq(parts...)...) }

// sized is b with its size.
func sized(b []byte) []byte { return append(u(len(b)), b...) }

// op is an instruction with what follows its opcode.
func op(code byte, rest ...[]byte) []byte { return append([]byte{code}, seq(rest...)...) }

// letters are value types by their letter.
var letters = map[rune]byte{'i': 0x7f, 'l': 0x7e, 'f': 0x7d, 'd': 0x7c}

func valueTypes(sig string) []byte {
	out := u(len(sig))
	for _, c := range sig {
		out = append(out, letters[c])
	}
	return out
}

// Instructions.
var (
	nop, unreachable, ret, drop, end = op(0x01), op(0x00), op(0x0f), op(0x1a), op(0x0b)
	add, sub, mul, ltU               = op(0x6a), op(0x6b), op(0x6c), op(0x49)
)

func block(body ...[]byte) []byte { return op(0x02, []byte{0x40}, seq(body...), end) }
func loop(body ...[]byte) []byte  { return op(0x03, []byte{0x40}, seq(body...), end) }
func when(body ...[]byte) []byte  { return op(0x04, []byte{0x40}, seq(body...), end) }
func br(label int) []byte         { return op(0x0c, u(label)) }
func brIf(label int) []byte       { return op(0x0d, u(label)) }
func call(fn int) []byte          { return op(0x10, u(fn)) }
func tailCall(fn int) []byte      { return op(0x12, u(fn)) }
func get(local int) []byte        { return op(0x20, u(local)) }
func set(local int) []byte        { return op(0x21, u(local)) }
func tee(local int) []byte        { return op(0x22, u(local)) }
func global(g int) []byte         { return op(0x23, u(g)) }
func setGlobal(g int) []byte      { return op(0x24, u(g)) }
func i32(v int) []byte            { return op(0x41, s(v)) }
func i64(v int) []byte            { return op(0x42, s(v)) }
func load(offset int) []byte      { return op(0x28, u(2), u(offset)) }
func store(offset int) []byte     { return op(0x36, u(2), u(offset)) }
func memoryGrow() []byte          { return op(0x40, u(0)) }
func misc(code int, rest ...[]byte) []byte {
	return op(0xfc, u(code), seq(rest...))
}

// brTable jumps to one of labels, else to the last.
func brTable(labels ...int) []byte {
	var b [][]byte
	for _, l := range labels {
		b = append(b, u(l))
	}
	return op(0x0e, u(len(b)-1), seq(b...))
}

// repeat is body n times.
func repeat(n int, body ...[]byte) []byte { return bytes.Repeat(seq(body...), n) }

// sig returns the index of a type, adding it if need be.
func (m *builder) sig(params, results string) int {
	t := op(0x60, valueTypes(params), valueTypes(results))
	for i, known := range m.types {
		if bytes.Equal(known, t) {
			return i
		}
	}
	m.types = append(m.types, t)
	return len(m.types) - 1
}

// importFunc adds an imported function; call it before fn.
func (m *builder) importFunc(module, name, params, results string) *builder {
	m.imports = append(m.imports, seq(sized([]byte(module)), sized([]byte(name)), []byte{0}, u(m.sig(params, results))))
	m.importedFuncs++
	return m
}

// fn adds a function without locals of its own, and exports it if it has a name.
func (m *builder) fn(name, params, results string, body ...[]byte) *builder {
	return m.fnLocals(name, params, results, "", body...)
}

// fnLocals adds a function with locals.
func (m *builder) fnLocals(name, params, results, locals string, body ...[]byte) *builder {
	var groups [][]byte
	for _, c := range locals {
		groups = append(groups, []byte{1, letters[c]})
	}
	return m.fnRaw(name, params, results, seq(vec(groups...), seq(body...), end))
}

// fnRaw adds a function whose body is given with locals and end.
func (m *builder) fnRaw(name, params, results string, body []byte) *builder {
	m.funcs = append(m.funcs, u(m.sig(params, results)))
	m.code = append(m.code, sized(body))
	if name != "" {
		m.export(name, 0, m.importedFuncs+len(m.funcs)-1)
	}
	return m
}

func (m *builder) export(name string, kind byte, index int) *builder {
	m.exports = append(m.exports, seq(sized([]byte(name)), []byte{kind}, u(index)))
	return m
}

// limits with a maximum below 0 have none.
func limits(least, most int) []byte {
	if most < 0 {
		return seq([]byte{0}, u(least))
	}
	return seq([]byte{1}, u(least), u(most))
}

func (m *builder) memory(least, most int) *builder {
	m.memories = append(m.memories, limits(least, most))
	return m
}

func (m *builder) table(least, most int) *builder {
	m.tables = append(m.tables, seq([]byte{0x70}, limits(least, most)))
	return m
}

// global adds a mutable i32.
func (m *builder) global(v int) *builder {
	m.globals = append(m.globals, seq([]byte{0x7f, 1}, i32(v), end))
	return m
}

// element puts functions in table 0 from the start.
func (m *builder) element(fns ...int) *builder {
	var list [][]byte
	for _, f := range fns {
		list = append(list, u(f))
	}
	m.elements = append(m.elements, seq([]byte{0}, i32(0), end, vec(list...)))
	return m
}

// section appends a section; one of a raw kind brings no count.
func (m *builder) section(id byte, content []byte) *builder {
	m.custom = append(m.custom, op(id, sized(content)))
	return m
}

// bytes returns the module.
func (m *builder) bytes() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	for _, x := range []struct {
		id    byte
		parts [][]byte
	}{
		{1, m.types}, {2, m.imports}, {3, m.funcs}, {4, m.tables}, {5, m.memories}, {6, m.globals},
		{7, m.exports}, {9, m.elements}, {10, m.code}, {11, m.data},
	} {
		if len(x.parts) > 0 {
			out = append(out, op(x.id, sized(vec(x.parts...)))...)
		}
	}
	return slices.Concat(out, seq(m.custom...))
}
