package fuel

// shape is the kind of an opcode. It decides which operands follow the opcode, and how the pass treats it.
type shape byte

const (
	unknown        shape = iota
	refused              // needs a feature that is refused
	plain                // nothing follows
	blockOp              // block, loop, if: a block type
	elseOp               //
	endOp                //
	branchOp             // a label
	branchTableOp        // labels
	returnOp             //
	callOp               // a function
	callIndirectOp       // a type and a table
	tailCallOp           // a function
	tailIndirectOp       // a type and a table
	selectOp             // value types
	localOp              // a local
	globalOp             // a global
	tableOp              // a table
	memoryOp             // alignment and offset
	memorySizeOp         // a memory
	memoryGrowOp         // a memory
	const32Op            // a signed number
	const64Op            // a signed number
	float32Op            // four bytes
	float64Op            // eight bytes
	refNullOp            // a reference type
	refFuncOp            // a function
	miscOp               // prefix 0xfc
	vectorOp             // prefix 0xfd
)

// opcode is the pass's knowledge of an instruction.
type opcode struct {
	shape   shape
	cost    int64
	feature Features // the feature that the opcode belongs to
	effect  int8     // change of the height of the stack, if it depends on the opcode alone
}

// Opcodes that the pass looks for or writes (binary format, section 5.4).
const (
	opUnreachable = 0x00
	opBlock       = 0x02
	opLoop        = 0x03
	opIf          = 0x04
	opElse        = 0x05
	opEnd         = 0x0b
	opBr          = 0x0c
	opBrIf        = 0x0d
	opReturn      = 0x0f
	opCall        = 0x10
	opDrop        = 0x1a
	opSelect      = 0x1b
	opLocalGet    = 0x20
	opLocalSet    = 0x21
	opLocalTee    = 0x22
	opGlobalGet   = 0x23
	opGlobalSet   = 0x24
	opTableSet    = 0x26
	opMemorySize  = 0x3f
	opMemoryGrow  = 0x40
	opI32Const    = 0x41
	opI64Const    = 0x42
	opF32Const    = 0x43
	opF64Const    = 0x44
	opI32LtU      = 0x49
	opI32GtU      = 0x4b
	opI32LeU      = 0x4d
	opI64LtS      = 0x53
	opI64GtU      = 0x56
	opI32Add      = 0x6a
	opI32Sub      = 0x6b
	opI32Mul      = 0x6c
	opI32Or       = 0x72
	opI64Add      = 0x7c
	opI64Sub      = 0x7d
	opI64Mul      = 0x7e
	opI64Or       = 0x84
	opI64Shl      = 0x86
	opI64ShrU     = 0x88
	opI64ExtendU  = 0xad
	opRefNull     = 0xd0
	opRefFunc     = 0xd2
	opMisc        = 0xfc
	opVector      = 0xfd

	opV128Const = 12 // after opVector

	blockVoid = 0x40 // a block type without parameters or results
)

// opcodes describes each one-byte opcode.
var opcodes = opcodeTable()

