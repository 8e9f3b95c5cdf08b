// Package abi is how a guest and the gateway talk: the functions that guests
// import, and what is said in a describe and a call. docs/plugin-abi.md is the
// same for authors.
//
//	conv, err := abi.Detect(imports, exports)
//	err = abi.Instantiate(ctx, runtime, imports)
//	call.Begin(host, limits, conv.CallInput("convert", arguments))
//	... run the export conv.Call.Export with call.Context(ctx) ...
//	answer, err := abi.ParseAnswer(call.Output)
//
// A Convention is what to run and what to say. A Call is one run of a guest:
// what went in, what came out, and what it took. A Host is what the guest may
// ask for in between. The package knows nothing of plugins, permissions and
// pools.
package abi
