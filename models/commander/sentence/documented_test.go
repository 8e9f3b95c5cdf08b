package sentence_test

import (
	"fmt"
	"image"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/windieos/windie/models/commander/sentence"
)

// theScreen is the screen of docs/commands.md: a list of kinds and names, from top to bottom.
var theScreen = func() (list []sentence.Thing) {
	y := 40
	for line := range strings.Lines(`menu File|menu Edit|menu Search|menu View|field Search for|field Replace with|combo box Direction|checkbox Match case|checkbox Wrap around|checkbox Close window|radio All pages|
radio Selection|slider Volume|slider Balance|tab General|tab Advanced|tab Sheet2|list item report.txt|list item Trash|list item Music|cell Rent|text brown fox|button Find|button Replace|button Replace All|button Save|button Cancel|button Terms and conditions|text Width|link Help|button *`) {
		for one := range strings.SplitSeq(strings.TrimSpace(line), "|") {
			kind, name := "", ""
			for _, k := range []string{"menu", "field", "combo box", "checkbox", "radio", "slider", "tab", "list item", "cell", "text", "button", "link"} {
				if rest, ok := strings.CutPrefix(one, k+" "); ok {
					kind, name = k, rest
				}
			}
			if kind == "" {
				continue
			}
			has := kind == "checkbox" || kind == "slider" || kind == "radio"
			list = append(list, sentence.Thing{Kind: kind, Name: name, Window: "Find and Replace", Active: true, Has: has, Rect: image.Rect(10, y, 200, y+20)})
			if name == "Width" {
				list = append(list, sentence.Thing{Kind: "spinner", Window: "Find and Replace", Active: true, Has: true, Rect: image.Rect(250, y, 300, y+20)})
			}
			y += 30
		}
	}
	return append(list,
		sentence.Thing{Kind: "window", Name: "Find and Replace", Window: "Find and Replace", Active: true, Rect: image.Rect(0, 0, 400, y)},
		sentence.Thing{Kind: "window", Name: "Inbox - Mail", Window: "Inbox - Mail", Rect: image.Rect(500, 0, 900, 600)})
}()

// all returns the steps of a sentence on a screen, in short.
func all(said string, screen []sentence.Thing) string {
	var list []string
	for rest := said; rest != "" && len(list) < 9; {
		step, after, err := sentence.Read(rest, screen)
		if err != nil {
			return strings.Join(append(list, "?"), "; ")
		}
		list, rest = append(list, short(step, screen)), after
	}
	return strings.Join(list, "; ")
}

// short describes a step.
func short(s sentence.Step, screen []sentence.Thing) string {
	name := func(n sentence.Noun) string {
		if len(n.Things) == 0 && n.Cell != "" {
			return "cell " + n.Cell
		}
		if len(n.Things) == 0 {
			return fmt.Sprintf("%q", n.Said)
		}
		if n.Part && screen[n.Things[0]].Lines {
			return n.Label
		}
		var all []string
		for _, k := range n.Things {
			all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s", screen[k].Kind, screen[k].Name)))
		}
		return strings.Join(all, " or ")
	}
	out := string(s.Act)
	if s.Target.IsPoint() {
		return strings.TrimSpace(fmt.Sprintf("%s %s", out, s.Button)) + fmt.Sprintf(" at %d, %d", s.Right, s.Down)
	}
	switch {
	case s.Act == sentence.Wait && s.Seconds > 0:
		return fmt.Sprintf("wait %d s", s.Seconds)
	case s.Act == sentence.Wait && s.Text == "":
		return "wait until still"
	case s.Act == sentence.Wait:
		return strings.TrimSpace(fmt.Sprintf("wait for %s%q%s", map[bool]string{true: "window "}[s.Window], s.Text, map[bool]string{true: " to go"}[s.Gone]))
	case s.Act == sentence.Press:
		out += " " + strings.Join(s.Keys, "+")
	case s.Act == sentence.Menu:
		out += " " + strings.Join(s.Path, " > ")
	case s.Act == sentence.Scroll && s.End:
		out += map[bool]string{true: " to the top", false: " to the end"}[s.Down < 0]
	case s.Act == sentence.Scroll && s.Text != "":
		out += fmt.Sprintf(" %s to %q", map[bool]string{true: "up", false: "down"}[s.Down < 0], s.Text)
	case s.Act == sentence.Scroll:
		out += fmt.Sprintf(" by %d, %d", s.Right, s.Down)
	}
	if s.Button != "" {
		out += " " + s.Button
	}
	if s.Target.Said != "" {
		out += " " + name(s.Target)
	}
	if s.To.Said != "" {
		out += " to " + name(s.To)
	}
	switch {
	case s.Act == sentence.Set:
		out += fmt.Sprintf(" to %q", s.Text)
	case s.Act == sentence.Type && s.Target.Said != "":
		out = fmt.Sprintf("type %q into %s", s.Text, strings.TrimPrefix(out, "type "))
	case s.Act == sentence.Type:
		out += fmt.Sprintf(" %q", s.Text)
	case s.Act == sentence.Drag && s.To.Said == "":
		out += fmt.Sprintf(" by %d, %d", s.Right, s.Down)
	case s.Act == sentence.Click && s.Keys != nil:
		out += " with " + strings.Join(s.Keys, "+")
	case s.Act == sentence.Click && s.Seconds > 0:
		out += fmt.Sprintf(" for %d s", s.Seconds)
	}
	if s.Times > 1 {
		out += fmt.Sprintf(" %d times", s.Times)
	}
	return out
}

