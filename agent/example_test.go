package agent_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
)

func Example() {
	type in struct {
		Left  int `json:"left" doc:"The first number."`
		Right int `json:"right" maximum:"100" doc:"The second number."`
	}
	type out struct {
		Sum int `json:"sum"`
	}
	registry := agent.NewRegistry()
	err := registry.Register(agent.Func(
		agent.Descriptor{Name: "math.add", Description: "Adds two numbers.", Tag: "Math", Risk: agent.Safe},
		func(_ context.Context, _ agent.Call, in in) (out, error) { return out{in.Left + in.Right}, nil }))
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	result, err := registry.Invoke(ctx, "math.add", agent.Call{User: "ada", Arguments: json.RawMessage(`{"left":1,"right":2}`)})
	fmt.Println(string(result.Structured), err)
	_, err = registry.Invoke(ctx, "math.add", agent.Call{User: "ada", Arguments: json.RawMessage(`{"right":101}`)})
	for _, field := range fault.From(err).Details.Fields {
		fmt.Println(field.Path, "-", field.Message)
	}
	// Output:
	// {"sum":3} <nil>
	// arguments.left - expected this field, which is required
	// arguments.right - expected a number <= 100
}

// A plugin's tools change together. Listeners get the revision, and a view
// shows each user what is theirs.
func ExampleRegistry_Update() {
	registry := agent.NewRegistry()
	revisions, unsubscribe := registry.Subscribe()
	defer unsubscribe()
	notes := agent.Origin{Kind: agent.Wasm, Owner: "notes"}
	err := registry.Update(notes, []agent.Tool{tool("notes.read", notes), tool("notes.write", notes)})
	fmt.Println(<-revisions, err)

	guest := registry.View(func(d agent.Descriptor) bool { return d.Name != "notes.write" })
	tools, _ := guest.List()
	for _, d := range tools {
		fmt.Println(d.Name, "by", d.Origin)
	}
	_, err = guest.Invoke(context.Background(), "notes.write", agent.Call{User: "guest"})
	fmt.Println(fault.CodeOf(err))
	// Output:
	// 1 <nil>
	// notes.read by wasm "notes"
	// TOOL_NOT_FOUND
}
