package connections_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bearer adds a token to requests.
type bearer struct{ token string }

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// A client that can show pages shows the one to sign in, and the call then runs. Any other client gets
// the error.
func TestClientShowsThePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person().connect() // the tools are known now
	for name, says := range map[string]string{"accept": "accept", "decline": "decline", "no pages": ""} {
		t.Run(name, func(t *testing.T) {
			eve := w.person()
			var asked atomic.Int32
			opts := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
			if says != "" {
				opts.Capabilities.Elicitation = &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}}
				opts.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					asked.Add(1)
					if r.Params.Mode != "url" || r.Params.URL != w.url+"/console/#/gateway/connections" {
						t.Errorf("%+v", r.Params)
					}
					if says == "accept" {
						if got := eve.finish(eve.consent(eve.begin())); got.status != http.StatusOK {
							t.Error(got)
						}
					}
					return &mcp.ElicitResult{Action: says}, nil
				}
			}
			client := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, opts)
			session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: w.url + "/mcp", HTTPClient: &http.Client{Transport: bearer{eve.token}}, DisableStandaloneSSE: true}, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = session.Close() })
			got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "other_web_whoami", Arguments: map[string]any{"say": "x"}})
			if err != nil {
				t.Fatal(err)
			}
			text := got.Content[0].(*mcp.TextContent).Text
			want := map[string]string{"accept": eve.there}[says]
			if want == "" {
				want = "CONNECTION_REQUIRED"
			}
			if !strings.Contains(text, want) || asked.Load() != int32(min(1, len(says))) {
				t.Errorf("asked %d times: %s", asked.Load(), text)
			}
		})
	}
}
