package fuel

// Names under which a rewritten module exports globals. A module that exports
// a name with this prefix is refused: it could pass its own tank for ours.
const (
	reservedPrefix = "windie."
	fuelPrefix     = reservedPrefix + "fuel."

	fuelName    = fuelPrefix + "slice"   // i64: left of the slice; negative while a charge is not covered
	reserveName = fuelPrefix + "reserve" // i64: left beyond the slice
	depthName   = fuelPrefix + "depth"   // i64: weight of the frames that may still be entered
	stopName    = fuelPrefix + "stop"    // i32: not 0 asks the guest to stop; it only reads it
	reasonName  = fuelPrefix + "reason"  // i32: a Reason

	statePrefix = reservedPrefix + "state." // and a number: a mutable global of the module's own
)

// Offsets of the added globals from the first of them.
const (
	fuelGlobal = iota
	reserveGlobal
	depthGlobal
	stopGlobal
	reasonGlobal
	exportedGlobals              // the others are the pass's own
	destinationGlobal = iota - 1 // i32, as the next two: what is left to do of a memory.init
	sourceGlobal
	countGlobal
	addedGlobals
)

// globalNames lists the exported globals among the added ones, in their order.
var globalNames = [exportedGlobals]string{fuelName, reserveName, depthName, stopName, reasonName}

// Offsets of the added functions from the first of them.
const (
	slowFunc = iota // what a charge calls when it finds too little fuel
	payFunc         // the charge by an operand
	fillFunc        // memory.fill in chunks
	copyFunc        // memory.copy in chunks
	addedFunctions
)

// Offsets of the types of the added functions from the first added type.
const (
	slowType  = iota // () -> ()
	payType          // (count i32, largest i32, rate i64) -> (count i32)
	rangeType        // (destination i32, value or source i32, count i32) -> ()
	addedTypes
)
