package fuel

// rare reads the operands of less common instructions.
func (f *body) rare(at int, op byte, s shape) {
	switch s {
	case elseOp:
		f.otherwise(at)
	case selectOp:
		for n := f.count(1, f.end, "types of a select"); n > 0 && f.err == nil; n-- {
			f.p.valueType(f.reader)
		}
	case globalOp:
		f.index(f.p.globals, "global")
	case tableOp:
		f.table()
		if op == opTableSet {
			f.p.report.Lasting |= LastingTables
		}
	case memorySizeOp:
		f.memory()
	case memoryGrowOp:
		f.memory()
		f.edit(at, payPages, f.p.pages())
	case const64Op:
		f.signed(64)
	case float32Op:
		f.take(4)
	case float64Op:
		f.take(8)
	case refNullOp:
		f.p.referenceType(f.reader)
	case refFuncOp:
		f.index(f.p.functions(), "function")
	case miscOp:
		f.misc(at)
	case vectorOp:
		f.vector(at)
	default:
		f.fail(Unsupported, at, "unknown instruction 0x%02x", op)
	}
}

// otherwise reads an else. Its branch begins with the stack of the if, and is a separate region.
func (f *body) otherwise(at int) {
	if f.top().op == opIf {
		f.top().op = opElse
		f.height = f.top().height
		f.push(f.top().params)
		f.top().region = f.newRegion(f.frames[len(f.frames)-2].region)
		return
	}
	f.fail(Malformed, at, "an else without an if")
}

// misc reads the rest of an instruction with the prefix 0xfc: a saturating conversion, or an operation on a
// whole range, which pays by its length.
func (f *body) misc(at int) {
	op := f.u32()
	switch {
	case op <= 7:
		f.p.features |= SaturatingConversions
	case op <= 14:
		f.p.features |= BulkMemory
		f.rangeOperation(at, op)
	case op <= 17:
		f.p.features |= ReferenceTypes
		f.tableOperation(at, op)
	case op >= 19 && op <= 22:
		f.refuse(WideArithmetic, at)
	default:
		f.fail(Unsupported, at, "unknown instruction 0xfc %d", op)
	}
}

// rangeOperation reads the operands of memory.init to table.copy.
func (f *body) rangeOperation(at int, op uint32) {
	if op != 9 && op != 13 {
		f.push(-3)
	}
	switch op {
	case 8: // memory.init
		f.u32()
		f.memory()
		f.edit(at, splitInit, uint32(f.pos))
	case 9, 13: // data.drop, elem.drop
		f.u32()
		f.p.report.Lasting |= LastingSegments
	case 10: // memory.copy
		f.memory()
		f.memory()
		f.edit(at, splitCopy, uint32(f.pos))
	case 11: // memory.fill
		f.memory()
		f.edit(at, splitFill, uint32(f.pos))
	case 12: // table.init
		f.p.report.Lasting |= LastingTables
		f.u32()
		f.edit(at, payEntries, f.table())
	case 14: // table.copy
		f.p.report.Lasting |= LastingTables
		f.edit(at, payEntries, f.table())
		f.table()
	}
}

// tableOperation reads the operands of table.grow to table.fill.
func (f *body) tableOperation(at int, op uint32) {
	most := f.table()
	if op != 16 { // table.size
		f.p.report.Lasting |= LastingTables
	}
	switch op {
	case 15: // table.grow
		f.push(-1)
		f.charge(exitCost - commonCost)
		f.edit(at, payEntries, most)
	case 16: // table.size
		f.push(1)
	case 17: // table.fill
		f.push(-3)
		f.edit(at, payEntries, most)
	}
}

// vector reads the rest of an instruction with the prefix 0xfd (binary format, section 5.4.8).
func (f *body) vector(at int) {
	switch op := f.u32(); {
	case op == 11: // v128.store
		f.push(-2)
		f.memoryArgument()
	case op < 11, op == 92, op == 93: // loads
		f.memoryArgument()
	case op == 12: // v128.const
		f.push(1)
		f.take(16)
	case op == 13: // i8x16.shuffle
		f.push(-1)
		f.take(16)
	case op >= 21 && op <= 34: // lanes
		f.byte()
	case op >= 84 && op <= 91: // loads and stores of lanes
		f.push(-1)
		f.memoryArgument()
		f.byte()
	case op > 255:
		f.refuse(RelaxedSIMD, at)
	}
}
