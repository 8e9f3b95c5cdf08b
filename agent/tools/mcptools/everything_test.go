//go:build system

package mcptools_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/agent/tools/mcptools"
	"github.com/windieos/windie/internal/test/testkit"
)

// The server that the protocol's authors have for trying clients does here what
// it does elsewhere.
func TestServerEverything(t *testing.T) {
	t.Parallel()
	program := filepath.Join(testkit.RepoRoot(t), ".tools", "mcp-everything", "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")
	if _, err := os.Stat(program); err != nil {
		testkit.Skip(t, "the MCP server @modelcontextprotocol/server-everything", "make deps-system")
	}
	if _, err := exec.LookPath("node"); err != nil {
		testkit.Skip(t, "node", "your system's package nodejs")
	}
	s := serve(t, t.TempDir(), map[string]string{"every": fmt.Sprintf(`{"command":"node","args":[%q,"stdio"],"env":{"SWORD":"swordfish-1234"}}`, program)})
	st := s.until("a server", "every", func(st mcptools.Status) bool { return ready(st) || broken(st) })
	if len(st.Tools) < 10 || len(st.Notes) > 0 {
		t.Fatalf("%+v\n%s", st, s.log)
	}
	for _, tt := range []struct{ tool, arguments, want string }{
		{"every.echo", `{"message":"hello"}`, "Echo: hello"},
		{"every.get_sum", `{"a":2,"b":40}`, "The sum of 2 and 40 is 42."},
		{"every.get_tiny_image", `{}`, "image/png"},
		{"every.get_structured_content", `{"location":"Chicago"}`, "temperature"},
		{"every.get_resource_reference", `{"resourceType":"Text","resourceId":1}`, "Resource 1"},
		{"every.get_resource_links", `{"count":2}`, "[resource "},
		{"every.trigger_long_running_operation", `{"duration":0.2,"steps":2}`, "completed"},
		{"every.get_annotated_message", `{"messageType":"error"}`, "Error"},
	} {
		t.Run(tt.tool, func(t *testing.T) {
			res, err := s.invoke(tt.tool, tt.arguments)
			if got := words(res); err != nil || res.IsError || !strings.Contains(got, tt.want) {
				t.Errorf("%s: %.200q, %v", tt.tool, got, err)
			}
		})
	}
}
