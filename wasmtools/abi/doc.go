// Package abi is how a guest and the gateway talk: the functions that guests import, and
// the messages of a describe and a call. docs/plugin-reference.md is the same for authors.
//
//	convention, err := abi.Detect("", imports, exports)
//	err = abi.Instantiate(ctx, runtime, imports, false)
//	err = call.Begin(ctx, host, limits, convention.CallInput(nil, "convert", arguments, user))
//	... run convention.Export("convert") with call.Context(ctx) ...
//	err = call.End()
//	answer, err := convention.ParseAnswer(call.Output)
//
// A Convention is what to run and what to say. A Call is one run of a guest:
// what went in, what came out, and what it took. A Host is what the guest may
// ask for in between. The package knows no plugins, permissions or pools.
package abi
