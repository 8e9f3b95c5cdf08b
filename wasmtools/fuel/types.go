package fuel

// funcType is the part of a function's type that the pass needs.
type funcType struct {
	params, results int
	text            []byte // parameters, then results, one byte each
	resultBlock     int64  // block type of a block with the same results
}

// Types of values (binary format, section 5.3).
const (
	typeI32       = 0x7f
	typeI64       = 0x7e
	typeF32       = 0x7d
	typeF64       = 0x7c
	typeV128      = 0x7b
	typeFuncref   = 0x70
	typeExternref = 0x6f
	typeFunction  = 0x60 // first byte of a function type
)

// valueType reads a value type, and notes the features that it needs.
func (p *pass) valueType(r *reader) byte {
	at := r.pos
	switch t := r.byte(); {
	case t <= typeI32 && t >= typeF64:
		return t
	case t == typeV128:
		p.features |= SIMD
		return t
	default:
		r.pos = at
		return p.referenceType(r)
	}
}

// referenceType reads a reference type. It refuses those of unsupported proposals by name.
func (p *pass) referenceType(r *reader) byte {
	at := r.pos
	t := r.byte()
	switch {
	case r.err != nil:
	case t == typeFuncref || t == typeExternref:
		p.features |= ReferenceTypes
	case t == 0x63 || t == 0x64:
		r.refuse(FunctionReferences, at)
	case t == 0x69 || t == 0x74:
		r.refuse(Exceptions, at)
	case t >= 0x65 && t <= 0x73:
		r.refuse(GC, at)
	default:
		r.fail(Malformed, at, "0x%02x is not a value type", t)
	}
	return t
}

// blockType reads the type of a block: no value, a value type, or the index of a function type. It
// returns the numbers of values that the block takes and leaves.
func (p *pass) blockType(r *reader) (params, results int) {
	switch {
	case r.pos >= r.end:
		r.short()
	case r.b[r.pos] == blockVoid:
		r.pos++
	case r.b[r.pos]&0xc0 == 0x40: // a negative number of one byte
		p.valueType(r)
		return 0, 1
	default:
		p.features |= MultiValue
		at := r.pos
		i := r.signed(33)
		if i >= 0 && i < int64(len(p.types)) {
			return p.types[i].params, p.types[i].results
		}
		r.fail(Malformed, at, "there is no type %d", i)
	}
	return 0, 0
}

// typeSection reads the types and appends those that the pass adds.
func (p *pass) typeSection(r *reader, out []byte) []byte {
	n := r.count(3, p.opts.Limits.Types, "types")
	from := r.pos
	p.types = make([]funcType, 0, n)
	for ; n > 0 && r.err == nil; n-- {
		p.types = append(p.types, p.funcType(r))
	}
	if r.err != nil {
		return out // the last type may be cut off
	}
	own := r.b[from:r.pos]
	p.addedTypes = uint32(len(p.types))
	added := []byte{
		typeFunction, 0, 0, // slowType
		typeFunction, 3, typeI32, typeI32, typeI64, 1, typeI32, // payType
		typeFunction, 3, typeI32, typeI32, typeI32, 0, // rangeType
	}
	added, blocks := p.resultBlocks(added)
	out = appendU32(out, p.addedTypes+addedTypes+blocks)
	return append(append(out, own...), added...)
}

// funcType reads a function type. It does not set resultBlock.
func (p *pass) funcType(r *reader) (t funcType) {
	at := r.pos
	switch form := r.byte(); form {
	case typeFunction:
	case 0x5f, 0x5e, 0x50, 0x4f, 0x4e: // struct, array, sub, sub final, rec
		r.refuse(GC, at)
	default:
		r.fail(Malformed, at, "0x%02x does not begin a function type", form)
	}
	t.params, t.text = p.values(r, t.text)
	t.results, t.text = p.values(r, t.text)
	r.limit(uint64(len(t.text)), p.opts.Limits.TypeValues, "parameters and results in a type", at)
	if t.results > 1 {
		p.features |= MultiValue
	}
	return t
}

// values reads a list of types and appends them to text. It returns their number.
func (p *pass) values(r *reader, text []byte) (int, []byte) {
	n := r.count(1, p.opts.Limits.TypeValues, "parameters or results")
	for i := uint32(0); i < n && r.err == nil; i++ {
		text = append(text, p.valueType(r))
	}
	return int(n), text
}

// resultBlocks sets each type's resultBlock. A block type with several results must be the index of a type.
// resultBlocks appends these types to b and returns their number.
func (p *pass) resultBlocks(b []byte) (_ []byte, n uint32) {
	known := map[string]int64{}
	for i := range p.types {
		t := &p.types[i]
		results := t.text[t.params:]
		switch len(results) {
		case 0:
			t.resultBlock = blockVoid - 0x80 // the form of signed numbers
			continue
		case 1:
			t.resultBlock = int64(results[0]) - 0x80
			continue
		}
		index, ok := known[string(results)]
		if !ok {
			index = int64(p.addedTypes) + addedTypes + int64(n)
			known[string(results)] = index
			b = appendSized(append(b, typeFunction, 0), results)
			n++
		}
		t.resultBlock = index
	}
	return b, n
}

// String returns the type in words, for example "(i32, i64) -> (i32)".
func (t funcType) String() string {
	names := map[byte]string{
		typeI32: "i32", typeI64: "i64", typeF32: "f32", typeF64: "f64",
		typeV128: "v128", typeFuncref: "funcref", typeExternref: "externref",
	}
	s := "("
	for i, v := range t.text {
		switch {
		case i == t.params:
			s += ") -> ("
		case i > 0:
			s += ", "
		}
		s += names[v]
	}
	if t.results == 0 {
		s += ") -> ("
	}
	return s + ")"
}