var rowPattern = regexp.MustCompile("(?m)^\\| `(.+?)` \\| `(.+?)` \\|$")

// The sentences of the documentation are read as it says.
func TestDocumentedSentences(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := rowPattern.FindAllStringSubmatch(string(page), -1)
	if len(rows) < 60 {
		t.Fatalf("%d sentences", len(rows))
	}
	for _, row := range rows {
		if got := all(row[1], theScreen); got != row[2] {
			t.Errorf("%s\ngot  %s\nwant %s", row[1], got, row[2])
		}
	}
}

// Words name a thing by its kind, its label, its place among equals, and what it is beside.
func TestFind(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"the Save button": "button Save", "checkbox Match case": "checkbox Match case", `the checkbox "Wrap around"`: "checkbox Wrap around", "the second slider": "slider Balance", "the last tab": "tab Sheet2",
		"2nd radio button": "radio Selection", "radio button called All pages": "radio All pages", "the combo box Direction": "combo box Direction", "the field Search for": "field Search for",
		"the number next to Width": "spinner", "the field under Search for": "field Replace with", "slider above Balance": "slider Volume", "the Save link": "button Save",
		"the number next to Depth": "", "the slider": "slider Volume or slider Balance", "the red thing at the top": "", "": "", "Frobnicate": "",
	} {
		n, ok := sentence.Find(said, theScreen)
		var all []string
		for _, k := range n.Things {
			all = append(all, strings.TrimSpace(theScreen[k].Kind+" "+theScreen[k].Name))
		}
		if got := strings.Join(all, " or "); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v; want %q", said, got, ok, want)
		}
	}
}

// A text of several lines is not replaced by words that do not name it.
func TestTextsStay(t *testing.T) {
	t.Parallel()
	editor := []sentence.Thing{
		{Kind: "window", Name: "Editor", Window: "Editor", Active: true, Rect: image.Rect(0, 0, 400, 400)},
		{Kind: "field", Text: "a long letter", Lines: true, Window: "Editor", Active: true, Rect: image.Rect(0, 40, 400, 400)},
	}
	for _, said := range []string{"The title should be Hello", "Der neue Ordner soll Urlaub heißen", "change the word to Hello", "set the text to Hello"} {
		if step, _, err := sentence.Read(said, editor); err == nil && len(step.Target.Things) > 0 {
			t.Errorf("%q: %s", said, short(step, editor))
		}
	}
}

// BenchmarkRead reads a step on a full screen, and the longest sentence that is taken.
func BenchmarkRead(b *testing.B) {
	var screen []sentence.Thing
	for i := range 10 {
		for _, t := range theScreen {
			t.Name += map[bool]string{true: fmt.Sprint(" ", i)}[i > 0]
			screen = append(screen, t)
		}
	}
	long := strings.TrimSpace(strings.Repeat("put the text in the field next to the box in the row of Rent and ", sentence.MaxWords/20))
	for name, said := range map[string]string{"step": "In the Find and Replace window, tick Match case, please", "long": long} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _, _ = sentence.Read(said, screen)
			}
		})
	}
}
