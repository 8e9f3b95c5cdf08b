package evaluate

import "testing"

// A clickable element counts by its role or type, whatever its tag is.
func TestClickKind(t *testing.T) {
	t.Parallel()
	page := truth{Els: []trueElement{
		{Tag: "button", Role: "button", Text: "Minimize", X: 600, Y: 6, W: 34, H: 30},
		{Tag: "button", Role: "button", Text: "Close", X: 640, Y: 6, W: 34, H: 30},
	}}
	for name, tt := range map[string]struct {
		e    trueElement
		want string
	}{
		"close in a title bar":   {page.Els[1], "title button"},
		"close alone":            {trueElement{Tag: "button", Text: "Close", X: 640, Y: 300, W: 60, H: 30}, "button"},
		"a link as a button":     {trueElement{Tag: "a", Cls: "btn primary"}, "button"},
		"a link":                 {trueElement{Tag: "a"}, "link"},
		"an input":               {trueElement{Tag: "input", Type: "text"}, "field"},
		"a box to check":         {trueElement{Tag: "input", Type: "checkbox"}, "check"},
		"a switch":               {trueElement{Tag: "button", Role: "switch"}, "check"},
		"a button that is a tab": {trueElement{Tag: "button", Role: "tab"}, "tab"},
		"an entry":               {trueElement{Tag: "div", Role: "menuitem"}, "menu item"},
		"a select":               {trueElement{Tag: "select", Role: "combobox"}, "select"},
		"a label":                {trueElement{Tag: "label"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := page.clickKind(tt.e); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
