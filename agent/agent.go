// Package agent holds the tools that agents use, of every origin.
//
//	registry := agent.NewRegistry()
//	err := registry.Register(agent.Func(agent.Descriptor{
//		Name: "clock.now", Description: "Returns the time.", Risk: agent.Safe,
//	}, now))
//	result, err := registry.Invoke(ctx, "clock.now", agent.Call{User: "ada"})
//
// A Tool is one thing that can be called. Its Descriptor says how, with which
// risk, and from which Origin it comes. The Registry holds all tools. Its Invoke
// is the only way to call them, and checks arguments and results. A View shows a
// part of the registry. The model reads a Result, the operator an error.
package agent
