// Package abi defines how a guest and the gateway communicate: the functions that guests import,
// and the messages of describe and call. docs/plugin-reference.md describes the same for authors.
//
//	convention, err := abi.Detect("", imports, exports)
//	err = abi.Instantiate(ctx, runtime, imports, false)
//	err = call.Begin(ctx, host, limits, convention.CallInput(nil, "convert", arguments, user))
//	... run convention.Export("convert") with call.Context(ctx) ...
//	err = call.End()
//	answer, err := convention.ParseAnswer(call.Output)
//
// A Convention says which exports to run and with which input. A Call is one run of a guest: its
// input, its output and its usage. A Host performs the requests of the guest. The package knows no
// plugins, permissions or pools.
package abi
