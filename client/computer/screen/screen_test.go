package screen_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer/screen"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type arguments map[string]any

func registry(t testing.TB, s *screen.Screen) *agent.Registry {
	t.Helper()
	tools := agent.NewRegistry()
	for _, tool := range s.Tools() {
		if err := tools.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	return tools
}

func call(ctx context.Context, t testing.TB, tools *agent.Registry, name string, in any) (string, agent.Result) {
	t.Helper()
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	result, err := tools.Invoke(ctx, name, agent.Call{Arguments: raw})
	switch {
	case err != nil:
		return "failed: " + err.Error(), result
	case result.IsError:
		return "failed: " + result.Content[0].Text, result
	}
	return string(result.Structured), result
}

// TestNoScreen checks that the tools name the missing part if there is no screen.
func TestNoScreen(t *testing.T) {
	t.Setenv("WAYLAND_DISPLAY", "wayland-0")
	t.Setenv("DISPLAY", ":0")
	s := screen.Open("")
	tools := registry(t, s)
	if got, _ := call(t.Context(), t, tools, "screen.capture", arguments{}); !strings.Contains(got, "Wayland") || !strings.Contains(got, "X11") {
		t.Error(got)
	}
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("XDG_SESSION_TYPE", "")
	t.Setenv("DISPLAY", "")
	if got, _ := call(t.Context(), t, tools, "window.list", arguments{}); !strings.Contains(got, "DISPLAY is not set") {
		t.Error(got)
	}
	s.Close()
	for _, system := range []string{"darwin", "windows"} {
		if got := screen.Missing(":0", system); !strings.Contains(got, "browser work") {
			t.Errorf("%s: %q", system, got)
		}
	}
}
