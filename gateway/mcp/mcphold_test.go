package mcp_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/quota"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// A call over MCP that asks for progress, and for which no stream may be opened, is refused before it is made.
func TestMCPHoldsBeforeTheCall(t *testing.T) {
	t.Parallel()
	begun, goOn := make(chan struct{}, 10), make(chan struct{})
	var made, cut atomic.Int64
	tool := doorstest.FakeTool{About: agent.Descriptor{Name: "test.pays"}, Answer: func(ctx context.Context, _ agent.Call) (agent.Result, error) {
		made.Add(1)
		begun <- struct{}{}
		select {
		case <-goOn:
		case <-ctx.Done():
			cut.Add(1)
		}
		return agent.Result{Content: []agent.Part{agent.Text("paid")}}, nil
	}}
	url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Tools: doorstest.RegistryOf(t, tool), Limits: quota.Limits{AddressOpen: 1}})
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url + sdkapi.MCPPath, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	call := func() (*mcp.CallToolResult, error) {
		params := &mcp.CallToolParams{Name: "test_pays", Arguments: map[string]any{}}
		params.SetProgressToken("p")
		return session.CallTool(t.Context(), params)
	}
	first := make(chan error, 1)
	go func() {
		_, err := call()
		first <- err
	}()
	doorstest.Receive(t, begun, "the first call")
	refused, err := call()
	if err != nil || !refused.IsError || !strings.Contains(refused.Content[0].(*mcp.TextContent).Text, string(sdkapi.RateLimited)) {
		t.Errorf("the second call: %+v, %v", refused, err)
	}
	close(goOn)
	if err := doorstest.Receive(t, first, "the first call's end"); err != nil {
		t.Error(err)
	}
	testkit.Eventually(t, "what the first one held is free again", func() (any, bool) {
		again, err := call()
		return err, err == nil && !again.IsError
	})
	if made.Load() != 2 || cut.Load() != 0 {
		t.Errorf("made %d times, %d cut off", made.Load(), cut.Load())
	}
}
