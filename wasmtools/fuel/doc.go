// Package fuel rewrites WebAssembly modules: what they do is paid for, bounded and stoppable.
//
//	safe, report, err := fuel.Rewrite(module, fuel.Options{})
//	... compile and instantiate safe, without running any function ...
//	meter, err := fuel.NewMeter(find)
//	meter.Start(50_000_000)
//	... call a function; on a trap, meter.Reason() says whose it was ...
//
// Compiled guests cannot be interrupted: Go cannot preempt machine code, so one endless
// guest stops the garbage collector and with it the process. The pass puts the ends in.
//
// # Words
//
// Fuel is what instructions cost: one each, with the exceptions in cost.go.
// A region is a stretch of a function that is paid for where it begins, by
// a charge. A check is a charge that also stops the guest if it took more
// than there was. A slice is the fuel spent between two visits to the host.
//
// # Where charges stand
//
// At the entry of each function and the head of each loop, with a check; behind each block and
// in each branch of an if, without one. A region ends where another begins; small ones are paid
// for where the block around them was entered, if that takes little for what may be jumped over.
//
// WebAssembly jumps backwards to loop heads only. So between two charges for a
// region each of its instructions runs once at most, and
//
//	instructions run <= fuel taken
//
// Endless loops meet a check at each turn, and trees of calls at each call. Between two checks
// functions can only go on to their ends, so that little is taken that is not there: see below.
//
// A call of an imported function, or through a table that may hold one, costs hundreds:
// the host's work for it is no fuel, but it is time.
//
// Instructions whose work depends on an operand, such as table.fill, also pay by it just
// before they run. What would trap anyway pays nothing: traps keep their kind while fuel lasts.
//
// memory.fill, memory.copy and memory.init work in chunks (bulk.go), each paid for, with a visit
// to the host between two: the engine's machine code for a gigabyte could not be stopped. A range
// that is not there traps before the first chunk.
//
// # Depth
//
// A function that calls others takes its weight from the depth that is left at its entry and
// gives it back at every exit. Its body is wrapped in a block, which takes the place of the
// function's own label: a branch to that label needs no change, a return becomes a branch to
// the block, and a tail call gives the weight back before it jumps. A trap leaves the depth
// as it is; Meter.Start sets it anew. A function that calls nothing needs no depth.
//
// A frame weighs 1, and more with many locals and operands or a large body
// (weight in cost.go), which bounds what runs without a check while calls return:
//
//	instructions between two visits <= slice + 4096 * depth + largest function
//
// # What is added
//
// Exports of the module's mutable globals, so that a host can put them back to what they were.
// Eight globals, of which five are exported (names.go), four functions and three types, each after the module's own, and
// an empty memory if it has none. No index of the module's own changes, so names, exports,
// elements and constants stay as they are. Every index in the module is checked to be one of
// its own: a module that names an added global is refused, and cannot fill its own tank.
//
// The added function slow runs when a charge finds too little fuel, and between chunks. It grows
// memory by zero pages: the engine returns to Go, and others run. Report.Visit is its index, for a
// host that listens to it. It traps if the depth is used up, the host
// said stop or the fuel is gone, with the reason in a global, and takes the next slice otherwise.
//
// # What is refused
//
// Features that the engine lacks or the pass does not know, by name; sizes beyond Limits,
// among them those that make compilers slow; counts that the bytes cannot hold. An accepted
// module need not be valid: types are the engine's business. Custom sections that speak of
// code by its position (debugging information, relocations) would be wrong, and are dropped.
package fuel
