package mcp_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/doors/doorstest"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
)

// road takes a client's requests to the gateway that it leads to at the moment, with a token.
type road struct {
	token string
	host  atomic.Value // string
}

func (r *road) to(url string) { r.host.Store(strings.TrimPrefix(url, "http://")) }

func (r *road) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.URL.Host = r.host.Load().(string)
	req.Header.Set("Authorization", "Bearer "+r.token)
	return http.DefaultTransport.RoundTrip(req)
}

// sharing returns how gateways are started that share the database of ids.
func sharing(t *testing.T, ids *identity.Identity) func(t *testing.T) string {
	log := doorstest.MemoryJournal(t)
	return func(t *testing.T) string {
		tools := doorstest.RegistryOf(t, doorstest.EchoTool{}, doorstest.FakeTool{
			About:  agent.Descriptor{Name: "test.risky", Risk: agent.Risky},
			Answer: doorstest.Always(agent.Result{Content: []agent.Part{agent.Text("did it")}}),
		})
		return gatewaytest.Start(t, gateway.App{Hosted: true, Identity: ids, Tools: tools, Journal: log})
	}
}

// A client whose session began at one gateway goes on at another that shares the database, also when the first is gone, and
// all that the client said it can do is known there.
func TestMCPSessionsOutliveTheirGateway(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2024-11-05", "2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			ids := gatewaytest.Identity(t)
			start := sharing(t, ids)
			_, token := doorstest.Registered(t, ids)
			r := &road{token: token}
			var asked atomic.Int64
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
				Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{}},
				ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					asked.Add(1)
					return &mcp.ElicitResult{Action: "accept"}, nil
				},
			})
			var session *mcp.ClientSession
			call := func(name string, fresh string) {
				t.Helper()
				res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: map[string]any{"a": fresh}})
				if err != nil || res.IsError {
					t.Fatalf("%s: %+v, %v", name, res, err)
				}
			}
			ctx := t.Context()
			t.Run("at the first", func(inner *testing.T) {
				r.to(start(inner))
				var err error
				session, err = client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: "http://windie.test" + sdkapi.MCPPath, HTTPClient: &http.Client{Transport: r}, DisableStandaloneSSE: true},
					&mcp.ClientSessionOptions{ProtocolVersion: version})
				if err != nil {
					inner.Fatal(err)
				}
				call("test_echo", "1")
			})
			if session == nil {
				t.FailNow()
			}
			defer session.Close()
			second, third := start(t), start(t)
			r.to(second) // as after a restart
			call("test_echo", "2")
			call("test_risky", "2")
			r.to(third) // as behind a balancer
			call("test_risky", "3")
			r.to(second)
			call("test_echo", "4")
			if asked.Load() != 2 {
				t.Errorf("the client's user was asked %d times", asked.Load())
			}
			id := session.ID()
			if err := session.Close(); err != nil {
				t.Error(err)
			}
			r.to(start(t))
			if status := ping(t, r, version, id); status != http.StatusNotFound {
				t.Errorf("a session that its client has ended: %d", status)
			}
		})
	}
}

// ping sends a ping in a session, and returns the answer's status.
func ping(t *testing.T, r *road, version, id string) int {
	t.Helper()
	resp, err := r.RoundTrip(doorstest.MCPMessage(t, "http://windie.test", version, "ping", "", sdkapi.MCPSessionHeader, id))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// A session is its user's, and goes on nowhere once it has ended.
func TestMCPSessionsOfOthersDoNotGoOn(t *testing.T) {
	t.Parallel()
	const version = "2025-06-18"
	ids := gatewaytest.Identity(t)
	start := sharing(t, ids)
	first, second := start(t), start(t)
	for name, tt := range map[string]struct {
		change func(t *testing.T, own identity.Install, r *road, id string)
		want   int
	}{
		"as it is":     {func(*testing.T, identity.Install, *road, string) {}, http.StatusOK},
		"unknown":      {func(_ *testing.T, _ identity.Install, _ *road, _ string) {}, http.StatusNotFound},
		"another user": {func(t *testing.T, _ identity.Install, r *road, _ string) { _, r.token = doorstest.Registered(t, ids) }, http.StatusNotFound},
		"expired": {func(t *testing.T, own identity.Install, _ *road, id string) {
			if there, err := ids.UsedMCPSession(t.Context(), id, own.User, 0); err != nil || !there {
				t.Fatal(there, err)
			}
		}, http.StatusNotFound},
		"ended": {func(t *testing.T, own identity.Install, _ *road, id string) {
			if err := ids.EndMCPSession(t.Context(), id, own.User); err != nil {
				t.Fatal(err)
			}
		}, http.StatusNotFound},
		"too large to be kept": {nil, http.StatusNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			own, token := doorstest.Registered(t, ids)
			bearer := []string{"Authorization", "Bearer " + token}
			large := ""
			if tt.change == nil {
				large = strings.Repeat("x", identity.MaxMCPStart)
			}
			resp, body := doorstest.MCPPost(t, first, version, "initialize", `"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"test`+large+`","version":"1"}`, bearer...)
			id := resp.Header.Get(sdkapi.MCPSessionHeader)
			if id == "" {
				t.Fatal(resp.Status, body)
			}
			if name == "unknown" {
				id = strings.Repeat("A", len(id))
			}
			r := &road{token: token}
			if r.to(second); tt.change != nil {
				tt.change(t, own, r, id)
			}
			if status := ping(t, r, version, id); status != tt.want {
				t.Errorf("status %d, want %d", status, tt.want)
			}
		})
	}
}
