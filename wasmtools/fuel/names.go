package fuel

// Names under which a rewritten module exports globals. The pass refuses a module that itself exports a
// name with reservedPrefix, because the host could take that global for the fuel.
const (
	reservedPrefix = "windie."
	fuelPrefix     = reservedPrefix + "fuel."

	fuelName    = fuelPrefix + "slice"   // i64: fuel left of the slice; negative if a charge is not covered
	reserveName = fuelPrefix + "reserve" // i64: fuel left beyond the slice
	depthName   = fuelPrefix + "depth"   // i64: weight of the frames that may still be entered
	stopName    = fuelPrefix + "stop"    // i32: nonzero asks the guest to stop; the guest only reads it
	reasonName  = fuelPrefix + "reason"  // i32: a Reason

	statePrefix = reservedPrefix + "state." // then a number: one of the module's own mutable globals
)

// Offsets of the added globals from the first of them.
const (
	fuelGlobal = iota
	reserveGlobal
	depthGlobal
	stopGlobal
	reasonGlobal
	exportedGlobals              // the remaining ones are not exported
	destinationGlobal = iota - 1 // i32, like the next two: rest of a memory.init
	sourceGlobal
	countGlobal
	addedGlobals
)

// globalNames lists the exported globals among the added ones, in their order.
var globalNames = [exportedGlobals]string{fuelName, reserveName, depthName, stopName, reasonName}

// Offsets of the added functions from the first of them.
const (
	slowFunc = iota // called by a charge that finds too little fuel
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
