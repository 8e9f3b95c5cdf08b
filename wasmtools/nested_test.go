package wasmtools_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/wasmtools"
)

// A tool of a plugin gets the answer of another tool that it may call.
func TestToolCallsAnother(t *testing.T) {
	t.Parallel()
	const calling = `globalThis.tools = [{ name: "ask", call: ({ text }) => windie.callTool("other.say", { text }) }];`
	p := openSource(t, wasmtools.Config{ScriptRuntime: scriptRuntime(t)}, wasmtools.Grant{Permissions: wasmtools.Permissions{Tools: []string{"other.say"}}},
		wasmtools.Source{Name: "calling", Script: []byte(calling)})
	registry := agent.NewRegistry()
	other := agent.Func(agent.Descriptor{Name: "other.say", Risk: agent.Safe}, func(_ context.Context, _ agent.Call, in struct {
		Text string `json:"text"`
	}) (map[string]string, error) {
		return map[string]string{"said": in.Text}, nil
	})
	for _, tool := range []agent.Tool{other, registered{"calling.ask", "ask", p}} {
		if err := registry.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	result, err := registry.Invoke(t.Context(), "calling.ask", agent.Call{User: "ada", Arguments: json.RawMessage(`{"text":"hello"}`)})
	if err != nil || !strings.Contains(string(result.Structured), `"said":"hello"`) {
		t.Errorf("%+v, %v", result, err)
	}
}
