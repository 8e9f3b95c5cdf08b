package mcp_test

import (
	"context"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/approvals"
	"github.com/windieos/windie/gateway/doors/doorstest"
)

// What a client's user says decides a question; where nobody chose, it stays open for others.
func TestMCPQuestions(t *testing.T) {
	overEachVersion(t, func(t *testing.T, version string) {
		tools := doorstest.RegistryOf(t, doorstest.FakeTool{
			About:  agent.Descriptor{Name: "test.risky", Risk: agent.Risky},
			Answer: doorstest.Always(agent.Result{Content: []agent.Part{agent.Text("did it")}}),
		})
		log := doorstest.MemoryJournal(t)
		says := ""
		c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
			ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				if says == "unknown" {
					return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "Method not found"}
				}
				return &mcp.ElicitResult{Action: says}, nil
			},
		})
		session := pipes(t, gateway.App{Store: new(storetest.Memory), Tools: tools, Journal: log, ApprovalKey: doorstest.TestKey}, c, version)
		call := func(action string) string {
			says = action
			r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "test_risky", Arguments: map[string]any{"n": action}})
			if err != nil {
				t.Fatal(err)
			}
			return r.Content[0].(*mcp.TextContent).Text
		}
		for action, want := range map[string]string{"accept": "did it", "decline": "the call did not run: the user denied it", "cancel": "`windie approvals`"} {
			if text := call(action); !strings.Contains(text, want) {
				t.Errorf("%s: %s", action, text)
			}
		}
		open := 1
		if version < "2026" { // the gateway asks; a newer client asks by itself
			open++
			if text := call("unknown"); !strings.Contains(text, "`windie approvals`") {
				t.Errorf("a client that does not know the method: %s", text)
			}
		}
		waiting, err := log.Pending(t.Context(), approvals.Stream("ada"))
		if err != nil || len(waiting) != open {
			t.Errorf("waiting: %v, %v", waiting, err)
		}
	})
}
