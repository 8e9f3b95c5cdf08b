package mcp_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// A client that asks for progress is shown what a tool puts out before the result: whole, in order, each piece also as a
// message without what a terminal would obey, and under figures that grow.
func TestMCPShowsOutput(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	tool := doorstest.FakeTool{About: agent.Descriptor{Name: "test.prints"}, Answer: func(ctx context.Context, _ agent.Call) (agent.Result, error) {
		agent.Output(ctx, "one\t\x1b[2J\n")
		<-goOn
		agent.Output(ctx, "two\n")
		agent.Output(ctx, "three\n")
		return agent.Result{Content: []agent.Part{agent.Text("done")}}, nil
	}}
	url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Tools: doorstest.RegistryOf(t, tool)})
	var mu sync.Mutex
	var pieces, messages []string
	last := 0.0
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			if r.Params.Progress <= last {
				t.Errorf("the figure %v follows %v", r.Params.Progress, last)
			}
			last = r.Params.Progress
			if piece, ok := r.Params.Meta["windie/output"].(string); ok {
				pieces, messages = append(pieces, piece), append(messages, r.Params.Message)
			}
		},
	})
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url + sdkapi.MCPPath, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	shown := func(want string) {
		t.Helper()
		testkit.Eventually(t, "the output "+want, func() (string, bool) {
			mu.Lock()
			defer mu.Unlock()
			got := strings.Join(pieces, "")
			return got, got == want
		})
	}
	ended := make(chan error, 1)
	go func() {
		params := &mcp.CallToolParams{Name: "test_prints", Arguments: map[string]any{}}
		params.SetProgressToken("p")
		_, err := session.CallTool(t.Context(), params)
		ended <- err
	}()
	shown("one\t\x1b[2J\n")
	close(goOn)
	if err := doorstest.Receive(t, ended, "the result"); err != nil {
		t.Fatal(err)
	}
	shown("one\t\x1b[2J\ntwo\nthree\n")
	if got := strings.Join(messages, ""); strings.Contains(got, "\x1b") {
		t.Errorf("messages: %q", got)
	}
}

// The figures of a tool that counts how far it is reach the client as they are, at once, and the last before the result.
func TestMCPShowsFigures(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	tool := doorstest.FakeTool{About: agent.Descriptor{Name: "test.counts"}, Answer: func(ctx context.Context, _ agent.Call) (agent.Result, error) {
		agent.ProgressOf(ctx, "half", 50, 100)
		<-goOn
		agent.ProgressOf(ctx, "back", 20, 100)
		agent.ProgressOf(ctx, "all", 100, 100)
		return agent.Result{Content: []agent.Part{agent.Text("done")}}, nil
	}}
	url := gatewaytest.Start(t, gateway.App{Store: new(storetest.Memory), Tools: doorstest.RegistryOf(t, tool)})
	heard := make(chan mcp.ProgressNotificationParams, 1000)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { heard <- *r.Params },
	})
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url + sdkapi.MCPPath, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	ended := make(chan error, 1)
	go func() {
		params := &mcp.CallToolParams{Name: "test_counts", Arguments: map[string]any{}}
		params.SetProgressToken("p")
		_, err := session.CallTool(t.Context(), params)
		ended <- err
	}()
	last := 0.0
	until := func(message string, done float64) {
		t.Helper()
		for {
			p := doorstest.Receive(t, heard, message)
			if p.Progress <= last {
				t.Errorf("the figure %v follows %v", p.Progress, last)
			}
			if last = p.Progress; p.Progress == done && p.Message == message && p.Total == 100 {
				return
			}
		}
	}
	until("half", 50)
	close(goOn)
	until("all", 100)
	if err := doorstest.Receive(t, ended, "the result"); err != nil {
		t.Fatal(err)
	}
}
