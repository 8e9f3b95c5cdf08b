//go:build system

package screen_test

import (
	"bytes"
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/client/computer/screen"
	"github.com/windieos/windie/internal/test/testkit"
)

type windowList struct {
	Windows []struct {
		ID                  uint32
		Title               string
		X, Y, Width, Height int
		Active              bool
	}
}

// TestTools checks that the tools see and change the window of a real program.
func TestTools(t *testing.T) {
	t.Parallel()
	desk := testkit.NewDesk(t, 1000, 700)
	file := filepath.Join(desk.Home, "note.txt")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := screen.Open(desk.Display)
	t.Cleanup(s.Close)
	tools := registry(t, s)
	desk.Start("mousepad", "--disable-server", file)
	desk.Start("xterm", "-T", "other", "-geometry", "30x5+600+500")
	list := testkit.Eventually(t, "both windows", func() (windowList, bool) {
		var list windowList
		got, _ := call(t.Context(), t, tools, "window.list", arguments{})
		return list, json.Unmarshal([]byte(got), &list) == nil && len(list.Windows) == 2
	})
	_ = list
	var all windowList
	got, _ := call(t.Context(), t, tools, "window.list", arguments{})
	if err := json.Unmarshal([]byte(got), &all); err != nil {
		t.Fatal(err)
	}
	note, other := all.Windows[0], all.Windows[1]
	if !strings.Contains(note.Title, "note.txt") {
		note, other = other, note
	}
	is := func(want, name string, in arguments) {
		t.Helper()
		if got, _ := call(t.Context(), t, tools, name, in); !strings.HasPrefix(got, want) {
			t.Errorf("%s %v: %s; want %s", name, in, got, want)
		}
	}
	is(`{"active_window":"other"}`, "window.activate", arguments{"title": "OTHER"})
	is("failed: no window has", "window.activate", arguments{"title": "none of them"})
	is(`{"active_window":"`, "window.activate", arguments{"window": note.ID})
	is(`{"active_window":"`, "clipboard.write", arguments{"text": "for later"})
	is(`{"text":"for later"}`, "clipboard.read", arguments{})
	is(`{"active_window":"`, "window.close", arguments{"window": other.ID})
	_, result := call(t.Context(), t, tools, "screen.capture", arguments{"window": note.ID})
	if len(result.Content) != 2 {
		t.Fatalf("a picture of a window: %+v", result)
	}
	if img, err := png.Decode(bytes.NewReader(result.Content[0].Data)); err != nil || img.Bounds().Dx() != note.Width {
		t.Errorf("the picture of a window is %v, %v", img.Bounds(), err)
	}
	state, err := s.State()
	if err != nil || !strings.Contains(state.Active, "note.txt") || state.Size.X != 1000 {
		t.Errorf("%+v, %v", state, err)
	}
}
