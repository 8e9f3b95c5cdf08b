// Package agent holds the tools that agents use, whoever brings them.
//
//	registry := agent.NewRegistry()
//	err := registry.Register(agent.Func(agent.Descriptor{
//		Name: "clock.now", Description: "Tells the time.", Risk: agent.Safe,
//	}, now))
//	result, err := registry.Invoke(ctx, "clock.now", agent.Call{User: "ada"})
//
// A Tool is one thing that can be called. Its Descriptor says how, how risky
// that is, and its Origin: who brought it. The Registry holds all tools, and
// its Invoke is the one way to call them: it checks what goes in and what
// comes out. A View is the registry narrowed to what someone may see. A
// Result is what the model reads; an error is for those who run the gateway.
package agent
