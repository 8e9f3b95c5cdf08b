//go:build system

package agents_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// upstream is an MCP server behind the gateway, whose tools show what reaches a tool.
type upstream struct {
	mu      sync.Mutex
	written []string      // by calls of write
	began   chan struct{} // gets a value when a call of wait began, if there is room
	ended   chan struct{} // likewise, when such a call was cancelled
	free    chan struct{} // a value ends such a call
}

// said is what the tools are called with.
type said struct {
	Text string `json:"text"`
}

// startUpstream starts the server, and names it in the gateway's data folder. A person is asked about write alone.
func startUpstream(t *testing.T, data string) *upstream {
	t.Helper()
	u := &upstream{began: make(chan struct{}, 1), ended: make(chan struct{}, 1), free: make(chan struct{}, 1)}
	answer := func(text string) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "echo", Description: "Says a text."}, func(_ context.Context, _ *mcp.CallToolRequest, s said) (*mcp.CallToolResult, any, error) {
		return answer("echo of " + s.Text)
	})
	mcp.AddTool(server, &mcp.Tool{Name: "write", Description: "Writes a text down."}, func(_ context.Context, _ *mcp.CallToolRequest, s said) (*mcp.CallToolResult, any, error) {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.written = append(u.written, s.Text)
		return answer("wrote " + s.Text)
	})
	mcp.AddTool(server, &mcp.Tool{Name: "wait", Description: "Waits until it is cancelled."}, func(ctx context.Context, _ *mcp.CallToolRequest, _ said) (*mcp.CallToolResult, any, error) {
		signal(u.began)
		select {
		case <-ctx.Done():
			signal(u.ended)
			return nil, nil, ctx.Err()
		case <-u.free:
			return answer("nobody cancelled it")
		}
	})
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	file, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"test": map[string]any{
		"url": web.URL, "risk": map[string]string{"echo": "safe", "wait": "safe"},
	}}})
	if err == nil {
		err = os.WriteFile(filepath.Join(data, "mcp.json"), file, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// signal puts a value into a channel that has room for it.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// wrote returns how often a text was written down.
func (u *upstream) wrote(text string) (n int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, w := range u.written {
		if w == text {
			n++
		}
	}
	return n
}
