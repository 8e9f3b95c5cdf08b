// Package wasmtools runs tools that are sandboxed WebAssembly.
//
//	engine, err := wasmtools.NewEngine(wasmtools.Config{CacheDir: dir})
//	plugin, err := engine.Open(ctx, source, grant)
//	result, err := plugin.Call(ctx, "convert", agent.Call{Arguments: arguments})
//
// Plugins serves the plugins of a folder as tools of a registry, and takes up changes there.
//
// # Words
//
// A plugin is a module or a script, with a manifest if its author wrote one. A guest is a
// compiled plugin; an instance of it has a memory and runs one call at a time. A grant is
// what the operator says of a plugin: what it may do, within which limits. A wish is what
// its manifest would like; it gives nothing. A version is a plugin as its files once were.
//
// # The way of a plugin
//
//	admit       what it is, asks for and gets; refused here: what is no module,
//	            too large, too slow to compile, or imports what there is not
//	instrument  fuel, depth and bounds are put in (wasmtools/fuel)
//	compile     once, and kept on disk by the hash of the code
//	warm up     it starts and describes itself, with no permission
//	snapshot    of memory and globals; each call begins with it
//	call        within limits, with what was granted, and with usage reported
//
// A module whose state a snapshot does not hold has a new instance for each
// call, and so has a program that begins at its start.
package wasmtools
