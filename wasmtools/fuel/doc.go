// Package fuel rewrites WebAssembly modules so that their work is paid for, limited and stoppable.
//
//	safe, report, err := fuel.Rewrite(module, fuel.Options{})
//	... compile and instantiate safe, without running any function ...
//	meter, err := fuel.NewMeter(find)
//	meter.Start(50_000_000)
//	... call a function; after a trap, meter.Reason() says whether the pass or the guest caused it ...
//
// Compiled guests cannot be interrupted: Go cannot preempt machine code, so one endless guest stops
// the garbage collector and with it the process. The pass adds the points at which a guest can end.
//
// # Words
//
// Fuel is the cost of instructions: one unit each, with the exceptions in cost.go. A region is a
// stretch of a function that one charge pays for at its beginning. A check is a charge that also
// stops the guest if the fuel is used up. A slice is the fuel spent between two visits to the host.
//
// # Where the pass puts charges
//
// It puts a charge with a check at the entry of each function and the head of each loop. It puts a
// charge without a check after each block and into each branch of an if. A region ends where
// another begins. The charge of the region around a small region pays for the small region, if it
// thereby charges little for code that control may skip.
//
// WebAssembly jumps backwards only to loop heads. So between two charges for a region each of its
// instructions runs at most once, and
//
//	instructions run <= fuel taken
//
// An endless loop meets a check in each iteration. A tree of calls meets a check at each call.
// Between two checks a function can only run to its end, so the fuel falls little below zero; see
// the section Depth.
//
// A call of an imported function, or through a table that may contain one, costs hundreds of units,
// because the host's work takes time but no fuel.
//
// Instructions whose work depends on an operand, for example table.fill, also pay by the operand
// just before they run. An operand above the maximum pays nothing, because the instruction traps or
// fails without work. So traps keep their kind while fuel lasts.
//
// memory.fill, memory.copy and memory.init work in chunks (bulk.go), because the engine's machine
// code for a gigabyte could not be stopped. The guest pays for each chunk, and visits the host
// between two chunks. A range outside of the memory traps before the first chunk.
//
// # Depth
//
// A function that calls others takes its weight from the remaining depth at its entry and gives it
// back at every exit. The pass wraps its body in a block, which takes the place of the function's
// own label. A branch to that label needs no change, a return becomes a branch to the block, and a
// tail call gives the weight back before it jumps. A trap leaves the depth unchanged; Meter.Start
// resets it. A function that calls nothing needs no depth.
//
// A frame weighs 1, and more with many locals and operands or a large body (weight in cost.go).
// This limits the code that runs without a check while calls return:
//
//	instructions between two visits <= slice + 4096 * depth + largest function
//
// # What the pass adds
//
// The pass exports the module's mutable globals, so that a host can restore them. It adds eight
// globals, five of them exported (names.go), four functions and three types, each after the
// module's own, and an empty memory if the module has none. No index of the module's own changes,
// so names, exports, elements and constants stay the same. The pass refuses a module with an index
// that is not one of its own, for example of an added global. So a guest cannot give itself fuel.
//
// The added function slow runs when a charge finds too little fuel, and between chunks. It grows
// memory by zero pages, which makes the engine return to Go, so other goroutines run. Report.Visit
// is its index, for a host that listens to calls of it. slow traps if the depth is used up, the
// host called Stop or the fuel is used up. It then records the reason in a global. Otherwise it
// takes the next slice.
//
// # What the pass refuses
//
// The pass refuses features that the engine or the pass does not know, and names the feature. It
// refuses sizes beyond Limits, among them sizes that make compilers slow. It refuses counts that are
// too large for the remaining bytes. An accepted module need not be valid: the engine checks types.
// The pass drops custom sections that refer to positions in code (debugging information,
// relocations), because these positions would be wrong.
package fuel
