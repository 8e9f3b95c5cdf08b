package locate_test

import (
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/perception/elements"
	"github.com/windieos/windie/perception/locate"
)

// signIn returns a page with a form to sign in.
func signIn() *elements.Screen {
	field := func(label string, y int) elements.Element {
		return elements.Element{Role: elements.Field, Box: image.Rect(400, y, 700, y+40), Label: label, Fill: white, Border: grey, States: []elements.State{elements.Empty}}
	}
	return onScreen(
		elements.Element{Role: elements.Heading, Box: image.Rect(400, 100, 600, 130), Label: "Welcome", Ink: black},
		field("Email address", 160), field("Password", 220),
		elements.Element{Role: elements.Checkbox, Box: image.Rect(400, 280, 416, 296), Label: "Remember me", States: []elements.State{elements.Unchecked}},
		elements.Element{Role: elements.Button, Box: image.Rect(400, 320, 700, 360), Label: "Sign in", Fill: blue, Ink: white},
		elements.Element{Role: elements.Link, Box: image.Rect(400, 380, 540, 400), Label: "Forgot password?", Ink: blue},
		elements.Element{Role: elements.Link, Box: image.Rect(560, 380, 700, 400), Label: "Create an account", Ink: blue},
	)
}

// A description of a purpose finds its element, and the evidence names the purpose.
func TestPurposes(t *testing.T) {
	t.Parallel()
	screen := signIn()
	for asked, want := range map[string]string{
		"become a member": "Create an account", "lost my password": "Forgot password?", "keep me logged in": "Remember me",
	} {
		t.Run(asked, func(t *testing.T) {
			answer := locate.Find(screen, asked)
			m, ok := answer.One()
			if !ok || screen.Elements[m.Element].Label != want {
				t.Fatalf("%q is %v, want %q", asked, show(screen, answer), want)
			}
			if !slices.ContainsFunc(m.Evidence, func(e locate.Evidence) bool { return e.By != "" }) {
				t.Errorf("nothing says why: %+v", m.Evidence)
			}
		})
	}
}

// A quoted text that is not on the screen finds nothing, however well the other terms fit. The same holds for a purpose
// that no element has.
func TestNotGuessed(t *testing.T) {
	t.Parallel()
	screen := signIn()
	for _, asked := range []string{`the blue "Submit order" button`, `checkbox "Send me news"`, "change the language", "the shopping cart", "print this page"} {
		t.Run(asked, func(t *testing.T) {
			if answer := locate.Find(screen, asked); len(answer.Matches) == 1 || len(answer.Matches) == 0 && strings.Join(answer.Unmet, "") == "" {
				t.Errorf("%q is %v", asked, show(screen, answer))
			}
		})
	}
}

// A noun alone finds the element with its meaning, in the plural too: "songs" finds "Music".
func TestPluralAlone(t *testing.T) {
	t.Parallel()
	menu := func(label string, y int) elements.Element {
		return elements.Element{Role: elements.MenuItem, Box: image.Rect(0, y, 200, y+30), Label: label, Ink: black}
	}
	screen := onScreen(menu("Start", 100), menu("Music", 130), menu("Calendar", 160), menu("Weather", 190))
	for asked, want := range map[string]string{"songs": "Music", "my appointments": "Calendar"} {
		t.Run(asked, func(t *testing.T) {
			if m, ok := locate.Find(screen, asked).One(); !ok || screen.Elements[m.Element].Label != want {
				t.Errorf("%q is %v, want %q", asked, show(screen, locate.Find(screen, asked)), want)
			}
		})
	}
}
