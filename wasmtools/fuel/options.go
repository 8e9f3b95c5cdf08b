package fuel

import "cmp"

// Options limits the modules that Rewrite accepts. The zero value means the defaults.
type Options struct {
	Limits Limits
	// optional features that a module may use: TailCalls, ExtendedConst or both; other bits have no
	// effect
	Allow Features

	// StartFuel is the fuel of the module's start function; 0 means 10 million. The start function
	// runs before a Meter exists. Meter.Start discards the remaining fuel.
	StartFuel int64
}

// Limits are the maximum values for a module. If a field is zero, the default in its comment
// applies. Each default is two to ten times the value found in real Go, Rust, C and Haskell
// programs.
type Limits struct {
	ModuleBytes int // size of the module; default 64 MiB
	Types       int // number of function types; default 10 000
	TypeValues  int // number of parameters and results of one type; default 1 000
	Imports     int // number of imports; default 1 000
	Exports     int // number of exports; default 10 000
	Functions   int // number of functions; default 50 000
	Globals     int // number of globals; default 10 000
	Tables      int // number of tables; default 16
	Segments    int // number of data segments, and number of element segments; default 100 000 for each of the two
	Elements    int // number of elements in all element segments together; default 200 000

	// The compile time grows faster than linearly with these sizes.
	FunctionBytes  int // size of one function; default 512 KiB
	FunctionBlocks int // number of block, loop and if instructions in one function; default 8 192
	FunctionLoops  int // number of loop instructions in one function; default 1 024
	Nesting        int // depth of nested blocks; default 4 096
	Locals         int // number of locals of one function, including its parameters; default 4 096
	Labels         int // number of labels in all br_table instructions of one function; default 32 768
	LiveCells      int // number of blocks times number of locals of one function; default 2 000 000
	CompileWork    int // sum of the compile work of all functions, see Report.CompileWork; default 2^30

	// Resources at run time. If a module has no maximum, or a maximum above these limits, Rewrite
	// sets the maximum to these limits. If the module starts with more, Rewrite refuses the module.
	MemoryPages  uint32 // size of a memory in pages of 64 KiB; default 4 096, which is 256 MiB
	TableEntries uint32 // number of entries in one table; default 100 000
	CallDepth    uint32 // sum of the weights of the frames on the call stack; default 10 000
}

// withDefaults replaces zero fields with their defaults.
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
