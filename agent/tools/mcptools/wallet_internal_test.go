package mcptools

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity/upstream"
)

// A server that sends a user's token back in its list of tools, or in what it reports of a call, shows it to nobody.
func TestTokensAreHidden(t *testing.T) {
	t.Parallel()
	const token = "ada's-secret-token"
	w := &wallet{tokens: []string{token}}
	plain := listed{Name: "plain", Description: "does it", Input: json.RawMessage(`{"type": "object"}`)}
	l := &listing{Spec: "the spec", Short: "short of " + token, Tools: []listed{plain, {Name: "t", Description: "for " + token, Input: json.RawMessage(`{"description":"` + token + `"}`)}}}
	got := l.without(w)
	if text, _ := json.Marshal(got); strings.Contains(string(text), token) || !strings.Contains(string(text), "for [set]") || got.Spec != l.Spec {
		t.Errorf("%s", text)
	}
	if !reflect.DeepEqual(got.Tools[0], plain) {
		t.Errorf("%+v", got.Tools[0])
	}
	if got := l.without(nil); !reflect.DeepEqual(got, l) {
		t.Errorf("without tokens: %+v", got)
	}

	var seen []agent.Report
	s := &session{wallet: w}
	s.watched.Store("1", agent.WithProgress(t.Context(), func(r agent.Report) { seen = append(seen, r) }))
	s.progressed(&mcp.ProgressNotificationParams{ProgressToken: "1", Message: "with " + token})
	s.progressed(&mcp.ProgressNotificationParams{ProgressToken: "1", Meta: mcp.Meta{metaOutput: "wrote " + token}})
	if len(seen) != 2 || seen[0].Line != "with [set]" || seen[1].Output != "wrote [set]" {
		t.Errorf("%+v", seen)
	}
}

// issues is a connection that has a new token each time that the last one is refused.
type issues struct {
	Connections

	n, rejected int
}

func (c *issues) Token(_ context.Context, _ upstream.Server, _, stale string) (upstream.Token, error) {
	if c.rejected > 0 {
		return upstream.Token{}, fault.New("test", sdkapi.ConnectionRequired, "sign in again")
	}
	if stale != "" {
		c.n++
	}
	return upstream.Token{Access: fmt.Sprintf("access-%d", c.n), Connection: "c"}, nil
}

func (c *issues) Reject(context.Context, string) error { c.rejected++; return nil }

// answers is a server that accepts one token.
type answers struct {
	accepts string
	seen    []string // tokens and bodies
}

func (a *answers) RoundTrip(req *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(req.Body)
	a.seen = append(a.seen, strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")+" "+string(body))
	status := http.StatusUnauthorized
	if req.Header.Get("Authorization") == "Bearer "+a.accepts {
		status = http.StatusOK
	}
	return &http.Response{StatusCode: status, Body: http.NoBody, Header: http.Header{}}, nil
}

// A request whose token is refused is sent once more with a new one, and no more.
func TestRefusedTokens(t *testing.T) {
	t.Parallel()
	for accepts, want := range map[string][]string{
		"access-0": {"access-0 hello"},
		"access-1": {"access-0 hello", "access-1 hello"},
		"access-2": {"access-0 hello", "access-1 hello"},
	} {
		t.Run(accepts, func(t *testing.T) {
			from, by := &issues{}, &answers{accepts: accepts}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://other.example/mcp", strings.NewReader("hello"))
			if err != nil {
				t.Fatal(err)
			}
			resp, err := (&wallet{from: from, connection: "c"}).send(req, by)
			if err == nil {
				resp.Body.Close()
			}
			refused := accepts == "access-2"
			if !reflect.DeepEqual(by.seen, want) || (err != nil) != refused || (from.rejected > 0) != refused {
				t.Errorf("sent %q; %v; %d times rejected", by.seen, err, from.rejected)
			}
			if code := fault.From(err); refused && code.Code != sdkapi.ConnectionRequired {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
