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

// Builder collects the sections of a module and encodes the module.
type Builder struct {
	Types, Imports, Funcs, Tables, Memories, Globals, Exports, Elements, Code, Data [][]byte
	// whole sections of any kind, which Bytes writes last
	Custom        [][]byte
	ImportedFuncs int
	// encoded index of the start function; nil: the module has no start function
	Start []byte
	// write the data count section before the code
	counted bool
}

// Module returns an empty module.
func Module() *Builder { return &Builder{} }

// U returns v as unsigned LEB128.
func U(v int) []byte {
	var b []byte
	for ; v >= 0x80; v >>= 7 {
		b = append(b, byte(v)|0x80)
	}
	return append(b, byte(v))
}

// us returns each number as unsigned LEB128.
func us(list []int) (out [][]byte) {
	for _, v := range list {
		out = append(out, U(v))
	}
	return out
}

// S returns v as signed LEB128.
func S(v int) []byte {
	var b []byte
	for ; v < -0x40 || v > 0x3f; v >>= 7 {
		b = append(b, byte(v)|0x80)
	}
	return append(b, byte(v)&0x7f)
}

// Seq joins parts into one slice of bytes.
func Seq(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// Vec returns a vector: the number of parts, and then the parts.
func Vec(parts ...[]byte) []byte { return append(U(len(parts)), Seq(parts...)...) }

// Sized returns a copy of b with a prefix: the number of bytes in b.
func Sized(b []byte) []byte { return append(U(len(b)), b...) }

// Op returns an instruction: the opcode and its operands.
func Op(code byte, rest ...[]byte) []byte { return append([]byte{code}, Seq(rest...)...) }

// letters are the value types by their letters.
var letters = map[rune]byte{'i': 0x7f, 'l': 0x7e, 'f': 0x7d, 'd': 0x7c}

// valueTypes returns the vector of the value types whose letters are in sig. An unknown letter
// makes the module invalid.
func valueTypes(sig string) []byte {
	out := U(len(sig))
	for _, c := range sig {
		out = append(out, letters[c])
	}
	return out
}

// Sig returns the index of the function type with these parameters and results. If the module lacks
// this type, Sig adds it.
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

// ImportFunc adds an imported function. Call it before Fn, because imported functions have the
// first indexes.
func (m *Builder) ImportFunc(module, name, params, results string) *Builder {
	m.Imports = append(m.Imports, Seq(Sized([]byte(module)), Sized([]byte(name)), []byte{0}, U(m.Sig(params, results))))
	m.ImportedFuncs++
	return m
}

// Fn adds a function that has parameters but no other locals. If name is not empty, Fn also exports
// the function.
func (m *Builder) Fn(name, params, results string, body ...[]byte) *Builder {
	return m.FnLocals(name, params, results, "", body...)
}

// FnLocals does the same as Fn for a function with further locals. locals has one letter for the
// type of each local.
func (m *Builder) FnLocals(name, params, results, locals string, body ...[]byte) *Builder {
	var groups [][]byte
	for _, c := range locals {
		groups = append(groups, []byte{1, letters[c]})
	}
	return m.FnRaw(name, params, results, Seq(Vec(groups...), Seq(body...), End))
}

// FnRaw does the same as Fn for a body that already includes its locals and its end instruction.
func (m *Builder) FnRaw(name, params, results string, body []byte) *Builder {
	m.Funcs = append(m.Funcs, U(m.Sig(params, results)))
	m.Code = append(m.Code, Sized(body))
	if name != "" {
		m.Export(name, 0, m.ImportedFuncs+len(m.Funcs)-1)
	}
	return m
}

// Export exports an item by its kind and index. The kind is 0 for a function, 1 for a table, 2 for
// a memory or 3 for a global.
func (m *Builder) Export(name string, kind byte, index int) *Builder {
	m.Exports = append(m.Exports, Seq(Sized([]byte(name)), []byte{kind}, U(index)))
	return m
}

// limits encodes a minimum and a maximum. A maximum below 0 means no maximum.
func limits(least, most int) []byte {
	if most < 0 {
		return Seq([]byte{0}, U(least))
	}
	return Seq([]byte{1}, U(least), U(most))
}

// Memory adds a memory with a minimum and a maximum size, in pages of 64 KiB. A maximum below 0
// means no maximum.
func (m *Builder) Memory(minimum, maximum int) *Builder {
	m.Memories = append(m.Memories, limits(minimum, maximum))
	return m
}

// Table adds a table of functions with a minimum and a maximum number of entries. A maximum below 0
// means no maximum.
func (m *Builder) Table(minimum, maximum int) *Builder {
	m.Tables = append(m.Tables, Seq([]byte{0x70}, limits(minimum, maximum)))
	return m
}

// Global adds a mutable global of type i32 with the initial value v.
func (m *Builder) Global(v int) *Builder {
	m.Globals = append(m.Globals, Seq([]byte{0x7f, 1}, I32(v), End))
	return m
}

// Element puts functions into the first entries of table 0 when the module is instantiated. fns has
// the indexes of the functions.
func (m *Builder) Element(fns ...int) *Builder {
	m.Elements = append(m.Elements, Seq([]byte{0}, I32(0), End, Vec(us(fns)...)))
	return m
}

// Section adds a section. Bytes writes it after the other sections. content begins with the number
// of the section's entries.
func (m *Builder) Section(id byte, content []byte) *Builder {
	m.Custom = append(m.Custom, Op(id, Sized(content)))
	return m
}

// Text puts a text into the memory at offset when the module is instantiated.
func (m *Builder) Text(offset int, text string) *Builder {
	m.Data = append(m.Data, Seq([]byte{0}, I32(offset), End, Sized([]byte(text))))
	return m
}

// Passive adds a data segment that the instruction memory.init can copy into the memory.
func (m *Builder) Passive(text string) *Builder {
	m.Data = append(m.Data, Seq([]byte{1}, Sized([]byte(text))))
	m.counted = true
	return m
}

const startSection = 8 // the only section that is not a vector

// Bytes returns the encoded module.
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
