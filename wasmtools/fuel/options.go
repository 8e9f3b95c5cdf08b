package fuel

import "cmp"

// Options says what a module may be. The zero value is a good start.
type Options struct {
	Limits Limits
	Allow  Features // of TailCalls and ExtendedConst; others are refused whatever is set

	// StartFuel is for the module's start function, which runs before a Meter
	// exists; 0 means 10 million. What it leaves over Meter.Start takes away.
	StartFuel int64
}

// Limits bounds a module. A zero field means the default beside it, which is
// two to ten times what was seen in programs of Go, Rust, C and Haskell.
type Limits struct {
	ModuleBytes int // 64 MiB
	Types       int // 10 000
	TypeValues  int // parameters and results of a type: 1 000
	Imports     int // 1 000
	Exports     int // 10 000
	Functions   int // 50 000
	Globals     int // 10 000
	Tables      int // 16
	Segments    int // of data, and of elements: 100 000 each
	Elements    int // in all element segments: 200 000

	// What makes compilers slow grows faster than a function's size.
	FunctionBytes  int // 512 KiB
	FunctionBlocks int // block, loop and if: 8 192
	FunctionLoops  int // 1 024
	Nesting        int // of blocks in a function: 4 096
	Locals         int // with parameters: 4 096
	Labels         int // in all br_table of a function: 32 768
	LiveCells      int // blocks times locals of a function: 2 000 000
	CompileWork    int // of all functions, see Report.CompileWork: 2^30

	// What a module may come to use. Where it asks for more or for no bound,
	// these are put in; where it starts with more it is refused.
	MemoryPages  uint32 // of 64 KiB: 4 096, which is 256 MiB
	TableEntries uint32 // in each table: 100 000
	CallDepth    uint32 // weight of the frames on the stack: 10 000
}

// withDefaults fills in what is 0.
func (o Options) withDefaults() Options {
	l := &o.Limits
	for field, value := range map[*int]int{
		&l.ModuleBytes: 64 << 20, &l.Types: 10_000, &l.TypeValues: 1_000, &l.Imports: 1_000,
		&l.Exports: 10_000, &l.Functions: 50_000, &l.Globals: 10_000, &l.Tables: 16,
		&l.Segments: 100_000, &l.Elements: 200_000, &l.FunctionBytes: 512 << 10,
		&l.FunctionBlocks: 8_192, &l.FunctionLoops: 1_024, &l.Nesting: 4_096, &l.Locals: 4_096,
		&l.Labels: 32_768, &l.LiveCells: 2_000_000, &l.CompileWork: 1 << 30,
	} {
		*field = cmp.Or(*field, value)
	}
	l.MemoryPages = min(cmp.Or(l.MemoryPages, 4_096), maxPages)
	l.TableEntries = cmp.Or(l.TableEntries, 100_000)
	l.CallDepth = cmp.Or(l.CallDepth, 10_000)
	o.StartFuel = cmp.Or(o.StartFuel, 10_000_000)
	o.Allow &= allowable
	return o
}

// maxPages is the largest memory there is, 4 GiB.
const maxPages = 1 << 16
