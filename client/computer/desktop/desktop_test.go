package desktop_test

import (
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer"
	"github.com/windieos/windie/client/computer/desktop"
	"github.com/windieos/windie/perception/query"
)

// The mouse does not act on half a point. The checks come before the screen, which is unreachable
// here.
func TestHalfAPointIsRefused(t *testing.T) {
	opts := computer.Options{Root: t.TempDir(), Screen: true, Finder: new(query.Finder), Display: "no display"}
	c, err := computer.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	tools := agent.NewRegistry()
	for _, tool := range desktop.Tools(c, opts) {
		if err := tools.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	const both, end, screen = "x and y belong together", "give to_x and to_y", "screen"
	for _, c := range []struct{ name, input, want string }{
		{"only x", `{"action":"click","x":5}`, both},
		{"only y", `{"action":"scroll","y":5,"scroll_y":100}`, both},
		{"a drag from half a point", `{"action":"drag","y":5,"to_x":1,"to_y":2}`, both},
		{"a drag to half a point", `{"action":"drag","x":5,"y":5,"to_x":1}`, end},
		{"a drag to nowhere", `{"action":"drag","x":5,"y":5}`, end},
		{"x and y", `{"action":"click","x":5,"y":5}`, screen},
		{"neither", `{"action":"click"}`, screen},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := tools.Invoke(t.Context(), desktop.Names()["mouse_control"], agent.Call{Arguments: []byte(c.input)})
			if err != nil || !got.IsError || !strings.Contains(got.Content[0].Text, c.want) {
				t.Errorf("%s: %+v, %v; want %q", c.input, got, err, c.want)
			}
		})
	}
}
