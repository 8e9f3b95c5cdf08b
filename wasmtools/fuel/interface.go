package fuel

import (
	"math"
	"strconv"
	"strings"
)

// importSection reads the imports. They do not change.
func (p *pass) importSection(r *reader) {
	for n := r.count(4, p.opts.Limits.Imports, "imports"); n > 0 && r.err == nil; n-- {
		i := Import{Module: r.name(), Name: r.name()}
		at := r.pos
		i.Type = ExternType(r.byte())
		switch i.Type {
		case ExternFunc:
			t := r.index(len(p.types), "type")
			if r.err == nil {
				p.funcs = append(p.funcs, t)
				i.Signature = p.types[t].String()
			}
			p.report.ImportedFunctions++
		case ExternTable:
			p.table(r, true)
		case ExternMemory:
			p.memory(r, true)
		case ExternGlobal:
			p.globalType(r)
			p.globals++
		case 4:
			r.refuse(Exceptions, at)
		default:
			r.fail(Malformed, at, "unknown kind %d of imports", i.Type)
		}
		p.report.Imports = append(p.report.Imports, i)
	}
}

// exportSection reads the exports, and appends the added globals and the module's mutable globals.
func (p *pass) exportSection(r *reader, out []byte) []byte {
	n := r.count(3, p.opts.Limits.Exports, "exports")
	from := r.pos
	for i := uint32(0); i < n && r.err == nil; i++ {
		p.export(r)
	}
	out = append(appendU32(out, n+exportedGlobals+uint32(len(p.state))), r.b[from:r.pos]...)
	for i, g := range p.state {
		name := statePrefix + strconv.Itoa(i)
		p.report.State = append(p.report.State, name)
		out = appendU32(append(appendName(out, name), byte(ExternGlobal)), g)
	}
	for i, name := range globalNames {
		out = append(appendName(out, name), byte(ExternGlobal))
		out = appendU32(out, uint32(p.globals+i))
	}
	return out
}

// export reads an export. Its index must be one of the module's own.
func (p *pass) export(r *reader) {
	at := r.pos
	e := Export{Name: r.name()}
	if strings.HasPrefix(e.Name, reservedPrefix) {
		r.fail(Reserved, at, "the module exports %q", e.Name)
		r.err.Advice = "names that begin with " + reservedPrefix + " are the host's; use another, and give the module as it was before the host rewrote it"
	}
	at = r.pos
	e.Type = ExternType(r.byte())
	owns := map[ExternType]int{
		ExternFunc: p.functions(), ExternTable: len(p.report.Tables),
		ExternMemory: len(p.report.Memories), ExternGlobal: p.globals,
	}
	n, known := owns[e.Type]
	if !known {
		r.fail(Malformed, at, "unknown kind %d of exports", e.Type)
	}
	e.Index = r.index(n, e.Type.String())
	if r.err == nil && e.Type == ExternFunc {
		p.refer(e.Index)
		e.Signature = p.types[p.funcs[e.Index]].String()
	}
	p.report.Exports = append(p.report.Exports, e)
}

// memorySection reads the memory and sets its maximum. A module without a memory gets an empty one,
// which slow needs.
func (p *pass) memorySection(r *reader, out []byte) []byte {
	n := r.count(2, len(r.b), "memories")
	for i := n; i > 0 && r.err == nil; i-- {
		p.memory(r, false)
	}
	if len(p.report.Memories) == 0 {
		return append(out, 1, 1, 0, 0)
	}
	if n == 0 {
		return out
	}
	return appendLimits(append(out, 1), p.report.Memories[0])
}

// memory reads the limits of the module's memory, and refuses a second one.
func (p *pass) memory(r *reader, imported bool) {
	at := r.pos
	e := p.extent(r, imported, maxPages, p.opts.Limits.MemoryPages, "pages of memory at the start")
	if p.report.Memories = append(p.report.Memories, e); len(p.report.Memories) > 1 {
		r.refuse(MultiMemory, at)
	}
}

// tableSection reads the tables and sets their maxima.
func (p *pass) tableSection(r *reader, out []byte) []byte {
	n := r.count(3, p.opts.Limits.Tables, "tables")
	out = appendU32(out, n)
	for ; n > 0 && r.err == nil; n-- {
		out = append(out, p.table(r, false))
		out = appendLimits(out, p.report.Tables[len(p.report.Tables)-1])
	}
	return out
}

// table reads the type of a table and returns the type of its entries.
func (p *pass) table(r *reader, imported bool) byte {
	at := r.pos
	t := r.byte()
	switch t {
	case typeFuncref:
	case blockVoid:
		r.refuse(FunctionReferences, at) // a table with an initial value
	default:
		r.pos = at
		p.referenceType(r)
	}
	e := p.extent(r, imported, math.MaxUint32, p.opts.Limits.TableEntries, "entries of a table at the start")
	p.report.Tables = append(p.report.Tables, e)
	r.limit(uint64(len(p.report.Tables)), p.opts.Limits.Tables, "tables", at)
	return t
}

// extent reads the limits of a memory or a table. largest is the highest number that the format
// allows. impose becomes the maximum, unless the memory or table is imported.
func (p *pass) extent(r *reader, imported bool, largest, impose uint32, what string) Extent {
	at := r.pos
	switch flags := r.byte(); {
	case flags&2 != 0:
		r.refuse(Threads, at)
	case flags&4 != 0:
		r.refuse(Memory64, at)
	case flags&8 != 0:
		r.refuse(CustomPageSizes, at)
	case flags > 1:
		r.fail(Malformed, at, "unknown limits 0x%02x", flags)
	}
	e := Extent{Imported: imported, Bounded: r.err == nil && r.b[at] == 1, Min: r.u32(), Imposed: largest}
	if e.Bounded {
		e.Max = r.u32()
		e.Imposed = e.Max
	}
	if e.Imposed > largest || e.Min > e.Imposed {
		r.fail(Malformed, at, "the maximum is below the minimum or above the allowed size")
	}
	r.limit(uint64(e.Min), int(impose), what, at)
	if !imported {
		e.Imposed = min(e.Imposed, impose)
	}
	return e
}

// appendLimits appends the limits of e, with the maximum that the pass imposes.
func appendLimits(out []byte, e Extent) []byte {
	return appendU32(appendU32(append(out, 1), e.Min), e.Imposed)
}
