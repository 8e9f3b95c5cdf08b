package fuel

// sliceFuel is the fuel that a guest spends between two visits to the host. It is 0.1 to 1 ms of
// common code; a visit takes some 100 ns, which does not show.
const sliceFuel = 1 << 20

// mostExtra limits the fuel that a charge takes for regions that control may skip. A larger value
// makes guests faster and fuel less exact. Without a limit Go programs, which jump into the middle
// of functions, take 20 times the fuel and are a twentieth faster.
const mostExtra = 64

// Costs of instructions. One unit is about the time of an addition. Instructions that only shape
// control flow are free.
const (
	freeCost   = 0
	commonCost = 1
	exitCost   = 64 // leaves compiled code for Go: ref.func, memory.grow, table.grow

	// A call of an imported function does an unknown amount of work. It costs much so that a slice
	// holds few of them: the guest stops only at the end of a slice.
	hostCost = 500
)

// rates are the costs by operand, in eighths of a unit for each counted thing.
var rates = map[editKind]int64{
	payEntries: 8,       // an entry takes eight bytes and a check
	payPages:   1 << 18, // the engine clears a page, and sometimes copies the memory to grow it
}

// Copying, filling and initialising memory runs at some GB/s in machine code that cannot be
// stopped. So the pass splits a range into chunks. Each chunk is paid for, and the guest visits the
// host between two.
const (
	bytesPerUnit = 8
	chunkBytes   = 256 << 10 // takes 20 to 200 µs
)

// A frame weighs 1, plus 1 for each valuesPerWeight values that it may hold and 1 for each
// costPerWeight of fuel that one pass through all its regions takes. The first limits the stack,
// which the engine copies to grow. The second limits the code that is paid for but has not run yet.
const (
	valuesPerWeight = 16 // locals, and operands waiting at the same time
	costPerWeight   = 4096
)

// Compilers keep pairs of things, so compile time grows faster than code. The work of a function is
// estimated in steps of about 15 ns. The constants are fitted to wazero 1.12 on real programs and
// on programs made to be slow.
const (
	stepsPerByte   = 16   // common code compiles at 4 MB/s
	bytesPerStep   = 1024 // divides the square of a body's size
	stepsPerLabel  = 512  // for each label of br_table
	stepsPerCell   = 32   // a cell is a local in a block
	stepsPerBlocks = 1    // multiplies the square of the number of blocks
)

// compileWork returns the estimate. A loop counts twice, because its charge adds a block.
func (f *body) compileWork() uint64 {
	size := uint64(f.end - f.start)
	blocks := f.blocks + f.loops
	return size*stepsPerByte + size*size/bytesPerStep + f.labels*stepsPerLabel +
		f.blocks*f.locals*stepsPerCell + blocks*blocks*stepsPerBlocks
}

// weight returns how much depth a frame takes.
func weight(values, cost int64) int64 {
	return 1 + values/valuesPerWeight + cost/costPerWeight
}
