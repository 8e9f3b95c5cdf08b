package fuel

// body reads one function after the other. It checks the facts on which the pass depends and
// records the edits. Each function reuses the slices of the function before it.
type body struct {
	*reader
	p *pass

	start, code int      // offsets of the body and of its first instruction
	frames      []frame  // open blocks; the first is the function
	regions     []region // the first is that of the function
	edits       []edit   // sorted by offset

	locals                uint64 // parameters included
	blocks, loops, labels uint64
	calls                 bool // the function calls others, so it needs depth

	height, highest int // current and largest height of the operand stack; see push
}

// frame is an open block.
type frame struct {
	op              byte // the opcode that opened it
	region          int  // region of the next instruction in it
	height          int  // height of the operand stack below its parameters
	params, results int
}

// region is a stretch of code that one charge pays for.
type region struct {
	cost   int64
	extra  int64 // part of cost that pays for other regions
	parent int   // region whose charge can pay for this one; itself if there is none
	paid   bool  // the parent pays for it
}

// edit is a change at an offset in the module.
type edit struct {
	at uint32 // small, because there may be as many edits as bytes
	// its meaning depends on kind. putCharge: the region; returnToBlock: the label; pay...: the
	// largest count; split...: offset of the end of the instruction
	n    uint32
	kind editKind
}

// editKind is the kind of a change. The pay... kinds must be the last ones.
type editKind byte

const (
	putCharge     editKind = iota // charge for a region, unless its parent pays
	returnToBlock                 // replace a return, if the function needs depth
	leaveForTail                  // give the weight back before a tail call, if the function needs depth
	splitFill                     // replace memory.fill with a call that pays and works in chunks
	splitCopy                     // the same for memory.copy
	splitInit                     // the same for memory.init, in place
	payEntries                    // pay by the operand on the stack, a number of table entries
	payPages                      // pay by the operand on the stack, a number of memory pages
)

// read reads a function of type t from r, which holds exactly its body.
func (f *body) read(r *reader, t funcType) *Error {
	f.reader, f.start = r, r.pos
	f.frames = append(f.frames[:0], frame{op: opBlock})
	f.height, f.highest = 0, 0
	f.regions = append(f.regions[:0], region{})
	f.edits = f.edits[:0]
	f.blocks, f.loops, f.labels, f.calls = 0, 0, 0, false
	f.limit(uint64(r.end-r.pos), f.p.opts.Limits.FunctionBytes, "bytes of code in a function", r.pos)
	f.readLocals(t)
	f.code = f.pos
	for f.err == nil && len(f.frames) > 0 {
		f.instruction()
	}
	if f.err == nil && f.pos != f.end {
		f.fail(Malformed, f.pos, "instructions follow the function's end")
	}
	f.mergeRegions()
	f.checkLimits()
	return f.err
}

// readLocals reads the declarations of locals, each a count and a type.
func (f *body) readLocals(t funcType) {
	f.locals = uint64(t.params)
	for n := f.count(2, f.end, "groups of locals"); n > 0 && f.err == nil; n-- {
		f.locals += uint64(f.u32()) // cannot overflow: there are fewer groups than bytes
		f.p.valueType(f.reader)
	}
	f.limit(f.locals, f.p.opts.Limits.Locals, "locals in a function", f.start)
}

// checkLimits checks the sizes that make a function slow to compile.
func (f *body) checkLimits() {
	l := f.p.opts.Limits
	f.limit(f.blocks, l.FunctionBlocks, "blocks in a function", f.start)
	f.limit(f.loops, l.FunctionLoops, "loops in a function", f.start)
	f.limit(f.labels, l.Labels, "labels in the br_table of a function", f.start)
	f.limit(f.blocks*f.locals, l.LiveCells, "blocks times locals in a function", f.start)
}

// charge adds cost to the current region.
func (f *body) charge(cost int64) {
	f.regions[f.top().region].cost += cost
}

// push changes the height of the operand stack. values is the number of values that an instruction leaves,
// less the number that it takes. For unreachable code and for vectors, the height may be too large, but
// not too small.
func (f *body) push(values int) {
	f.height = max(f.height+values, f.top().height)
	f.highest = max(f.highest, f.height)
}

// top returns the innermost open block. The pointer is valid until the next block opens.
func (f *body) top() *frame { return &f.frames[len(f.frames)-1] }

// edit records a change at the offset at. Edits must be recorded in the order of their offsets.
func (f *body) edit(at int, kind editKind, n uint32) {
	f.edits = append(f.edits, edit{uint32(at), n, kind})
}

// cost returns the fuel of one pass through all regions.
func (f *body) cost() (sum int64) {
	for _, r := range f.regions {
		if !r.paid {
			sum += r.cost
		}
	}
	return sum
}

