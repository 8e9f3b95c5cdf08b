//go:build system

package eyes_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer/eyes"
	"github.com/windieos/windie/client/computer/screen"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/perception/reader"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type arguments map[string]any

type tester struct {
	*agent.Registry

	t testing.TB
}

func open(t testing.TB, desk *testkit.Desk) *tester {
	t.Helper()
	s := screen.Open(desk.Display)
	t.Cleanup(s.Close)
	scenes := perception.NewScenes(reader.New(reader.Config{Kernel: testkit.Kernel()}), perception.Options{})
	tools := agent.NewRegistry()
	e := eyes.New(s, query.New(scenes, nil))
	t.Cleanup(e.Close)
	e.BePatient()
	for _, tool := range e.Tools() {
		if err := tools.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	return &tester{tools, t}
}

// call calls a tool, and returns the text for the model, or behind "failed: " why there is none.
func (e *tester) call(name string, in any) (string, agent.Result) {
	e.t.Helper()
	raw, err := json.Marshal(in)
	if err != nil {
		e.t.Fatal(err)
	}
	began := time.Now()
	result, err := e.Invoke(context.Background(), name, agent.Call{Arguments: raw})
	e.t.Logf("%s %s: %v", name, raw, time.Since(began).Round(time.Millisecond))
	if err != nil {
		return "failed: " + err.Error(), result
	}
	text := result.Content[len(result.Content)-1].Text
	if result.IsError {
		text = "failed: " + text
	}
	return text, result
}

func (e *tester) is(want, name string, in any) agent.Result {
	e.t.Helper()
	got, result := e.call(name, in)
	if !strings.Contains(got, want) {
		e.t.Errorf("%s %v: %s\nwant %s", name, in, got, want)
	}
	return result
}

// A sum is made on a real calculator by the words on its keys, and read off its display.
func TestCalculator(t *testing.T) {
	t.Parallel()
	desk := testkit.NewDesk(t, 800, 600)
	e := open(t, desk)
	desk.Start("galculator")
	e.is(`"AC" shows`, "screen.wait", arguments{"text": "AC"})
	for _, key := range []string{"AC", "7"} {
		e.is("Clicked on the text", "screen.click", arguments{"text": key})
	}
	e.is("Appeared", "screen.press", arguments{"keys": []string{"8"}})
	result := e.is("78", "screen.see", arguments{"find": "78"})
	if len(result.Content) != 1 {
		t.Error("a picture comes with find")
	}
	e.is("no mark 9999", "screen.click", arguments{"mark": 9999})
	e.is("name the place", "screen.click", arguments{})
	if got, _ := e.call("screen.click", arguments{"text": "Nothing of that"}); !strings.HasPrefix(got, "failed: ") {
		t.Error(got)
	}
}

// A setting of a real editor is found through its menus, and a text is typed, seen and saved.
func TestEditor(t *testing.T) {
	t.Parallel()
	desk := testkit.NewDesk(t, 1000, 700)
	e := open(t, desk)
	file := filepath.Join(desk.Home, "note.txt")
	if err := os.WriteFile(file, []byte(strings.Repeat("line of text\n", 100)+"The last line\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	desk.Start("mousepad", "--disable-server", file)
	e.is(`shows`, "screen.wait", arguments{"text": "Search"})
	e.is("Find", "screen.click", arguments{"text": "Search"})
	e.is("", "screen.press", arguments{"keys": []string{"escape"}})
	result := e.is("Document", "screen.see", arguments{"draw": true})
	if len(result.Content) != 2 || result.Content[0].Kind != agent.ImagePart {
		t.Fatalf("no picture: %d parts", len(result.Content))
	}
	mark := markOf(t, result.Content[1].Text, `"View"`)
	e.is("Clicked on", "screen.click", arguments{"mark": mark, "picture": true})
	e.is("", "screen.press", arguments{"keys": []string{"escape"}})
	e.is(`until "The last line" appeared`, "screen.scroll", arguments{"to": "The last line"})
	e.is("the end is reached", "screen.scroll", arguments{"to": "Not in the file"})
	e.is("Clicked on", "screen.type", arguments{"into": arguments{"text": "The last line"}, "typed": "Replaced: ", "picture": true})
	e.is("Pressed ctrl + s.", "screen.press", arguments{"keys": []string{"ctrl", "s"}})
	testkit.EventuallyWithin(t, 10*time.Second, "the file is saved", func() (string, bool) {
		text, _ := os.ReadFile(file)
		return string(text)[max(0, len(text)-60):], strings.Contains(string(text), "Replaced: ")
	})
	e.is("no change after 1s", "screen.wait", arguments{"text": "Search", "gone": true, "seconds": 1})
}

// Of several places with the same words, a description chooses one.
func TestDescribed(t *testing.T) {
	t.Parallel()
	desk := testkit.NewDesk(t, 1000, 700)
	e := open(t, desk)
	file := filepath.Join(desk.Home, "note.txt")
	if err := os.WriteFile(file, []byte("red roses\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	desk.Start("mousepad", "--disable-server", file)
	e.is("shows", "screen.wait", arguments{"text": "Search"})
	e.is("Replace with", "screen.press", arguments{"keys": []string{"ctrl", "r"}})
	e.is("equally well", "screen.click", arguments{"text": "Replace"})
	e.is("equally well", "screen.click", arguments{"text": "Replace", "target": "the Find button"})
	result := e.is(`Clicked on the text "Replace"`, "screen.click", arguments{"text": "Replace", "target": "the Replace button"})
	var answer struct {
		Took map[string]float64 `json:"took_ms"`
	}
	if err := json.Unmarshal(result.Structured, &answer); err != nil || answer.Took["look"] <= 0 || answer.Took["find"] <= 0 || answer.Took["act"] <= 0 || answer.Took["settle"] < 100 {
		t.Errorf("%v: %v", err, answer.Took)
	}
}

// markOf returns the number of the line of a list that has a text.
func markOf(t *testing.T, list, text string) int {
	t.Helper()
	for line := range strings.SplitSeq(list, "\n") {
		number, rest, _ := strings.Cut(line, " ")
		if before, _, ok := strings.Cut(rest, text); ok && !strings.Contains(before, " in ") {
			var mark int
			if err := json.Unmarshal([]byte(number), &mark); err == nil {
				return mark
			}
		}
	}
	t.Fatalf("nothing has %s in\n%s", text, list)
	return 0
}

// Hands stay in the window that is named, the answer says what was hit, and a program that hangs is named.
func TestWindowOfAnAction(t *testing.T) {
	t.Parallel()
	desk := testkit.NewDesk(t, 1000, 700)
	e := open(t, desk)
	for _, name := range []string{"first.txt", "second.txt"} {
		file := filepath.Join(desk.Home, name)
		if err := os.WriteFile(file, []byte("The words of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
		desk.Start("mousepad", "--disable-server", file)
		e.is("shows", "screen.wait", arguments{"text": "The words of " + name})
	}
	e.is("is not focused", "screen.type", arguments{"typed": "lost", "window": "first.txt"})
	e.is("no key was pressed", "screen.press", arguments{"keys": []string{"x"}, "window": "first.txt"})
	e.is(`no window has "third" in its title`, "screen.press", arguments{"keys": []string{"x"}, "window": "third"})
	e.is("Typed.", "screen.type", arguments{"typed": "kept ", "window": "second.txt"})
	e.is("shows", "screen.wait", arguments{"text": "kept"})
	e.is("Clicked on the text", "screen.click", arguments{"text": "words of second.txt", "window": "second.txt"})
	stop := desk.Run("pgrep", "-f", "mousepad.*"+filepath.Join(desk.Home, "second.txt"))
	desk.Run("kill", "-STOP", strings.TrimSpace(stop))
	defer desk.Run("kill", "-CONT", strings.TrimSpace(stop))
	e.is(`second.txt - Mousepad" does not respond`, "screen.press", arguments{"keys": []string{"y"}})
}

// The hands of a person beyond clicks: menus by their path, keys held and repeated, drags and selections.
func TestHands(t *testing.T) {
	t.Parallel()
	desk := testkit.NewDesk(t, 1000, 700)
	e := open(t, desk)
	file := filepath.Join(desk.Home, "note.txt")
	if err := os.WriteFile(file, []byte("alpha bravo charlie delta\n"+strings.Repeat("line of text\n", 100)+"The last line\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	saved := func(want string) {
		t.Helper()
		e.is("Pressed ctrl + s.", "screen.press", arguments{"keys": []string{"ctrl", "s"}})
		testkit.EventuallyWithin(t, 10*time.Second, want, func() (string, bool) {
			text, _ := os.ReadFile(file)
			return string(text)[:60], strings.HasPrefix(string(text), want)
		})
	}
	desk.Start("mousepad", "--disable-server", file)
	e.is(`the window "note.txt" shows`, "screen.wait", arguments{"window": "note.txt"})
	e.is(`shows`, "screen.wait", arguments{"text": "alpha bravo"})
	e.is("the screen is still", "screen.wait", arguments{"still_ms": 300})
	e.is("name what to wait for", "screen.wait", arguments{"still_ms": 300, "text": "alpha"})

	e.is("Chose Search > Find and Replace.", "screen.menu", arguments{"path": []string{"Search", "Find and Replace"}})
	e.is("shows", "screen.wait", arguments{"text": "Replace with"})
	e.is("", "screen.press", arguments{"keys": []string{"escape"}})
	e.is("after Document, which was closed again", "screen.menu", arguments{"path": []string{"Document", "No such entry"}})
	if got, _ := e.call("screen.see", arguments{"find": "Word Wrap"}); strings.Contains(got, "Word Wrap") {
		t.Errorf("the menu is still open: %s", got)
	}
	e.is("Chose View > Color Scheme > None.", "screen.menu", arguments{"path": []string{"View", "Color Scheme", "None"}})

	e.is("Dragged over the text", "screen.select", arguments{"text": "bravo"})
	e.is("Typed.", "screen.type", arguments{"typed": "BRAVO"})
	saved("alpha BRAVO charlie delta")
	e.is("Clicked on", "screen.click", arguments{"text": "alpha", "times": 1})
	e.is("Pressed home.", "screen.press", arguments{"keys": []string{"home"}})
	e.is("Pressed delete 6 times.", "screen.press", arguments{"keys": []string{"delete"}, "times": 6})
	saved("BRAVO charlie")
	e.is("Pressed home.", "screen.press", arguments{"keys": []string{"home"}})
	e.is("Clicked on", "screen.click", arguments{"text": "delta", "keys": []string{"shift"}})
	e.is("Typed.", "screen.type", arguments{"typed": "x"})
	if got, _ := e.call("screen.see", arguments{"find": "BRAVO"}); strings.Contains(got, "BRAVO") {
		t.Errorf("shift did not extend the selection: %s", got)
	}

	e.is("to the end", "screen.scroll", arguments{"end": true, "window": "note.txt"})
	e.is("The last line", "screen.see", arguments{"find": "The last line"})
	e.is("to the end", "screen.scroll", arguments{"end": true, "down": -1})
	e.is("line of text", "screen.see", arguments{"find": "line of text"})
	e.is("The mouse is over", "screen.hover", arguments{"text": "File"})
	e.is("name where the drag ends", "screen.drag", arguments{"from": arguments{"text": "File"}})
	e.is("Dragged", "screen.drag", arguments{"from": arguments{"x": 990, "y": 300}, "down": -50})
	e.is("x 1000, y 5 is outside the screen", "screen.hover", arguments{"x": 1000, "y": 5})
}

// What programs say of their elements is found by name, kind and state, and keeps its number while it stays.
func TestTree(t *testing.T) {
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
	see := func() string {
		result := e.is("Window ", "screen.see", arguments{})
		return result.Content[len(result.Content)-1].Text
	}
	list := see()
	t.Log(list)
	mark := markOf(t, list, `menu "View"`)
	e.is(`Clicked on the menu "View"`, "screen.click", arguments{"mark": mark})
	list = see()
	t.Log(list)
	if again := markOf(t, list, `menu "View"`); again != mark {
		t.Errorf("the mark of the menu was %d, is %d", mark, again)
	}
	e.is(`Clicked on the menu item "Toolbar"`, "screen.click", arguments{"target": "the menu item Toolbar"})
	e.is(`Chose View > Line Numbers.`, "screen.menu", arguments{"path": []string{"View", "Line Numbers"}})
	e.is(`Chose Search > Find and Replace.`, "screen.menu", arguments{"path": []string{"Search", "Find and Replace"}})
	e.is("shows", "screen.wait", arguments{"window": "Find and Replace"})
	list = see()
	t.Log(list)
	e.is(`Set the checkbox "Match case" at`, "screen.set", arguments{"target": "checkbox Match case", "to": "on"})
	e.is("was already on", "screen.set", arguments{"text": "Match case", "to": "on"})
	e.is("is on or off", "screen.set", arguments{"text": "Match case", "to": "blue"})
	e.is(`Chose "Up" in the combo box "Down"`, "screen.set", arguments{"target": "the combo box Down", "to": "Up"})
	e.is("which was closed again", "screen.set", arguments{"target": "the combo box Up", "to": "Sideways"})
	e.is("no state and no value", "screen.set", arguments{"text": "Close", "to": "on", "window": "Find and Replace"})
	e.is(`Replaced the text of the field "Search for:" at`, "screen.fill", arguments{"fields": []arguments{{"target": "the field Search for", "to": "alpha"}, {"target": "the second field", "to": "ALPHA"}, {"target": "checkbox Match whole word", "to": "on"}}})
	e.is(`"alpha"`, "screen.see", arguments{"find": "alpha"})
	e.is(`checkbox "Match whole word", checked`, "screen.see", arguments{"find": "match whole word"})
	e.is("elements are", "screen.click", arguments{"target": "the checkbox"})
	e.is(`checkbox "Match case", checked`, "screen.see", arguments{"find": "match case"})
}

// A program that draws everything twice as large is hit where it is.
func TestTreeTwiceAsLarge(t *testing.T) {
	t.Parallel()
	desk := testkit.NewDesk(t, 1600, 1000)
	desk.WithAccess()
	e := open(t, desk)
	desk.Start("env", "GDK_SCALE=2", "galculator")
	e.is(`"AC" shows`, "screen.wait", arguments{"text": "AC"})
	for _, key := range []string{"7", "8"} {
		e.is(`Clicked on the button "`+key+`"`, "screen.click", arguments{"text": key})
	}
	e.is(`78`, "screen.see", arguments{"find": "78"})
}
