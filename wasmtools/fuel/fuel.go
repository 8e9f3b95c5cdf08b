package fuel

import "bytes"

// pass is the rewriting of one module.
type pass struct {
	opts   Options
	b      []byte // the module
	report Report

	features   Features
	types      []funcType
	funcs      []uint32 // type indices of all functions, imported ones first
	globals    int      // number of globals, imported ones included
	state      []uint32 // the module's own mutable globals
	elements   uint64   // number of elements in all segments so far
	hosted     bool     // a table may contain an imported function
	addedTypes uint32   // index of the first added type
	emit       emitter
	body       body
	scratch    []byte // buffer for the body of a rewritten function
}

// Rewrite returns a copy of module that counts fuel and has limits, and a report on the module's
// contents. Until its fuel or its call depth is used up, the copy computes the same results as
// module. The error is an *Error. Rewrite does not change module, so callers may share it. Rewrite
// needs time and memory in proportion to the size of module.
func Rewrite(module []byte, opts Options) ([]byte, *Report, error) {
	p := &pass{opts: opts.withDefaults(), b: module}
	p.report.Costliest = -1
	p.body.p = p
	out, err := p.rewrite()
	if err != nil {
		return nil, nil, err
	}
	p.report.Features = p.features
	p.report.BytesBefore, p.report.BytesAfter = len(module), len(out)
	return out, &p.report, nil
}

// rewrite writes the module section by section. Its error is an *Error.
func (p *pass) rewrite() ([]byte, error) {
	if err := p.header(); err != nil {
		return nil, err
	}
	sections, err := p.sections()
	if err != nil {
		return nil, err
	}
	out := append(make([]byte, 0, len(p.b)+len(p.b)/2+1024), p.b[:headerBytes]...)
	var content []byte
	for _, s := range sections {
		content = p.section(s, content[:0])
		if s.r.err == nil && s.r.pos != s.r.end {
			s.r.fail(Malformed, s.r.pos, "the section has extra bytes after its content")
		}
		if s.r.err != nil {
			return nil, s.r.err
		}
		if len(content) > 0 {
			out = appendSized(append(out, s.id), content)
		}
	}
	return out, nil
}

// headerBytes is the size of "\0asm" and a version. In a component the version's second half, the
// layer, is 1 (section 5.5.16; component model, Binary.md).
const headerBytes = 8

// magic is the beginning of each WebAssembly module and component.
var magic = []byte("\x00asm")

// header checks the size of the module and its first bytes. Its error is an *Error.
func (p *pass) header() error {
	fail := func(kind Kind, at int, message, advice string) error {
		return &Error{Kind: kind, Offset: at, Func: -1, Message: message, Advice: advice}
	}
	r := &reader{b: p.b, end: len(p.b), fn: -1}
	r.limit(uint64(len(p.b)), p.opts.Limits.ModuleBytes, "bytes in a module", 0)
	switch {
	case r.err != nil:
		return r.err
	case !bytes.HasPrefix(p.b, magic) && !bytes.HasPrefix(magic, p.b) || len(p.b) == 0:
		return fail(NotModule, 0, "the file is not a WebAssembly module", "give the .wasm file that the compiler writes, not text, source or an archive")
	case len(p.b) < headerBytes:
		return fail(Truncated, len(p.b), "the module ends within its header", "copy it again")
	case p.b[6] == 1 && p.b[7] == 0:
		return fail(Component, 6, "the file is a component, not a core module", "build for wasm32-wasip1, or for wasm32-unknown-unknown with a plugin kit: docs/plugin-reference.md#components")
	case !bytes.Equal(p.b[4:headerBytes], []byte{1, 0, 0, 0}):
		return fail(NotModule, 4, "the module has an unknown version", "build for WebAssembly 2.0")
	}
	return nil
}

// functions returns the number of functions, imported ones included.
func (p *pass) functions() int { return len(p.funcs) }

// pages returns the maximum size of the module's memory in pages, or 0 if it has none.
func (p *pass) pages() uint32 {
	if len(p.report.Memories) == 0 {
		return 0
	}
	return p.report.Memories[0].Imposed
}

// need records a feature of the module. If the feature is not allowed, need refuses the module.
func (p *pass) need(r *reader, f Features, at int) {
	const always = MultiValue | BulkMemory | ReferenceTypes | SignExtension | SaturatingConversions | SIMD
	if f&^(always|p.opts.Allow) != 0 {
		r.refuse(f, at)
	}
	p.features |= f
}