// instruction reads one instruction, charges its cost, and records the feature that it needs.
func (f *body) instruction() {
	at := f.pos
	op := f.byte()
	info := &opcodes[op]
	f.charge(info.cost)
	f.push(int(info.effect))
	switch info.shape {
	case plain:
		f.p.features |= info.feature
		return
	case localOp:
		f.u32() // the pass adds no locals, so the engine's check is enough
		return
	case memoryOp:
		f.memoryArgument()
		return
	case const32Op:
		f.signed(32)
		return
	case blockOp:
		f.open(op)
		return
	case endOp:
		f.close()
		return
	}
	f.p.need(f.reader, info.feature, at)
	if info.shape >= branchOp && info.shape <= tailIndirectOp {
		f.control(at, info.shape)
		return
	}
	f.rare(at, op, info.shape)
}

// open reads the operands of block, loop and if.
func (f *body) open(op byte) {
	params, results := f.p.blockType(f.reader)
	f.blocks++
	inner := frame{op, f.top().region, max(f.height-params, f.top().height), params, results}
	switch op {
	case opLoop:
		f.loops++
		inner.region = f.newRegion(len(f.regions))
	case opIf:
		inner.region = f.newRegion(inner.region)
	}
	f.frames = append(f.frames, inner)
	f.limit(uint64(len(f.frames)), f.p.opts.Limits.Nesting, "nested blocks", f.pos)
}

// close leaves a block. Branches from anywhere in the block lead to the code after it, so that code begins
// a new region.
func (f *body) close() {
	left := *f.top()
	f.frames = f.frames[:len(f.frames)-1]
	if len(f.frames) > 0 {
		f.top().region = f.newRegion(f.top().region)
		f.height = left.height
		f.push(left.results)
	}
}

// newRegion begins a region at the present position and returns its index. A parent equal to that index means that no
// other region can pay for the region.
func (f *body) newRegion(parent int) int {
	f.edit(f.pos, putCharge, uint32(len(f.regions)))
	f.regions = append(f.regions, region{parent: parent})
	return len(f.regions) - 1
}

// mergeRegions makes parents pay for small regions. A parent has a smaller index than its regions. Control
// passes the parent's charge before it enters the region. It enters the region at most once until it
// passes that charge again.
func (f *body) mergeRegions() {
	for i := len(f.regions) - 1; i > 0; i-- {
		r := &f.regions[i]
		parent := &f.regions[r.parent]
		if r.parent != i && r.cost+parent.extra <= mostExtra {
			r.paid = true
			parent.cost += r.cost
			parent.extra += r.cost
		}
	}
}

// control reads the operands of an instruction that jumps or calls.
func (f *body) control(at int, s shape) {
	switch s {
	case branchOp:
		f.label()
	case branchTableOp:
		n := f.count(1, f.p.opts.Limits.Labels, "labels in a br_table")
		f.labels += uint64(n)
		for f.label(); n > 0 && f.err == nil; n-- {
			f.label()
		}
	case returnOp:
		f.edit(at, returnToBlock, uint32(len(f.frames)-1))
	case tailCallOp, tailIndirectOp:
		f.edit(at, leaveForTail, 0)
		f.callee(s == tailCallOp)
	case callOp, callIndirectOp:
		f.callee(s == callOp)
	}
}

// label reads a label. It must not be the label of the block that the pass adds around the body.
func (f *body) label() { f.index(len(f.frames), "label") }

// callee reads the target of a call. A target that may be a function of the host costs more.
func (f *body) callee(direct bool) {
	f.calls = true
	imported := f.p.hosted
	var t uint32
	if direct {
		fn := f.index(f.p.functions(), "function")
		if f.err != nil {
			return
		}
		imported = int(fn) < f.p.report.ImportedFunctions
		t = f.p.funcs[fn]
	} else {
		t = f.index(len(f.p.types), "type")
		f.index(len(f.p.report.Tables), "table")
	}
	if f.err != nil {
		return
	}
	if imported {
		f.charge(hostCost - commonCost)
	}
	f.push(f.p.types[t].results - f.p.types[t].params)
}

// memoryArgument reads the alignment and the offset of a load or a store.
func (f *body) memoryArgument() {
	at := f.pos
	if f.u32()&0x40 != 0 {
		f.refuse(MultiMemory, at)
	}
	f.u32()
	f.hasMemory(at)
}

// hasMemory fails if the module has no memory of its own, because it must not use the added memory.
func (f *body) hasMemory(at int) {
	if len(f.p.report.Memories) == 0 {
		f.fail(Malformed, at, "the module has no memory")
	}
}

// memory reads the index of a memory. Only 0 is allowed.
func (f *body) memory() {
	at := f.pos
	if f.u32() != 0 {
		f.refuse(MultiMemory, at)
	}
	f.hasMemory(at)
}

// table reads the index of a table and returns the maximum number of its entries.
func (f *body) table() uint32 {
	if i := f.index(len(f.p.report.Tables), "table"); f.err == nil {
		return f.p.report.Tables[i].Imposed
	}
	return 0
}
