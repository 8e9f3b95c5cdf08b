// Package agent has the tools of agents, from all origins.
//
//	registry := agent.NewRegistry()
//	err := registry.Register(agent.Func(agent.Descriptor{
//		Name: "clock.now", Description: "Returns the time.", Risk: agent.Safe,
//	}, now))
//	result, err := registry.Invoke(ctx, "clock.now", agent.Call{User: "ada"})
//
// A Tool can be called. Its Descriptor has its schemas, its risk, and its Origin. The Registry has
// all tools. Registry.Invoke is the only way to call a tool, and checks arguments and results. A
// View shows a part of the registry. A Result is for the model. An error is for the operator.
package agent
