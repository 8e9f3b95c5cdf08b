package fuel

// sliceFuel is the fuel that a guest spends between two visits to the host. It lasts 0.1 to 1 ms in
// common code. A visit takes about 100 ns, so visits do not slow guests down.
const sliceFuel = 1 << 20

// mostExtra limits the fuel that a charge takes for regions that control may skip. A larger value
// makes guests faster and fuel less exact. Go programs jump into the middle of functions. Without a
// limit, they would take 20 times the fuel and run 5 percent faster.
const mostExtra = 64

// Costs of instructions. One unit is about the time of an addition. Instructions that only shape
// control flow are free.
const (
	freeCost   = 0
	commonCost = 1
	exitCost   = 64 // for ref.func, memory.grow and table.grow, for which the engine leaves compiled code

	// A call of an imported function does an unknown amount of work. The guest stops only at the end
	// of a slice, so such a call costs much, and a slice has few of them.
	hostCost = 500
)

// rates are the costs by operand, in eighths of a unit for each counted entry or page.
var rates = map[editKind]int64{
	payEntries: 8,       // an entry takes eight bytes and a check
	payPages:   1 << 18, // the engine clears a page, and sometimes copies the memory to grow it
}

// Copying, filling and initialising memory runs at some GB/s in machine code that cannot be
// stopped. So the pass splits a range into chunks. The guest pays for each chunk, and visits the host
// between two chunks.
const (
	bytesPerUnit = 8
	chunkBytes   = 256 << 10 // takes 20 to 200 µs
)

// A frame weighs 1, plus 1 for each valuesPerWeight values that it may hold, plus 1 for each
// costPerWeight of fuel that one pass through all its regions takes. The weight by values limits the
// stack, which the engine copies to grow. The weight by cost limits the code that the guest has paid for
// but not run.
const (
	valuesPerWeight = 16 // locals, and operands waiting at the same time
	costPerWeight   = 4096
)

// Compilers compare pairs of blocks or values, so compile time grows faster than code. compileWork
// estimates the work of a function in steps of about 15 ns. The constants are fitted to wazero 1.12, for
// real programs and for programs that are slow to compile on purpose.
const (
	stepsPerByte   = 16   // common code compiles at 4 MB/s
	bytesPerStep   = 1024 // divides the square of a body's size
	stepsPerLabel  = 512  // for each label of br_table
	stepsPerCell   = 32   // a cell is a local in a block
	stepsPerBlocks = 1    // multiplies the square of the number of blocks
)

// compileWork returns the estimated steps to compile the function. A loop counts twice, because its charge
// adds a block.
func (f *body) compileWork() uint64 {
	size := uint64(f.end - f.start)
	blocks := f.blocks + f.loops
	return size*stepsPerByte + size*size/bytesPerStep + f.labels*stepsPerLabel +
		f.blocks*f.locals*stepsPerCell + blocks*blocks*stepsPerBlocks
}

// weight returns the depth that a frame takes. values is the number of its locals and operands, and cost is
// the fuel of one pass through its function.
func weight(values, cost int64) int64 {
	return 1 + values/valuesPerWeight + cost/costPerWeight
}
