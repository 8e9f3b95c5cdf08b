package fuel

// sliceFuel is the fuel a guest spends between two visits to the host: 0.1 to
// 1 ms of common code, beside which a visit of some 100 ns does not show.
const sliceFuel = 1 << 20

// mostExtra bounds what a charge takes for regions that may be jumped over. A larger
// one makes guests faster and fuel coarser: without it Go programs, which jump into
// the middle of functions, take 20 times the fuel and are a twentieth faster.
const mostExtra = 64

// What instructions cost. One unit is about what an addition takes; those that
// shape control flow and run nothing are free.
const (
	freeCost   = 0
	commonCost = 1
	exitCost   = 64 // leaves compiled code for Go: ref.func, memory.grow, table.grow

	// A call of an imported function does unknown work, and a slice must not
	// hold many of these: the guest is only stopped at its end.
	hostCost = 500
)

// rates lists what is paid by operand, in eighths of a unit for each.
var rates = map[editKind]int64{
	payEntries: 8,       // an entry of a table is eight bytes, and is checked
	payPages:   1 << 18, // a page is cleared, and memory is copied now and then to grow
}

// Copying, filling and initializing memory runs at some GB/s. Machine code does it, and nothing
// stops it: so a range is worked on in chunks, each paid for, with a visit to the host between two.
const (
	bytesPerUnit = 8
	chunkBytes   = 256 << 10 // 20 to 200 µs
)

// A frame's weight is 1, and 1 more for each valuesPerWeight values it may hold and each
// costPerWeight of fuel its function takes in one pass through all its regions. The first bounds
// the stack, which the engine copies to grow, the second what is paid for and has yet to run.
const (
	valuesPerWeight = 16 // locals, and operands waiting at the same time
	costPerWeight   = 4096
)

// Compiling takes time that grows with what compilers keep in pairs. The work
// of a function is estimated in steps of about 15 ns, fitted to wazero 1.12 on
// real programs and on programs made to be slow.
const (
	stepsPerByte   = 16   // common code compiles at 4 MB/s
	bytesPerStep   = 1024 // divides the square of a body's size
	stepsPerLabel  = 512  // of br_table
	stepsPerCell   = 32   // a cell is a local in a block
	stepsPerBlocks = 1    // multiplies the square of the number of blocks
)

// compileWork returns the estimate. A loop counts twice, for its charge's block.
func (f *body) compileWork() uint64 {
	size := uint64(f.end - f.start)
	blocks := f.blocks + f.loops
	return size*stepsPerByte + size*size/bytesPerStep + f.labels*stepsPerLabel +
		f.blocks*f.locals*stepsPerCell + blocks*blocks*stepsPerBlocks
}

// weight returns how much of the depth a frame takes.
func weight(values, cost int64) int64 {
	return 1 + values/valuesPerWeight + cost/costPerWeight
}
