package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
)

// Pieces of an answer are shown as whoever made them wrote them.
func TestContentIsPreserved(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, whole, want string }{
		{"audio", `{"type":"audio","mimeType":"audio/wav","data":"AAEC"}`, `{"type":"audio","mimeType":"audio/wav","data":"AAEC"}`},
		{"a link", `{"type":"resource_link","uri":"file:///a","name":"a","description":"d"}`, `"uri":"file:///a"`},
		{"a resource", `{"type":"resource","resource":{"uri":"file:///b","text":"t"}}`, `"text":"t"`},
		{"annotations", `{"type":"text","text":"x","annotations":{"priority":1,"audience":["user"]}}`, `"audience":["user"]`},
		{"meta", `{"type":"text","text":"x","_meta":{"a":1}}`, `"_meta":{"a":1}`},
		{"a kind that nobody knows", `{"type":"new","x":1}`, `{"type":"text","text":"in words"}`},
		{"nothing more", ``, `{"type":"text","text":"in words"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			part := agent.Text("in words")
			part.MCP = json.RawMessage(tt.whole)
			raw, err := json.Marshal(toResult(agent.Result{Content: []agent.Part{part}}).Content)
			if err != nil || !strings.Contains(string(raw), tt.want) {
				t.Errorf("got %s, %v, without %s", raw, err, tt.want)
			}
		})
	}
}

// What a tool says beside its answer reaches clients, but not under the keys of the protocol and of the gateway.
func TestMetaIsPreserved(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, meta, want string }{
		{"kept", `{"acme.example/trace":"t1"}`, `{"_meta":{"acme.example/trace":"t1"},"content":[]}`},
		{"of the protocol", `{"io.modelcontextprotocol/serverInfo":{"name":"another"},"windie/decision":{},"a":1}`, `{"_meta":{"a":1},"content":[]}`},
		{"none", ``, `{"content":[]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			raw, err := json.Marshal(toResult(agent.Result{Meta: json.RawMessage(tt.meta)}))
			if err != nil || string(raw) != tt.want {
				t.Errorf("got %s, %v, want %s", raw, err, tt.want)
			}
		})
	}
}
