// Package wasmtools runs tools that are sandboxed WebAssembly.
//
//	engine, err := wasmtools.NewEngine(wasmtools.Config{CacheDir: dir})
//	plugin, err := engine.Open(ctx, source, grant)
//	result, err := plugin.Call(ctx, "convert", agent.Call{Arguments: arguments})
//
// Plugins serves the plugins of a folder as tools of a registry, and follows changes to the folder.
//
// # Words
//
// A plugin is a module or a script, with an optional manifest from its author. A guest is a
// compiled plugin. An instance of it has a memory and runs one call at a time. A grant is the
// operator's decision about a plugin: its permissions and limits. A wish is a permission that the
// manifest asks for; it gives nothing. A version is a plugin as its files were at one time.
//
// # The way of a plugin
//
//	admit       read what it is, asks for and gets; refuse what is not a module,
//	            is too large, too slow to compile, or has imports that do not exist
//	instrument  add fuel, depth and limits (wasmtools/fuel)
//	compile     once, and cache on disk by the hash of the code
//	warm up     it starts and describes itself, without permissions
//	snapshot    of memory and globals; each call starts from it
//	call        within limits, with the granted permissions; usage is reported
//
// A module whose state a snapshot does not cover gets a new instance for each call. So does a
// program that starts at its entry.
package wasmtools
