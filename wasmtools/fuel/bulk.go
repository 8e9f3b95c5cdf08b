package fuel

// Code for operations on ranges of memory, in chunks.

// The instructions, with the index of the memory.
var (
	memoryCopy = []byte{opMisc, 10, 0, 0}
	memoryFill = []byte{opMisc, 11, 0}
)

// Parameters and the local of fill and copy. The second parameter is a value or a source.
const (
	rangeTo = iota
	rangeFrom
	rangeCount
	rangeChunk
)

// payChunk emits the charge for the number of bytes in a local.
func (e emitter) payChunk(b []byte, local byte) []byte {
	b = append(e.getGlobal(b, fuelGlobal), opLocalGet, local, opI64ExtendU)
	b = append(i64Const(b, 3), opI64ShrU, opI64Sub) // bytesPerUnit is 2 to the 3
	return e.setGlobal(b, fuelGlobal)
}

// short emits code for a count of at most one chunk: the code pays, runs the whole operation and returns.
func (e emitter) short(b, operation []byte) []byte {
	b = append(i32Const(append(b, opLocalGet, rangeCount), chunkBytes), opI32LeU, opIf, blockVoid)
	b = e.getGlobal(e.payChunk(b, rangeCount), fuelGlobal)
	b = append(e.callSlowIfNegative(b), opLocalGet, rangeTo, opLocalGet, rangeFrom, opLocalGet, rangeCount)
	return append(append(b, operation...), opReturn, opEnd)
}

// trapBeyond emits code that runs operation if a range is not inside the memory. The operation then traps
// before it changes anything. from is the local that holds the start of the range.
func (e emitter) trapBeyond(b, operation []byte, from byte) []byte {
	b = append(b, opLocalGet, from, opI64ExtendU, opLocalGet, rangeCount, opI64ExtendU, opI64Add)
	b = i64Const(append(b, opMemorySize, 0, opI64ExtendU), 16)
	b = append(b, opI64Shl, opI64GtU, opIf, blockVoid, opLocalGet, rangeTo, opLocalGet, rangeFrom, opLocalGet, rangeCount)
	return append(append(b, operation...), opEnd)
}

// nextChunk emits the head of a loop: it sets rangeChunk, pays for it and visits the host.
func (e emitter) nextChunk(b []byte) []byte {
	b = append(b, opLoop, blockVoid)
	b = i32Const(append(b, opLocalGet, rangeCount), chunkBytes)
	b = i32Const(append(b, opLocalGet, rangeCount), chunkBytes)
	b = append(b, opI32LtU, opSelect, opLocalSet, rangeChunk)
	return e.call(e.payChunk(b, rangeChunk), slowFunc)
}

// step emits code that adds rangeChunk to a local, or subtracts it.
func step(b []byte, op, local byte) []byte {
	return append(b, opLocalGet, local, opLocalGet, rangeChunk, op, opLocalSet, local)
}

// again emits the end of a loop, which repeats while bytes are left.
func again(b []byte) []byte { return append(b, opLocalGet, rangeCount, opBrIf, 0, opEnd) }

// fill returns the body of the function that replaces memory.fill.
func (e emitter) fill() []byte {
	b := e.short([]byte{1, 1, typeI32}, memoryFill)
	b = e.trapBeyond(b, memoryFill, rangeTo)
	b = append(e.nextChunk(b), opLocalGet, rangeTo, opLocalGet, rangeFrom, opLocalGet, rangeChunk)
	b = step(append(b, memoryFill...), opI32Add, rangeTo)
	return append(again(step(b, opI32Sub, rangeCount)), opEnd)
}

// copy returns the body of the function that replaces memory.copy. Ranges may overlap: it copies
// from the end if the destination comes after the source.
func (e emitter) copy() []byte {
	b := e.short([]byte{1, 1, typeI32}, memoryCopy)
	b = e.trapBeyond(b, memoryCopy, rangeTo)
	b = e.trapBeyond(b, memoryCopy, rangeFrom)
	b = append(b, opLocalGet, rangeTo, opLocalGet, rangeFrom, opI32LeU, opIf, blockVoid)
	b = append(e.nextChunk(b), opLocalGet, rangeTo, opLocalGet, rangeFrom, opLocalGet, rangeChunk)
	b = step(append(b, memoryCopy...), opI32Add, rangeTo)
	b = again(step(step(b, opI32Add, rangeFrom), opI32Sub, rangeCount))
	b = step(e.nextChunk(append(b, opElse)), opI32Sub, rangeCount)
	for _, from := range []byte{rangeTo, rangeFrom} {
		b = append(b, opLocalGet, from, opLocalGet, rangeCount, opI32Add)
	}
	b = append(append(b, opLocalGet, rangeChunk), memoryCopy...)
	return append(again(b), opEnd, opEnd)
}

// init appends the code that replaces a memory.init, whose three operands are on the stack. It
// cannot be a function, because the segment is part of the instruction. An operation on 0 bytes
// beyond the ranges traps like one on more bytes.
func (e emitter) init(b, operation []byte) []byte {
	do := func(b []byte) []byte {
		for _, g := range []uint32{destinationGlobal, sourceGlobal, countGlobal} {
			b = e.getGlobal(b, g)
		}
		return append(b, operation...)
	}
	end := func(b []byte, g uint32) []byte {
		return append(e.getGlobal(e.getGlobal(b, g), countGlobal), opI32Add)
	}
	chunk := func(b []byte) []byte { // emits the smaller of the rest and a chunk
		b = i32Const(e.getGlobal(b, countGlobal), chunkBytes)
		return append(i32Const(e.getGlobal(b, countGlobal), chunkBytes), opI32LtU, opSelect)
	}
	for _, g := range []uint32{countGlobal, sourceGlobal, destinationGlobal} {
		b = e.setGlobal(b, g)
	}
	for _, g := range []uint32{destinationGlobal, sourceGlobal} { // a range that wraps around
		b = append(e.getGlobal(end(b, g), g), opI32LtU)
	}
	b = append(do(append(b, opI32Or, opIf, blockVoid)), opElse)
	b = append(i32Const(end(end(b, destinationGlobal), sourceGlobal), 0), operation...)
	b = append(b, opLoop, blockVoid)
	b = append(chunk(e.getGlobal(b, fuelGlobal)), opI64ExtendU)
	b = e.setGlobal(append(i64Const(b, 3), opI64ShrU, opI64Sub), fuelGlobal)
	b = e.call(b, slowFunc)
	b = append(chunk(e.getGlobal(e.getGlobal(b, destinationGlobal), sourceGlobal)), operation...)
	for _, g := range []uint32{destinationGlobal, sourceGlobal} {
		b = e.setGlobal(append(chunk(e.getGlobal(b, g)), opI32Add), g)
	}
	b = e.setGlobal(append(chunk(e.getGlobal(b, countGlobal)), opI32Sub), countGlobal)
	return append(e.getGlobal(b, countGlobal), opBrIf, 0, opEnd, opEnd)
}
