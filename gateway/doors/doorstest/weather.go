package doorstest

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/gateway/screens"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
)

// FakeTool is a tool that a test describes. If About has no risk, the tool is safe. If About has no origin, the tool
// belongs to the plugin weather.
type FakeTool struct {
	About  agent.Descriptor
	Answer func(context.Context, agent.Call) (agent.Result, error)
}

// Descriptor returns About with the defaults for the risk and the origin.
func (f FakeTool) Descriptor() agent.Descriptor {
	d := f.About
	if d.Risk == "" {
		d.Risk = agent.Safe
	}
	if d.Origin.Kind == "" {
		d.Origin = agent.Origin{Kind: agent.Wasm, Owner: "weather"}
	}
	return d
}

// Call calls the function Answer. Answer may be nil only if the test does not call the tool.
func (f FakeTool) Call(ctx context.Context, call agent.Call) (agent.Result, error) {
	return f.Answer(ctx, call)
}

// RegistryOf returns a registry with these tools.
func RegistryOf(t testing.TB, tools ...agent.Tool) *agent.Registry {
	t.Helper()
	r := agent.NewRegistry()
	for _, tool := range tools {
		if err := r.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// Always returns a function for FakeTool.Answer that always returns res.
func Always(res agent.Result) func(context.Context, agent.Call) (agent.Result, error) {
	return func(context.Context, agent.Call) (agent.Result, error) { return res, nil }
}

// DialogueTools returns the tools that the dialogues call: the gateway's own tools, and one tool for each kind of
// result and of origin.
func DialogueTools(t *testing.T, store artifacts.Store, scenes *perception.Scenes) *agent.Registry {
	tools := screens.BuiltinTools(store, query.New(scenes, nil))
	for name, answer := range weatherAnswers() {
		tools = append(tools, FakeTool{agent.Descriptor{Name: name}, answer})
	}
	phone, atlas := agent.Origin{Kind: agent.Client, Owner: "phone"}, agent.Origin{Kind: agent.MCP, Owner: "atlas"}
	return RegistryOf(t, append(tools,
		FakeTool{agent.Descriptor{
			Name: "weather.forecast", Description: "Returns the weather forecast.", Tag: "Weather",
			Input: json.RawMessage(`{"type": "object", "required": ["city"], "additionalProperties": false, "properties": {` +
				`"city": {"type": "string", "minLength": 1}, "days": {"type": "array", "items": {"type": "integer", "minimum": 1}}}}`),
			Output: json.RawMessage(`{"type": "object", "required": ["degrees"], "properties": {"degrees": {"type": "number"}}}`),
		}, Always(agent.Result{Structured: json.RawMessage(`{ "degrees": 21.50 }`), Usage: agent.Usage{
			Fuel: 120_000, PeakMemory: 1 << 20, WallTime: 12_400 * time.Microsecond, HostCalls: 2, EgressBytes: 310,
		}})},
		FakeTool{agent.Descriptor{Name: "alarm.ring", Tag: "Phone", Risk: agent.Risky, Origin: phone}, Always(agent.Result{Structured: json.RawMessage(`true`)})},
		FakeTool{agent.Descriptor{Name: "alarm.silence", Tag: "Phone", Risk: agent.Forbidden, Origin: phone}, nil},
		FakeTool{agent.Descriptor{Name: "map.show", Tag: "Map", Starting: true, Origin: atlas}, nil},
	)...)
}

// weatherAnswers returns the possible kinds of results, by the tool's name.
func weatherAnswers() map[string]func(context.Context, agent.Call) (agent.Result, error) {
	ran := agent.Usage{Fuel: 9, WallTime: 3 * time.Millisecond}
	return map[string]func(context.Context, agent.Call) (agent.Result, error){
		"weather.picture": Always(agent.Result{Content: []agent.Part{
			agent.Text("It rains <on> the café."), agent.Image("image/png", []byte("\x89PNG")), agent.JSON(json.RawMessage(`{"mm": 3}`)), agent.Text(""),
		}}),
		"weather.both":    Always(agent.Result{Structured: json.RawMessage(`{"mm":3}`), Content: []agent.Part{agent.Text("3 mm of rain")}}),
		"weather.nothing": Always(agent.Result{}),
		"weather.fails": Always(agent.Result{IsError: true, Usage: ran, Content: []agent.Part{
			agent.Text("There is no station in Atlantis."), agent.Image("image/png", nil), agent.Text("Try another city."),
		}}),
		"weather.sulks": Always(agent.Result{IsError: true}),
		"weather.breaks": func(context.Context, agent.Call) (agent.Result, error) {
			return agent.Result{Usage: ran}, errors.New("dial 10.0.0.7: refused")
		},
		"weather.waits": func(ctx context.Context, _ agent.Call) (agent.Result, error) {
			<-ctx.Done()
			return agent.Result{}, ctx.Err()
		},
		"weather.echo": func(_ context.Context, call agent.Call) (agent.Result, error) {
			return agent.Result{Structured: call.Arguments}, nil
		},
	}
}
