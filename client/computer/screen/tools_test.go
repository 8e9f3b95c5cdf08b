//go:build system

package screen_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
	is(fmt.Sprintf("failed: the window %d is not active", note.ID), "keyboard.type", arguments{"text": "x", "window": note.ID})
	is(fmt.Sprintf("failed: the point x %d, y %d is not in the window %d", other.X+20, other.Y+20, note.ID), "mouse.click", arguments{"x": other.X + 20, "y": other.Y + 20, "window": note.ID})
	is("failed: no window has", "window.activate", arguments{"title": "none of them"})
	is(`{"active_window":"`, "window.activate", arguments{"window": note.ID})
	is(`{"active_window":"`, "mouse.click", arguments{"x": note.X + 200, "y": note.Y + 150, "window": note.ID})
	is(`{"active_window":"`, "keyboard.press", arguments{"keys": []string{"ctrl", "a"}, "window": note.ID})
	is(`{"active_window":"`, "keyboard.type", arguments{"text": "new 漢\n", "window": note.ID})
	is(`{"active_window":"`, "keyboard.press", arguments{"keys": []string{"ctrl", "s"}})
	testkit.EventuallyWithin(t, 10*time.Second, "the file is saved", func() (string, bool) {
		text, _ := os.ReadFile(file)
		return string(text), strings.HasPrefix(string(text), "new 漢")
	})
	is(`{"active_window":"`, "clipboard.write", arguments{"text": "for later"})
	is(`{"text":"for later"}`, "clipboard.read", arguments{})
	is("failed: x 1000, y 5 is outside the screen", "mouse.move", arguments{"x": 1000, "y": 5})
	is(`{"active_window":"`, "mouse.scroll", arguments{"x": 5, "y": 5, "down": 2})
	is(`{"active_window":"`, "mouse.drag", arguments{"x": note.X + 100, "y": note.Y + 150, "to_x": note.X + 150, "to_y": note.Y + 150})
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
