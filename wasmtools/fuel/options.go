package fuel

import "cmp"

// Options limits the modules that Rewrite accepts. The zero value has sensible defaults.
type Options struct {
	Limits Limits
	Allow  Features // any of TailCalls and ExtendedConst; other features do not depend on it

	// StartFuel is the fuel of the module's start function, which runs before a Meter exists; 0
	// means 10 million. Meter.Start discards the rest.
	StartFuel int64
}

// Limits limits a module. A zero field means the default in its comment, which is two to ten times
// the value in real programs of Go, Rust, C and Haskell.
type Limits struct {
	ModuleBytes int // 64 MiB
	Types       int // 10 000
	TypeValues  int // parameters and results of a type: 1 000
	Imports     int // 1 000
	Exports     int // 10 000
	Functions   int // 50 000
	Globals     int // 10 000
	Tables      int // 16
	Segments    int // data segments, and element segments: 100 000 each
	Elements    int // in all element segments: 200 000

	// Sizes that slow compilers down more than in proportion.
	FunctionBytes  int // 512 KiB
	FunctionBlocks int // block, loop and if: 8 192
	FunctionLoops  int // 1 024
	Nesting        int // depth of nested blocks: 4 096
	Locals         int // parameters included: 4 096
	Labels         int // in all br_table of a function: 32 768
	LiveCells      int // blocks times locals of a function: 2 000 000
	CompileWork    int // of all functions, see Report.CompileWork: 2^30

	// Resources at run time. If a module has no maximum or a larger one, the pass sets its maximum to
	// these values. It refuses a module that starts with more.
	MemoryPages  uint32 // of 64 KiB: 4 096, which is 256 MiB
	TableEntries uint32 // in each table: 100 000
	CallDepth    uint32 // weight of the frames on the stack: 10 000
}

// withDefaults replaces zero fields by their defaults.
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

// maxPages is the largest possible memory in pages: 4 GiB.
const maxPages = 1 << 16
