package sentence

import (
	"fmt"
	"image"
	"testing"
)

func scr() []Thing {
	var list []Thing
	y := 0
	add := func(kind, name string, has bool) {
		list = append(list, Thing{Kind: kind, Name: name, Window: "Find and Replace", Active: true, Has: has, Rect: image.Rect(10, y, 200, y+20)})
		y += 30
	}
	add("menu", "File", false)
	add("menu", "Edit", false)
	add("menu", "Search", false)
	add("menu", "Ansicht", false)
	add("field", "Search for:", false)
	add("field", "Replace with:", false)
	add("combo box", "Direction", false)
	add("checkbox", "Match case", true)
	add("checkbox", "Wrap around", true)
	add("button", "Find", false)
	add("button", "Replace", false)
	add("button", "Replace All", false)
	add("button", "Cancel", false)
	add("slider", "Volume", true)
	add("slider", "Balance", true)
	add("tab", "General", false)
	add("tab", "Sheet2", false)
	add("cell", "report.txt", false)
	add("cell", "Trash", false)
	add("text", "brown fox", false)
	add("text", "Width", false)
	list = append(list, Thing{Kind: "spinner", Name: "", Window: "Find and Replace", Active: true, Has: true, Rect: image.Rect(250, y-30, 300, y-10)})
	add("button", "Terms and conditions", false)
	add("button", "Save", false)
	list = append(list, Thing{Kind: "window", Name: "Find and Replace", Active: true, Window: "Find and Replace", Rect: image.Rect(0, 0, 400, y)}, Thing{Kind: "window", Name: "Inbox - Mail", Window: "Inbox - Mail", Rect: image.Rect(500, 0, 900, 600)})
	return list
}

func TestDev(t *testing.T) {
	s := scr()
	for _, said := range []string{
		"click Cancel", "Please double-click on \"report.txt\".", "right click 10, 20", "click the Find button", "ctrl+click report.txt", "Click report.txt while holding Shift.",
		"press and hold Save for 3 seconds", "hover over Save", "drag report.txt to Trash", "drag Volume 40 pixels to the right", "choose File > Export > PDF", "Open Edit → Preferences.", "from the Edit menu take Preferences", "choose Search, then Find",
		"open the Edit menu and pick Copy", "push the Save button", "switch to the General tab", "click Terms and conditions", "type \"hello\"", "press ctrl+s", "type \"hello\" into Search for", "highlight \"brown\" through \"fox\"", "press tab 4 times", "press down twice", "select all",
		"put dog into Replace with", "go to the end of the text", "quit the program with ctrl+q", "save the file", "set Search for to \"Ada\"", "clear Search for", "type salt and pepper", "tick Wrap around", "uncheck the checkbox Match case", "turn Match case off",
		"set the slider Volume to 40%", "set the number next to Width to 100", "choose Both from Direction", "click the second slider", "click cell B7, then type 12", "click the tab Sheet2", "scroll down 3", "scroll to the end", "scroll until \"Imprint\" appears", "wait for \"Ready\"", "wait until Loading disappears", "wait for the window Inbox",
		"switch to the window Inbox", "close the Inbox window", "Klicke auf Save", "doppelklicke auf „report.txt“", "Schreibe „Hallo“ in Search for, dann drücke Eingabe", "gib Ada in Replace with ein", "drücke Strg+S", "drücke unten dreimal", "Wähle File > Save", "ziehe report.txt auf Trash", "öffne das Menü Ansicht", "wechsle auf den Reiter General", "aktiviere Wrap around", "schalte Match case aus",
		"In the Find and Replace window, tick Match case", "Im Feld Search for bitte Ada eintragen", "Put a tick in the box that says Wrap around", "In das Feld neben Width die Zahl 14 schreiben", "Make sure Match case is ticked", "Tick Match case and Wrap around", "open the file report", "Pick Both for Direction", "Change the search text to dog", "Set the box next to Width to 14", "Replace brown fox with red fox", "Now hit the Replace All button, please",
		"Nimm das Häkchen bei Match case weg", "plan my week", "Type 42 in the field Search for and press Enter", "Select the word brown fox", "close the window", "Choose the entry Preferences from the Edit menu", "Press Ctrl and S", "Drück zweimal auf Tab", "Halte die Maus über Save",
	} {
		step, rest, err := Read(said, s)
		name := func(n Noun) string {
			if n.Said == "" {
				return ""
			}
			x := ""
			for _, k := range n.Things {
				x += fmt.Sprintf(" [%s %q]", s[k].Kind, s[k].Name)
			}
			return fmt.Sprintf("<%s>%s %s", n.Said, x, n.Cell)
		}
		fmt.Printf("%-60s %v t=%s to=%s text=%q path=%q keys=%v x%d %s %d,%d end=%v gone=%v win=%v s=%d rest=%q err=%v\n", said, step.Act, name(step.Target), name(step.To), step.Text, step.Path, step.Keys, step.Times, step.Button, step.Right, step.Down, step.End, step.Gone, step.Window, step.Seconds, rest, err)
	}
}
