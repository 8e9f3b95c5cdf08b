package fuel

import "strings"

// Report lists what is in a module, for a decision about it.
type Report struct {
	Imports  []Import
	Exports  []Export // without those that were added
	Memories []Extent // imported ones first
	Tables   []Extent // imported ones first

	Functions         int // of the module's own, without imported and added ones
	ImportedFunctions int
	HasStart          bool // a function runs when the module is instantiated
	Features          Features

	// Visit is the index of the added function slow, which runs whenever the guest visits the
	// host. An engine that listens to it runs code of the host there.
	Visit uint32

	// State names exported globals: the mutable ones of the module's own whose values are
	// numbers. With the memory they are all that a call can change, but for what Lasting lists.
	State   []string
	Lasting Lasting

	BytesBefore, BytesAfter int
	Dropped                 []string // custom sections that would have been wrong

	// CompileWork estimates how long compiling takes on one core, in steps of
	// about 15 ns; it errs on the high side.
	CompileWork uint64

	// Costliest is the index of the function whose body costs most fuel, CostliestFuel, counting
	// each instruction once, without what depends on operands. It is -1 without functions.
	Costliest     int
	CostliestFuel int64
}

// Lasting is what a call may change that putting memory and Report.State back leaves.
type Lasting byte

// What may last.
const (
	LastingTables   Lasting = 1 << iota // entries of tables
	LastingSegments                     // segments that were dropped
	LastingGlobals                      // globals of references and vectors
)

func (l Lasting) String() string {
	var list []string
	for i, name := range []string{"tables", "dropped segments", "globals of references or vectors"} {
		if l&(1<<i) != 0 {
			list = append(list, name)
		}
	}
	return strings.Join(list, ", ")
}

// Import is something a module asks for.
type Import struct {
	Module, Name string
	Type         ExternType
	Signature    string // of a function, as "(i32, i64) -> (i32)"
}

// Export is something a module offers.
type Export struct {
	Name      string
	Type      ExternType
	Index     uint32
	Signature string // of a function, as "(i32, i64) -> (i32)"
}

// Extent is the size of a memory, in pages of 64 KiB, or of a table, in entries.
type Extent struct {
	Imported bool   // what bounds it is the host's matter; nothing was put in
	Min      uint32 // at the start
	Max      uint32 // asked for; see Bounded
	Bounded  bool   // whether the module asked for a maximum
	Imposed  uint32 // the maximum in the rewritten module; of an imported one, Max or the largest there is
}

// ExternType is what kind of thing is imported or exported.
type ExternType byte

// The kinds, with their codes in the binary format.
const (
	ExternFunc ExternType = iota
	ExternTable
	ExternMemory
	ExternGlobal
)

func (t ExternType) String() string {
	if t > ExternGlobal {
		return "unknown"
	}
	return [...]string{"func", "table", "memory", "global"}[t]
}
