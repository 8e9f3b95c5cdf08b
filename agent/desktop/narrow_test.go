package desktop_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/desktop"
	"github.com/windieos/windie/agent/session"
)

// offered returns the arguments and actions of a schema.
func offered(t *testing.T, input json.RawMessage) (arguments, actions, required string) {
	t.Helper()
	var s struct {
		Properties map[string]struct{ Enum []string }
		Required   []string
	}
	if err := json.Unmarshal(input, &s); err != nil || agent.CheckSchema(input) != nil {
		t.Fatalf("%s: %v", input, err)
	}
	return strings.Join(slices.Sorted(maps.Keys(s.Properties)), " "), strings.Join(s.Properties["action"].Enum, " "), strings.Join(s.Required, " ")
}

// A method that a session does not allow is not offered; the error names the others.
func TestNarrow(t *testing.T) {
	t.Parallel()
	const all, withoutDrag = "click double_click right_click middle_click move drag scroll", "click double_click right_click middle_click move scroll"
	for _, tt := range []struct {
		allowed                      []desktop.Method
		arguments, actions, withheld string
		advice                       string
	}{
		{desktop.Methods(), "action occurrence scroll_x scroll_y target text to_x to_y x y", all, "", ""},
		{[]desktop.Method{desktop.Manual}, "action scroll_x scroll_y to_x to_y x y", all, "occurrence target text", "name the place by x and y"},
		{[]desktop.Method{desktop.OCR}, "action occurrence scroll_x scroll_y text", withoutDrag, "target to_x to_y x y", "name the place by text"},
		{[]desktop.Method{desktop.Prediction}, "action scroll_x scroll_y target", withoutDrag, "occurrence text to_x to_y x y", "name the place by target"},
		{[]desktop.Method{desktop.Manual, desktop.Prediction}, "action scroll_x scroll_y target to_x to_y x y", all, "occurrence text", "name the place by target, or by x and y"},
		{[]desktop.Method{desktop.Manual, desktop.OCR}, "action occurrence scroll_x scroll_y text to_x to_y x y", all, "target", "name the place by text, or by x and y"},
		{nil, "action scroll_x scroll_y", withoutDrag, "occurrence target text to_x to_y x y", "leave the place out"},
	} {
		t.Run(fmt.Sprint(tt.allowed), func(t *testing.T) {
			tools := desktop.Narrow(desktop.Tools(), tt.allowed)
			mouse := named(t, tools, "mouse_control")
			arguments, actions, required := offered(t, mouse.Input)
			if withheld := strings.Join(slices.Sorted(maps.Keys(mouse.Withheld)), " "); arguments != tt.arguments || actions != tt.actions || withheld != tt.withheld || required != "action" {
				t.Errorf("%v: offers %q with %q, requires %q, withholds %q", tt.allowed, arguments, actions, required, withheld)
			}
			for name, told := range mouse.Withheld {
				if !strings.Contains(told, tt.advice) {
					t.Errorf("%v: of %s it tells %q", tt.allowed, name, told)
				}
			}
			if typing := named(t, tools, "keyboard_control"); typing.Withheld != nil || !strings.Contains(string(typing.Input), `"text"`) {
				t.Errorf("%v: the keyboard is %+v", tt.allowed, typing)
			}
		})
	}
	if mouse := named(t, desktop.Tools(), "mouse_control"); mouse.Withheld != nil || !strings.Contains(string(mouse.Input), `"target"`) {
		t.Errorf("the tools themselves have changed: %+v", mouse)
	}
}

// A client's own tool is narrowed when the backend resolves its arguments, and
// is the client's otherwise.
func TestNarrowOwn(t *testing.T) {
	t.Parallel()
	schema := json.RawMessage(`{"type":"object","title":"Tap","required":["x","text","hard"],"properties":{"x":{"type":"integer"},"y":{"type":"integer"},"text":{"type":"string"},"hard":{"type":"boolean"}}}`)
	tools := desktop.Narrow([]session.ClientTool{
		{Name: "tap", Input: schema, Resolve: true}, {Name: "own", Input: schema}, {Name: "refers", Input: json.RawMessage(`{"type":"object"}`), Resolve: true},
	}, []desktop.Method{desktop.Manual})
	if arguments, _, required := offered(t, tools[0].Input); arguments != "hard x y" || required != "x hard" || len(tools[0].Withheld) != 1 || !strings.Contains(string(tools[0].Input), `"title":"Tap"`) {
		t.Errorf("%s, %q", tools[0].Input, tools[0].Withheld)
	}
	for _, tool := range tools[1:] {
		if tool.Withheld != nil || tool.Name == "own" && string(tool.Input) != string(schema) {
			t.Errorf("%+v", tool)
		}
	}
}

func TestCheckResolved(t *testing.T) {
	t.Parallel()
	for schema, fine := range map[string]bool{
		`{"properties":{"x":{},"y":{},"text":{}}}`: true, `{"properties":{"x":{},"y":{},"target":{}}}`: true,
		`{"properties":{"x":{},"y":{}}}`: false, `{"properties":{"x":{},"text":{}}}`: false, `{"type":"object"}`: false, `{"properties":7}`: false, `true`: false,
	} {
		t.Run(schema, func(t *testing.T) {
			if err := desktop.CheckResolved(json.RawMessage(schema)); (err == nil) != fine {
				t.Errorf("%s: %v", schema, err)
			}
		})
	}
}
