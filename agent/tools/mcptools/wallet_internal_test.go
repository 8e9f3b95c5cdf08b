package mcptools

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/agent"
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
