// Package wasmtest builds WebAssembly modules for tests, almost as in the text format:
//
//	w.Module().Memory(1, 1).
//		Fn("spin", "", "", w.Loop(w.Br(0))).
//		Bytes()
//
// Signatures are letters: i for i32, l for i64, f for f32, d for f64. Modules may be invalid.
package wasmtest

import (
	"bytes"
	"slices"
)

// Builder collects the sections of a module.
type Builder struct {
	Types, Imports, Funcs, Tables, Memories, Globals, Exports, Elements, Code, Data [][]byte
	Custom                                                                          [][]byte // whole sections, put last
	ImportedFuncs                                                                   int
	Start                                                                           []byte // the index of a function
	counted                                                                         bool   // the data is counted before the code
}

// Module returns a module without anything in it.
func Module() *Builder { return &Builder{} }

// U is v as unsigned LEB128.
func U(v int) []byte {
	var b []byte
	for ; v >= 0x80; v >>= 7 {
		b = append(b, byte(v)|0x80)
	}
	return append(b, byte(v))
}

func us(list []int) (out [][]byte) {
	for _, v := range list {
		out = append(out, U(v))
	}
	return out
}

// S is v as signed LEB128.
func S(v int) []byte {
	var b []byte
	for ; v < -0x40 || v > 0x3f; v >>= 7 {
		b = append(b, byte(v)|0x80)
	}
	return append(b, byte(v)&0x7f)
}

// Seq joins what follows each other.
func Seq(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// Vec is a vector: the count and the parts.
func Vec(parts ...[]byte) []byte { return append(U(len(parts)), Seq(parts...)...) }

// Sized is b with its size.
func Sized(b []byte) []byte { return append(U(len(b)), b...) }

// Op is an instruction with what follows its opcode.
func Op(code byte, rest ...[]byte) []byte { return append([]byte{code}, Seq(rest...)...) }

// letters are value types by their letter.
var letters = map[rune]byte{'i': 0x7f, 'l': 0x7e, 'f': 0x7d, 'd': 0x7c}

func valueTypes(sig string) []byte {
	out := U(len(sig))
	for _, c := range sig {
		out = append(out, letters[c])
	}
	return out
}

// Sig returns the index of a type, adding it if need be.
func (m *Builder) Sig(params, results string) int {
	t := Op(0x60, valueTypes(params), valueTypes(results))
	for i, known := range m.Types {
		if bytes.Equal(known, t) {
			return i
		}
	}
	m.Types = append(m.Types, t)
	return len(m.Types) - 1
}

// ImportFunc adds an imported function; call it before Fn.
func (m *Builder) ImportFunc(module, name, params, results string) *Builder {
	m.Imports = append(m.Imports, Seq(Sized([]byte(module)), Sized([]byte(name)), []byte{0}, U(m.Sig(params, results))))
	m.ImportedFuncs++
	return m
}

// Fn adds a function without locals of its own, and exports it if it has a name.
func (m *Builder) Fn(name, params, results string, body ...[]byte) *Builder {
	return m.FnLocals(name, params, results, "", body...)
}

// FnLocals adds a function with locals.
func (m *Builder) FnLocals(name, params, results, locals string, body ...[]byte) *Builder {
	var groups [][]byte
	for _, c := range locals {
		groups = append(groups, []byte{1, letters[c]})
	}
	return m.FnRaw(name, params, results, Seq(Vec(groups...), Seq(body...), End))
}

// FnRaw adds a function whose body is given with locals and end.
func (m *Builder) FnRaw(name, params, results string, body []byte) *Builder {
	m.Funcs = append(m.Funcs, U(m.Sig(params, results)))
	m.Code = append(m.Code, Sized(body))
	if name != "" {
		m.Export(name, 0, m.ImportedFuncs+len(m.Funcs)-1)
	}
	return m
}

// Export exports a function (0), table (1), memory (2) or global (3).
func (m *Builder) Export(name string, kind byte, index int) *Builder {
	m.Exports = append(m.Exports, Seq(Sized([]byte(name)), []byte{kind}, U(index)))
	return m
}

// limits with a maximum below 0 have none.
func limits(least, most int) []byte {
	if most < 0 {
		return Seq([]byte{0}, U(least))
	}
	return Seq([]byte{1}, U(least), U(most))
}

// Memory adds a memory, in pages of 64 KiB.
func (m *Builder) Memory(least, most int) *Builder {
	m.Memories = append(m.Memories, limits(least, most))
	return m
}

// Table adds a table of functions.
func (m *Builder) Table(least, most int) *Builder {
	m.Tables = append(m.Tables, Seq([]byte{0x70}, limits(least, most)))
	return m
}

// Global adds a mutable i32.
func (m *Builder) Global(v int) *Builder {
	m.Globals = append(m.Globals, Seq([]byte{0x7f, 1}, I32(v), End))
	return m
}

// Element puts functions in table 0 from the start.
func (m *Builder) Element(fns ...int) *Builder {
	m.Elements = append(m.Elements, Seq([]byte{0}, I32(0), End, Vec(us(fns)...)))
	return m
}

// Section appends a whole section, with its count.
func (m *Builder) Section(id byte, content []byte) *Builder {
	m.Custom = append(m.Custom, Op(id, Sized(content)))
	return m
}

// Text puts a text into the memory from the start.
func (m *Builder) Text(offset int, text string) *Builder {
	m.Data = append(m.Data, Seq([]byte{0}, I32(offset), End, Sized([]byte(text))))
	return m
}

// Passive adds data that memory.init copies.
func (m *Builder) Passive(text string) *Builder {
	m.Data = append(m.Data, Seq([]byte{1}, Sized([]byte(text))))
	m.counted = true
	return m
}

const startSection = 8 // the one that is no vector

// Bytes returns the module.
func (m *Builder) Bytes() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	for _, x := range []struct {
		id    byte
		parts [][]byte
	}{
		{1, m.Types}, {2, m.Imports}, {3, m.Funcs}, {4, m.Tables}, {5, m.Memories}, {6, m.Globals},
		{7, m.Exports}, {8, [][]byte{m.Start}}, {9, m.Elements}, {10, m.Code}, {11, m.Data},
	} {
		if x.id == 10 && m.counted {
			out = append(out, Op(12, Sized(U(len(m.Data))))...)
		}
		if x.id == startSection && m.Start != nil {
			out = append(out, Op(x.id, Sized(m.Start))...)
		} else if x.id != startSection && len(x.parts) > 0 {
			out = append(out, Op(x.id, Sized(Vec(x.parts...)))...)
		}
	}
	return slices.Concat(out, Seq(m.Custom...))
}
