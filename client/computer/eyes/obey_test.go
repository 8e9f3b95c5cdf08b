//go:build system

package eyes_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

// Sentences are carried out step by step, each on what the step before has left.
func TestDo(t *testing.T) {
	t.Parallel()
	desk := testkit.NewDesk(t, 1000, 700)
	desk.WithAccess()
	e := open(t, desk)
	file := filepath.Join(desk.Home, "note.txt")
	if err := os.WriteFile(file, []byte("alpha bravo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	desk.Start("mousepad", "--disable-server", file)
	e.is(`shows`, "screen.wait", arguments{"text": "alpha bravo"})
	say := func(want, said string) string {
		t.Helper()
		got, _ := e.call("screen.do", arguments{"say": said})
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s\nwant %s", said, got, want)
		}
		return got
	}
	say(`Chose Search > Find and Replace.`, "Please choose Find and Replace from the Search menu.")
	say(`Set the checkbox "Match whole word"`, "Tick Match case and Match whole word")
	say(`Set the checkbox "Match case" at`, "Nimm das Häkchen bei Match case weg")
	say(`Replaced the text of the field "Replace with:"`, "Write alpha into Search for, then the field Replace with should say ALPHA")
	got := say(`elements are "checkbox"`, "press tab, then click the checkbox, then press escape")
	if !strings.Contains(got, "Before that: Pressed tab.") || !strings.HasSuffix(got, "\nNot done: then click the checkbox, then press escape") {
		t.Error(got)
	}
	say("Not done: click Frobnicate and press enter", "click Frobnicate and press enter")
	say(`"plan my week" is no step`, "plan my week")
	say("Closed the window", "close the Find and Replace window")
	say(`and typed over it.`, `Replace "alpha bravo" with charlie`)
	say("Pressed ctrl + s.", "Save (Ctrl+S), that's all")
	testkit.Eventually(t, "the file", func() (string, bool) {
		text, _ := os.ReadFile(file)
		return string(text), strings.Contains(string(text), "charlie")
	})
}
