package fuel

import "strings"

// Report describes the contents of a module, so that a host can decide whether to run it.
type Report struct {
	Imports  []Import
	Exports  []Export // exports of the module, without those that Rewrite added
	Memories []Extent // memories of the module; imported memories are first
	Tables   []Extent // tables of the module; imported tables are first

	// number of the module's own functions, without the imported functions and those that Rewrite
	// added
	Functions         int
	ImportedFunctions int
	HasStart          bool // true if the module has a start function, which runs when the module is instantiated
	Features          Features

	// Visit is the index of the function named slow, which Rewrite added. The guest calls it about
	// once a millisecond. A host can make the engine call a listener at each of these calls.
	Visit uint32

	// State has the names under which the rewritten module exports its own mutable globals with
	// numeric values. A call of the guest can change these globals, the memory and the state in
	// Lasting, and no other state.
	State   []string
	Lasting Lasting

	BytesBefore, BytesAfter int
	// names of custom sections that Rewrite dropped because its other changes made their content
	// wrong
	Dropped []string

	// CompileWork is the estimated compile time on one core, in steps of about 15 ns. It is usually
	// higher than the real time.
	CompileWork uint64

	// Costliest is the index of the function whose instructions cost the most fuel, or -1 if there
	// are no functions. CostliestFuel is this cost. It counts each instruction once, and does not
	// include the fuel that depends on the operands of an instruction.
	Costliest     int
	CostliestFuel int64
}

// Lasting is a set of kinds of state, for example tables. A host cannot restore this state after a
// call. It can restore only the memory and the globals in Report.State.
type Lasting byte

// Kinds of lasting state.
const (
	LastingTables   Lasting = 1 << iota // state in the entries of tables
	LastingSegments                     // state of the segments: the module can drop some of them
	LastingGlobals                      // state in globals whose type is a reference or a vector
)

// String returns the names of the kinds of state, with commas between them.
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
	Signature    string // type of an imported function, for example "(i32, i64) -> (i32)"; empty for other imports
}

// Export is an export of a module.
type Export struct {
	Name      string
	Type      ExternType
	Index     uint32
	Signature string // type of an exported function, for example "(i32, i64) -> (i32)"; empty for other exports
}

// Extent is the size of a memory or a table. The unit is a page of 64 KiB for a memory, and an
// entry for a table.
type Extent struct {
	Imported bool   // true if the memory or table is imported: the host sets its limit, and Rewrite does not change it
	Min      uint32 // size at the start
	Max      uint32 // maximum size that the module requested; valid only if Bounded is true
	Bounded  bool   // true if the module requested a maximum size
	Imposed  uint32 // maximum size in the rewritten module; if Imported, it is Max or the largest possible size
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
