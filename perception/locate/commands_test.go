package locate_test

import (
	"image"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/locate"
)

// menuOf returns a screen with a menu of these labels.
func menuOf(role elements.Role, labels ...string) *elements.Screen {
	list := []elements.Element{{Role: elements.Panel, Box: image.Rect(100, 100, 400, 130+40*len(labels)), Fill: white, Border: grey, Parent: 0}}
	for i, label := range labels {
		list = append(list, elements.Element{Role: role, Box: image.Rect(110, 110+40*i, 390, 145+40*i), Label: label, Ink: black, Parent: 1})
	}
	return onScreen(list...)
}

// A description finds the command that it names. It never finds a command whose label has a word more or less, whether
// the right command is missing or was misread.
func TestCommandsAreTakenWhole(t *testing.T) {
	t.Parallel()
	asWritten := []string{"%s", "click %s", "click on %s", "press the %s button", "the %s button", `click "%s"`, "%s in the menu", "the menu item %s", "please click on %s"}
	wrong, missed, all := 0, 0, 0
	for _, group := range testkit.Commands {
		for _, role := range []elements.Role{elements.MenuItem, elements.Text} {
			for _, asked := range group {
				var others []string
				for _, label := range group {
					if label != asked {
						others = append(others, label)
					}
				}
				screens := [][]string{others}
				for _, other := range others {
					screens = append(screens, []string{other}, []string{other, "Cancel", "Print"})
				}
				for _, form := range asWritten {
					for _, name := range []string{asked, strings.ToLower(asked)} {
						description := strings.Replace(form, "%s", name, 1)
						for _, labels := range screens {
							all++
							if m, ok := locate.Find(menuOf(role, labels...), description).One(); ok {
								wrong++
								t.Errorf("%q of %s %q takes %q (%.2f)", description, role, labels, menuOf(role, labels...).Elements[m.Element].Label, m.Score)
							}
						}
						on := append([]string{asked, "Cancel"}, others...)
						if m, ok := locate.Find(menuOf(role, on...), description).One(); !ok || m.Element != 2 {
							missed++
							if strings.HasSuffix(form, "in the menu") { // "Log in in the menu" may be read otherwise
								continue
							}
							t.Errorf("%q of %s %q is not found: %v", description, role, on, show(menuOf(role, on...), locate.Find(menuOf(role, on...), description)))
						}
					}
				}
			}
		}
	}
	t.Logf("%d wrong of %d, %d missed", wrong, all, missed)
}