// opcodeTable returns the table of opcodes. An opcode without an entry has the shape unknown and is refused.
func opcodeTable() (t [256]opcode) {
	span := func(from, to int, s shape, cost int64, f Features) {
		for i := from; i <= to; i++ {
			t[i] = opcode{shape: s, cost: cost, feature: f}
		}
	}
	controlOpcodes(span)
	span(0x1a, 0x1b, plain, commonCost, 0) // drop, select
	span(0x1c, 0x1c, selectOp, commonCost, ReferenceTypes)
	span(0x20, 0x22, localOp, commonCost, 0)
	span(0x23, 0x24, globalOp, commonCost, 0)
	span(0x25, 0x26, tableOp, commonCost, ReferenceTypes)
	span(0x28, 0x3e, memoryOp, commonCost, 0)
	span(0x3f, 0x3f, memorySizeOp, commonCost, 0)
	span(0x40, 0x40, memoryGrowOp, exitCost, 0)
	span(0x41, 0x41, const32Op, commonCost, 0)
	span(0x42, 0x42, const64Op, commonCost, 0)
	span(0x43, 0x43, float32Op, commonCost, 0)
	span(0x44, 0x44, float64Op, commonCost, 0)
	span(0x45, 0xbf, plain, commonCost, 0)
	span(0xc0, 0xc4, plain, commonCost, SignExtension)
	span(0xd0, 0xd0, refNullOp, commonCost, ReferenceTypes)
	span(0xd1, 0xd1, plain, commonCost, ReferenceTypes) // ref.is_null
	span(0xd2, 0xd2, refFuncOp, exitCost, ReferenceTypes)
	span(0xd3, 0xd3, refused, 0, GC)                 // ref.eq
	span(0xd4, 0xd6, refused, 0, FunctionReferences) // ref.as_non_null, br_on_null, br_on_non_null
	span(0xfb, 0xfb, refused, 0, GC)
	span(0xfc, 0xfc, miscOp, commonCost, 0)
	span(0xfd, 0xfd, vectorOp, commonCost, SIMD)
	span(0xfe, 0xfe, refused, 0, Threads)
	for _, e := range effects {
		for i := e.from; i <= e.to; i++ {
			t[i].effect = e.effect
		}
	}
	return t
}

// effects are the stack effects other than 0, by range of opcodes.
var effects = []struct {
	from, to int
	effect   int8
}{
	{0x04, 0x04, -1},                   // if
	{0x0d, 0x0e, -1},                   // br_if, br_table
	{0x11, 0x11, -1}, {0x13, 0x13, -1}, // the index of an indirect call
	{0x1a, 0x1a, -1}, {0x1b, 0x1c, -2}, // drop, select
	{0x20, 0x20, 1}, {0x21, 0x21, -1}, {0x23, 0x23, 1}, {0x24, 0x24, -1}, // locals, globals
	{0x26, 0x26, -2}, {0x36, 0x3e, -2}, // table.set, stores
	{0x3f, 0x3f, 1}, {0x41, 0x44, 1}, // memory.size, constants
	{0x46, 0x4f, -1}, {0x51, 0x66, -1}, // comparisons
	{0x6a, 0x78, -1}, {0x7c, 0x8a, -1}, {0x92, 0x98, -1}, {0xa0, 0xa6, -1}, // arithmetic
	{0xd0, 0xd0, 1}, {0xd2, 0xd2, 1}, // ref.null, ref.func
}

// controlOpcodes fills in the opcodes below 0x20, which steer control flow.
func controlOpcodes(span func(from, to int, s shape, cost int64, f Features)) {
	span(0x00, 0x00, plain, commonCost, 0) // unreachable
	span(0x01, 0x01, plain, freeCost, 0)   // nop
	span(0x02, 0x03, blockOp, freeCost, 0)
	span(0x04, 0x04, blockOp, commonCost, 0) // if
	span(0x05, 0x05, elseOp, freeCost, 0)
	span(0x06, 0x0a, refused, 0, Exceptions) // try, catch, throw, rethrow, throw_ref
	span(0x0b, 0x0b, endOp, freeCost, 0)
	span(0x0c, 0x0d, branchOp, commonCost, 0)
	span(0x0e, 0x0e, branchTableOp, commonCost, 0)
	span(0x0f, 0x0f, returnOp, commonCost, 0)
	span(0x10, 0x10, callOp, commonCost, 0)
	span(0x11, 0x11, callIndirectOp, commonCost, 0)
	span(0x12, 0x12, tailCallOp, commonCost, TailCalls)
	span(0x13, 0x13, tailIndirectOp, commonCost, TailCalls)
	span(0x14, 0x15, refused, 0, FunctionReferences) // call_ref, return_call_ref
	span(0x18, 0x19, refused, 0, Exceptions)         // delegate, catch_all
	span(0x1f, 0x1f, refused, 0, Exceptions)         // try_table
}
