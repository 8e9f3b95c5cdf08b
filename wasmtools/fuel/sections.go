package fuel

import "slices"

// Sections by their ids (binary format, section 5.5.2).
const (
	customSection    = 0
	typeSection      = 1
	importSection    = 2
	functionSection  = 3
	tableSection     = 4
	memorySection    = 5
	globalSection    = 6
	exportSection    = 7
	startSection     = 8
	elementSection   = 9
	codeSection      = 10
	dataSection      = 11
	dataCountSection = 12
	tagSection       = 13 // of exceptions
)

// sectionOrder lists the sections in their required order.
var sectionOrder = []byte{
	typeSection, importSection, functionSection, tableSection, memorySection, globalSection,
	exportSection, startSection, elementSection, dataCountSection, codeSection, dataSection,
}

// written lists the sections that a rewritten module always has.
var written = []byte{typeSection, functionSection, memorySection, globalSection, exportSection, codeSection}

// section is a section of the module, or an empty one for the pass to fill.
type section struct {
	id byte
	r  *reader
}

// sections finds the module's sections in order, and adds empty ones for the pass to fill.
func (p *pass) sections() ([]section, error) {
	var list []section
	last := -1 // index in sectionOrder of the last section
	r := &reader{b: p.b, pos: headerBytes, end: len(p.b), fn: -1}
	for r.pos < r.end {
		at := r.pos
		id := r.byte()
		content := r.part(r.u32(), -1)
		place := slices.Index(sectionOrder, id)
		switch {
		case id == tagSection:
			r.refuse(Exceptions, at)
		case id != customSection && place < 0:
			r.fail(Malformed, at, "unknown section %d", id)
		case id != customSection && place <= last:
			r.fail(Malformed, at, "section %d is out of order or appears twice", id)
		}
		if r.err != nil {
			return nil, r.err
		}
		if id != customSection {
			list = addEmpty(list, last+1, place)
			last = place
		}
		list = append(list, section{id, content})
	}
	return addEmpty(list, last+1, len(sectionOrder)), nil
}

// addEmpty appends an empty section for each entry of written between the places first and end of
// sectionOrder.
func addEmpty(list []section, first, end int) []section {
	for _, id := range sectionOrder[first:max(first, end)] {
		if slices.Contains(written, id) {
			list = append(list, section{id, &reader{b: []byte{0}, end: 1, fn: -1}})
		}
	}
	return list
}

// section reads a section, and appends its rewritten form. A dropped section appends nothing.
func (p *pass) section(s section, out []byte) []byte {
	from := s.r.pos
	switch s.id {
	case customSection:
		return p.customSection(s.r, out)
	case typeSection:
		return p.typeSection(s.r, out)
	case functionSection:
		return p.functionSection(s.r, out)
	case tableSection:
		return p.tableSection(s.r, out)
	case memorySection:
		return p.memorySection(s.r, out)
	case globalSection:
		return p.globalSection(s.r, out)
	case exportSection:
		return p.exportSection(s.r, out)
	case codeSection:
		return p.codeSection(s.r, out)
	case importSection:
		p.importSection(s.r)
	case startSection:
		s.r.index(p.functions(), "function")
		p.report.HasStart = true
	case elementSection:
		p.elementSection(s.r)
	case dataCountSection:
		s.r.u32()
	case dataSection:
		p.dataSection(s.r)
	}
	return append(out, s.r.b[from:s.r.pos]...)
}

// functionSection reads the types of functions and appends those of the added functions.
func (p *pass) functionSection(r *reader, out []byte) []byte {
	n := r.count(1, p.opts.Limits.Functions, "functions")
	from := r.pos
	p.report.Functions = int(n)
	for i := uint32(0); i < n && r.err == nil; i++ {
		p.funcs = append(p.funcs, r.index(len(p.types), "type"))
	}
	out = append(appendU32(out, n+addedFunctions), r.b[from:r.pos]...)
	for _, t := range [addedFunctions]uint32{slowType, payType, rangeType, rangeType} {
		out = appendU32(out, p.addedTypes+t)
	}
	return out
}

// codeSection reads the functions and appends them with their edits.
func (p *pass) codeSection(r *reader, out []byte) []byte {
	at := r.pos
	n := r.count(1, p.opts.Limits.Functions, "functions")
	if int(n) != p.report.Functions {
		r.fail(Malformed, at, "%d functions have code, but %d have a type", n, p.report.Functions)
		return out
	}
	p.emit = emitter{globals: uint32(p.globals), functions: uint32(p.functions())}
	p.report.Visit = p.emit.functions + slowFunc
	out = appendU32(out, n+addedFunctions)
	for i := 0; i < int(n) && r.err == nil; i++ {
		out = p.function(r, p.report.ImportedFunctions+i, out)
	}
	for _, added := range [addedFunctions][]byte{p.emit.slow(), p.emit.pay(), p.emit.fill(), p.emit.copy()} {
		out = appendSized(out, added)
	}
	return out
}

// function reads a function with its size and appends it with its edits.
func (p *pass) function(r *reader, index int, out []byte) []byte {
	code := r.part(r.u32(), index)
	if r.err != nil {
		return out
	}
	t := p.types[p.funcs[index]]
	if r.err = p.body.read(code, t); r.err != nil {
		return out
	}
	p.report.CompileWork += p.body.compileWork()
	if code.limit(p.report.CompileWork, p.opts.Limits.CompileWork, "steps to compile the functions so far", code.pos); code.err != nil {
		r.err = code.err
		return out
	}
	if cost := p.body.cost(); p.report.Costliest < 0 || cost > p.report.CostliestFuel {
		p.report.Costliest, p.report.CostliestFuel = index, cost
	}
	p.scratch = p.emit.function(p.scratch[:0], &p.body, t)
	return appendSized(out, p.scratch)
}
