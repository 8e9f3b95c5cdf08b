package conformance_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/conformance"
)

// A client plays the part of a tool host over its socket, and sockets that the gateway closes; skips of both are stale.
func TestSockets(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, pattern, skips, want string }{
		{"a tool host", "toolhost-conversation", "", ""},
		{"a tool host, skipped", "toolhost-conversation", "go | toolhost-conversation | cli | why", "go, dialogue toolhost-conversation, cli: it passes"},
		{"a tool host, skipped for a reason", "toolhost-conversation", "go | toolhost-conversation | why:the client has no WebSocket* | why", "stale skip go | toolhost-conversation"},
		{"closed", "ws-limits", "", ""},
		{"closed, skipped", "ws-limits", "go | ws-limits | as the first message | why", "go, dialogue ws-limits, as the first message: it passes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			report := run(t, tt.pattern, tt.skips)
			var out bytes.Buffer
			if err := report.Print(&out); err != nil {
				t.Fatal(err)
			}
			if report.Passed() != (tt.want == "") || !strings.Contains(out.String(), tt.want) {
				t.Errorf("passed is %v, and the report is\n%s", report.Passed(), &out)
			}
			for _, c := range report.Cases {
				for _, step := range c.Steps {
					if step.Result == conformance.Untyped {
						t.Errorf("%s is played without the client", step.Step)
					}
				}
			}
		})
	}
}
