package fuel

// globalSection reads the globals and appends the added ones.
func (p *pass) globalSection(r *reader, out []byte) []byte {
	n := r.count(4, p.opts.Limits.Globals, "globals")
	from := r.pos
	for i := uint32(0); i < n && r.err == nil; i++ {
		t, mutable := p.globalType(r)
		p.constant(r)
		switch {
		case !mutable:
		case t == typeV128 || t == typeFuncref || t == typeExternref:
			p.report.Lasting |= LastingGlobals
		default:
			p.state = append(p.state, uint32(p.globals))
		}
		p.globals++
	}
	out = append(appendU32(out, n+addedGlobals), r.b[from:r.pos]...)
	start := map[int]int64{reserveGlobal: p.opts.StartFuel, depthGlobal: int64(p.opts.Limits.CallDepth)}
	for g := range addedGlobals {
		switch g {
		case stopGlobal, reasonGlobal, destinationGlobal, sourceGlobal, countGlobal:
			out = i32Const(append(out, typeI32, 1), 0)
		default:
			out = i64Const(append(out, typeI64, 1), start[g])
		}
		out = append(out, opEnd)
	}
	return out
}

// globalType reads the type of a global, and refuses shared globals.
func (p *pass) globalType(r *reader) (t byte, mutable bool) {
	t = p.valueType(r)
	at := r.pos
	flags := r.byte()
	switch {
	case flags&2 != 0:
		r.refuse(Threads, at)
	case flags > 1:
		r.fail(Malformed, at, "invalid mutability 0x%02x of a global; expected 0 or 1", flags)
	}
	return t, flags == 1
}

// constant reads a constant expression, which may refer to globals before it.
func (p *pass) constant(r *reader) {
	for r.err == nil {
		at := r.pos
		switch op := r.byte(); op {
		case opEnd:
			return
		case opI32Const:
			r.signed(32)
		case opI64Const:
			r.signed(64)
		case opF32Const:
			r.take(4)
		case opF64Const:
			r.take(8)
		case opGlobalGet:
			r.index(p.globals, "global")
		case opRefNull:
			p.referenceType(r)
		case opRefFunc:
			p.features |= ReferenceTypes
			p.refer(r.index(p.functions(), "function"))
		case opI32Add, opI32Sub, opI32Mul, opI64Add, opI64Sub, opI64Mul:
			p.need(r, ExtendedConst, at)
		case opVector:
			p.features |= SIMD
			if r.u32() != opV128Const {
				r.fail(Malformed, at, "a constant has an instruction that computes")
			}
			r.take(16)
		default:
			r.fail(Malformed, at, "a constant has an instruction that computes")
		}
	}
}

// elementSection reads the segments of elements (binary format, section
// 5.5.12). Bit 0 of a segment's flags is set if the segment is not active. Bit 1
// is set if it names a table or is declarative. Bit 2 is set if it has expressions.
func (p *pass) elementSection(r *reader) {
	for n := r.count(2, p.opts.Limits.Segments, "segments of elements"); n > 0 && r.err == nil; n-- {
		at := r.pos
		flags := r.u32()
		switch {
		case flags > 7:
			r.fail(Malformed, at, "unknown flags %d of elements", flags)
		case flags&1 != 0:
			p.features |= BulkMemory
		default:
			p.activeTable(r, flags&2 != 0)
			p.constant(r)
		}
		if flags&3 != 0 {
			p.elementKind(r, flags&4 != 0)
		}
		p.elementList(r, flags&4 != 0)
	}
}

// activeTable reads the index of a table if given is true; otherwise the table is 0.
func (p *pass) activeTable(r *reader, given bool) {
	switch {
	case given:
		r.index(len(p.report.Tables), "table")
	case len(p.report.Tables) == 0:
		r.fail(Malformed, r.pos, "the module has no table")
	}
}

// elementKind reads the kind of elements: a reference type, or 0 for functions.
func (p *pass) elementKind(r *reader, typed bool) {
	if typed {
		p.referenceType(r)
		return
	}
	at := r.pos
	if r.byte() != 0 {
		r.fail(Malformed, at, "unknown kind of elements")
	}
}

// elementList reads the functions of an element segment: expressions, or indices.
func (p *pass) elementList(r *reader, expressions bool) {
	at := r.pos
	n := r.count(1, p.opts.Limits.Elements, "elements")
	p.elements += uint64(n)
	r.limit(p.elements, p.opts.Limits.Elements, "elements", at)
	for ; n > 0 && r.err == nil; n-- {
		if expressions {
			p.constant(r)
		} else {
			p.refer(r.index(p.functions(), "function"))
		}
	}
}

// refer records that a table may contain the function fn. Code can put only those functions into a table
// that an element, a constant or an export names.
func (p *pass) refer(fn uint32) {
	p.hosted = p.hosted || int(fn) < p.report.ImportedFunctions
}

// dataSection checks the data section and skips its bytes.
func (p *pass) dataSection(r *reader) {
	for n := r.count(2, p.opts.Limits.Segments, "segments of data"); n > 0 && r.err == nil; n-- {
		at := r.pos
		switch flags := r.u32(); {
		case flags > 2:
			r.fail(Malformed, at, "unknown flags %d of data", flags)
		case flags == 1:
			p.features |= BulkMemory
		default:
			if flags == 2 && r.u32() != 0 {
				r.refuse(MultiMemory, at)
			}
			if len(p.report.Memories) == 0 {
				r.fail(Malformed, at, "the module has no memory")
			}
			p.constant(r)
		}
		r.take(r.u32())
	}
}
