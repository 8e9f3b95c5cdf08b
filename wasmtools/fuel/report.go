package fuel

import "strings"

// Report describes the contents of a module, so that a host can decide whether to run it.
type Report struct {
	Imports  []Import
	Exports  []Export // without the added exports
	Memories []Extent // imported ones first
	Tables   []Extent // imported ones first

	Functions         int // the module's own, without imported and added ones
	ImportedFunctions int
	HasStart          bool // a function runs when the module is instantiated
	Features          Features

	// Visit is the index of the added function slow, which runs whenever the guest visits the host.
	// A host can have the engine call it back there.
	Visit uint32

	// State names the exported globals for the module's own mutable globals whose values are
	// numbers. A call can change only these and the memory, apart from the state in Lasting.
	State   []string
	Lasting Lasting

	BytesBefore, BytesAfter int
	Dropped                 []string // custom sections that the pass dropped because they would be wrong

	// CompileWork estimates the compile time on one core, in steps of about 15 ns. It errs on the
	// high side.
	CompileWork uint64

	// Costliest is the index of the function with the most fuel, or -1 if there are no functions.
	// CostliestFuel is that fuel. It counts each instruction once, without charges by operand.
	Costliest     int
	CostliestFuel int64
}

// Lasting is a set of kinds of state, for example tables. A host cannot restore this state after a
// call: it can restore only the memory and the globals in Report.State.
type Lasting byte

// Kinds of lasting state.
const (
	LastingTables   Lasting = 1 << iota // entries of tables
	LastingSegments                     // segments that were dropped
	LastingGlobals                      // globals of reference or vector type
)

// String lists the kinds in words, with commas between them.
func (l Lasting) String() string {
	var list []string
	for i, name := range []string{"tables", "dropped segments", "globals of references or vectors"} {
		if l&(1<<i) != 0 {
			list = append(list, name)
		}
	}
	return strings.Join(list, ", ")
}

// Import is an import of a module.
type Import struct {
	Module, Name string
	Type         ExternType
	Signature    string // of a function, for example "(i32, i64) -> (i32)"
}

// Export is an export of a module.
type Export struct {
	Name      string
	Type      ExternType
	Index     uint32
	Signature string // of a function, for example "(i32, i64) -> (i32)"
}

// Extent is the size of a memory, in pages of 64 KiB, or of a table, in entries.
type Extent struct {
	Imported bool   // the host sets its limit; the pass changed nothing
	Min      uint32 // at the start
	Max      uint32 // requested maximum; see Bounded
	Bounded  bool   // the module requested a maximum
	Imposed  uint32 // maximum in the rewritten module; if imported, Max or the largest possible value
}

// ExternType is the kind of an import or export.
type ExternType byte

// The kinds, with their codes in the binary format.
const (
	ExternFunc ExternType = iota
	ExternTable
	ExternMemory
	ExternGlobal
)

// String returns the name of the kind in WebAssembly's text format, or "unknown".
func (t ExternType) String() string {
	if t > ExternGlobal {
		return "unknown"
	}
	return [...]string{"func", "table", "memory", "global"}[t]
}
