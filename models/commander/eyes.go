package commander

import (
	"cmp"
	"encoding/json"
	"math"

	"github.com/windieos/windie/models"
)

// withEyes converts a call of the desktop's tools to a call of the tools that see the screen, if
// the session has only the latter. It returns other calls unchanged.
func withEyes(req models.Request, c models.Call) models.Call {
	if offers(req, c.Name) || !offers(req, "screen_click") {
		return c
	}
	var in struct {
		Action  string   `json:"action"`
		Text    string   `json:"text"`
		Target  string   `json:"target"`
		Keys    []string `json:"keys"`
		X       *int     `json:"x"`
		Y       *int     `json:"y"`
		ScrollY int      `json:"scroll_y"`
	}
	_ = json.Unmarshal(c.Arguments, &in) // this package wrote them
	switch {
	case c.Name == "screenshot":
		return call("screen_see", map[string]any{})[0]
	case c.Name == "keyboard_control" && in.Action == "type":
		return call("screen_type", map[string]any{"typed": in.Text})[0]
	case c.Name == "keyboard_control":
		return call("screen_press", map[string]any{"keys": in.Keys})[0]
	case c.Name == "mouse_control" && in.Action == "scroll":
		return call("screen_scroll", map[string]any{"down": notches(in.ScrollY)})[0]
	case c.Name == "mouse_control":
		return call("screen_click", clickByEyes(in.Action, in.Text, in.Target, in.X, in.Y))[0]
	}
	return c
}

// scrollNotch is the approximate distance of one notch of a mouse wheel, in pixels.
const scrollNotch = 50

// notches returns the number of notches for a distance in pixels: at least one, unless the distance
// is 0. A negative number is up.
func notches(pixels int) int {
	n := int(math.Round(float64(pixels) / scrollNotch))
	if n == 0 {
		n = cmp.Compare(pixels, 0)
	}
	return n
}

// clickByEyes returns the arguments of a click.
func clickByEyes(action, text, target string, x, y *int) map[string]any {
	in := howToClick(action)
	if text != "" {
		in["text"] = text
	}
	if target != "" {
		in["target"] = target
	}
	if x != nil && y != nil {
		in["x"], in["y"] = *x, *y
	}
	return in
}

// howToClick returns the arguments of screen_click for an action of mouse_control.
func howToClick(action string) map[string]any {
	switch action {
	case "double_click":
		return map[string]any{"times": 2}
	case "triple_click":
		return map[string]any{"times": 3}
	case "right_click":
		return map[string]any{"button": "right"}
	case "middle_click":
		return map[string]any{"button": "middle"}
	}
	return map[string]any{}
}
