package fuel

// emitter writes code that uses the added globals and functions.
type emitter struct {
	globals, functions uint32 // indices of the first added ones
}

// getGlobal emits a read of the added global g, an offset such as fuelGlobal.
func (e emitter) getGlobal(b []byte, g uint32) []byte {
	return appendU32(append(b, opGlobalGet), e.globals+g)
}

// setGlobal emits a write of the value on the stack to the added global g.
func (e emitter) setGlobal(b []byte, g uint32) []byte {
	return appendU32(append(b, opGlobalSet), e.globals+g)
}

// call emits a call of the added function fn, an offset such as slowFunc.
func (e emitter) call(b []byte, fn uint32) []byte {
	return appendU32(append(b, opCall), e.functions+fn)
}

// i32Const emits an i32 constant.
func i32Const(b []byte, v int32) []byte { return appendSigned(append(b, opI32Const), int64(v)) }

// i64Const emits an i64 constant.
func i64Const(b []byte, v int64) []byte { return appendSigned(append(b, opI64Const), v) }

// add emits code that adds v to the added global g, which is an i64.
func (e emitter) add(b []byte, g uint32, v int64) []byte {
	b = e.getGlobal(b, g)
	b = append(i64Const(b, v), opI64Add)
	return e.setGlobal(b, g)
}

// callSlowIfNegative emits a call of slow if the i64 on the stack is negative. The code takes the i64 from the stack.
func (e emitter) callSlowIfNegative(b []byte) []byte {
	b = append(i64Const(b, 0), opI64LtS, opIf, blockVoid)
	return append(e.call(b, slowFunc), opEnd)
}

// charge emits a charge with a check, for a loop's head or the entry of a function that calls
// nothing. A region that costs nothing pays 1, so that no loop is free.
func (e emitter) charge(b []byte, cost int64) []byte {
	b = e.add(b, fuelGlobal, -max(cost, 1))
	return e.callSlowIfNegative(e.getGlobal(b, fuelGlobal))
}

// enter emits the charge of cost and weight at the entry of a function that calls others. One test checks
// both, because the bitwise or of two numbers is negative if either is.
func (e emitter) enter(b []byte, cost, weight int64) []byte {
	b = e.add(b, depthGlobal, -weight)
	b = e.add(b, fuelGlobal, -max(cost, 1))
	b = e.getGlobal(e.getGlobal(b, fuelGlobal), depthGlobal)
	return e.callSlowIfNegative(append(b, opI64Or))
}

// region emits the charge of a region at its beginning. Only the head of a loop also gets a check. Other
// code soon reaches the end of the function, or a loop or a call, which has a check.
func (e emitter) region(b []byte, r region, isLoop bool) []byte {
	switch {
	case isLoop:
		return e.charge(b, r.cost)
	case r.paid:
		return b
	}
	return e.add(b, fuelGlobal, -r.cost)
}

// trapIf emits a trap with a reason, if the i32 on the stack is not 0.
func (e emitter) trapIf(b []byte, r Reason) []byte {
	b = i32Const(append(b, opIf, blockVoid), int32(r))
	return append(e.setGlobal(b, reasonGlobal), opUnreachable, opEnd)
}

// slow returns the body of the function that a charge calls if there is too little fuel or depth. It tests
// depth first, so a guest that used up both gets the reason TooDeep.
func (e emitter) slow() []byte {
	b := []byte{1, 1, typeI64}                            // one local, left: i64
	b = append(b, opI32Const, 0, opMemoryGrow, 0, opDrop) // returns to Go so that other goroutines run
	b = append(i64Const(e.getGlobal(b, depthGlobal), 0), opI64LtS)
	b = e.trapIf(b, TooDeep)
	b = e.trapIf(e.getGlobal(b, stopGlobal), Stopped)
	b = e.getGlobal(e.getGlobal(b, fuelGlobal), reserveGlobal)
	b = append(b, opI64Add, opLocalTee, 0)
	b = e.trapIf(append(i64Const(b, 0), opI64LtS), OutOfFuel)
	// fuel = min(left, sliceFuel)
	b = append(b, opLocalGet, 0)
	b = append(i64Const(b, sliceFuel), opLocalGet, 0)
	b = append(i64Const(b, sliceFuel), opI64LtS, opSelect)
	b = e.setGlobal(b, fuelGlobal)
	// reserve = left - fuel
	b = append(b, opLocalGet, 0)
	b = append(e.getGlobal(b, fuelGlobal), opI64Sub)
	return append(e.setGlobal(b, reserveGlobal), opEnd)
}

// pay returns the body of the function that takes fuel for count entries or pages at a rate, and returns
// count. A count above the largest pays nothing, because the instruction traps or fails without work.
func (e emitter) pay() []byte {
	const count, largest, rate = 0, 1, 2
	b := []byte{0, opLocalGet, count, opLocalGet, largest, opI32LeU, opIf, blockVoid}
	b = e.getGlobal(b, fuelGlobal)
	b = append(b, opLocalGet, count, opI64ExtendU, opLocalGet, rate, opI64Mul)
	b = append(i64Const(b, 3), opI64ShrU, opI64Sub)
	b = e.getGlobal(e.setGlobal(b, fuelGlobal), fuelGlobal)
	b = e.callSlowIfNegative(b)
	return append(b, opEnd, opLocalGet, count, opEnd)
}

// function appends the body that f has read, with its edits.
func (e emitter) function(b []byte, f *body, t funcType) []byte {
	b = append(b, f.b[f.start:f.code]...)
	w := weight(int64(f.locals)+int64(f.highest), f.cost())
	if f.calls {
		b = e.enter(b, f.regions[0].cost, w)
		b = appendSigned(append(b, opBlock), t.resultBlock)
	} else {
		b = e.charge(b, f.regions[0].cost)
	}
	from := f.code
	for _, x := range f.edits {
		b = append(b, f.b[from:x.at]...)
		from = int(x.at)
		switch {
		case x.kind == putCharge:
			b = e.region(b, f.regions[x.n], f.regions[x.n].parent == int(x.n))
		case x.kind == splitFill:
			b, from = e.call(b, fillFunc), int(x.n)
		case x.kind == splitCopy:
			b, from = e.call(b, copyFunc), int(x.n)
		case x.kind == splitInit:
			b, from = e.init(b, f.b[x.at:x.n]), int(x.n)
		case x.kind >= payEntries:
			b = i64Const(i32Const(b, int32(x.n)), rates[x.kind])
			b = e.call(b, payFunc)
		case x.kind == returnToBlock && f.calls:
			b = appendU32(append(b, opBr), x.n)
			from++ // skips the return
		case x.kind == leaveForTail:
			b = e.add(b, depthGlobal, w)
		}
	}
	b = append(b, f.b[from:f.end]...)
	if f.calls {
		b = append(e.add(b, depthGlobal, w), opEnd)
	}
	return b
}

// appendU32 appends v as unsigned LEB128.
func appendU32(b []byte, v uint32) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// appendSigned appends v as signed LEB128.
func appendSigned(b []byte, v int64) []byte {
	for v < -0x40 || v > 0x3f {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v)&0x7f)
}

// appendName appends a name in the binary format: its length in bytes, then its bytes.
func appendName(b []byte, name string) []byte {
	b = appendU32(b, uint32(len(name)))
	return append(b, name...)
}

// appendSized appends body after its length in bytes.
func appendSized(b, body []byte) []byte {
	b = appendU32(b, uint32(len(body)))
	return append(b, body...)
}
