package commander

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/commander/sentence"
)

// onDesktop returns the calls of steps for the screen in a session that has only the desktop's own tools, or nil if
// the text is no command. These tools find what a step names; here its words decide.
func onDesktop(req models.Request, said string) (calls []models.Call, err error) {
	for rest := said; rest != ""; {
		var step sentence.Step
		if step, rest, err = sentence.Read(rest, nil); err != nil {
			return nil, nil //nolint:nilerr // it is no command
		}
		one := desktopCalls(req, step)
		if one == nil {
			return nil, excuse("%q needs the tool screen_do, which this session lacks", said)
		}
		for _, c := range one {
			if !offers(req, c.Name) {
				return nil, excuse("This needs the tool %s, which this session lacks. Say \"what tools are there\" for a list", c.Name)
			}
		}
		calls = append(calls, one...)
	}
	return calls, nil
}

// desktopCalls returns the calls of a step, or nil if the desktop's tools cannot carry it out.
func desktopCalls(req models.Request, step sentence.Step) []models.Call {
	switch {
	case step.Act == sentence.Click && len(step.Keys) == 0 && step.Times < 3 && step.Seconds == 0:
		in := map[string]any{"action": "click"}
		switch {
		case step.Times == 2:
			in["action"] = "double_click"
		case step.Button != "":
			in["action"] = step.Button + "_click"
		}
		if step.Target.IsPoint() {
			in["x"], in["y"] = step.Right, step.Down
			return call("mouse_control", in)
		}
		return call("mouse_control", named(req, step.Target, in))
	case step.Act == sentence.Type, step.Act == sentence.Set && step.Text != "on" && step.Text != "off":
		typed := call("keyboard_control", map[string]any{"action": "type", "text": step.Text})
		if step.Target.Said == "" {
			return typed
		}
		at := call("mouse_control", named(req, step.Target, map[string]any{"action": "click"}))
		if step.Act == sentence.Set {
			at = append(at, keys("ctrl", "a")...)
		}
		return append(at, typed...)
	case step.Act == sentence.Press:
		return slices.Repeat(keys(step.Keys...), max(step.Times, 1))
	case step.Act == sentence.Scroll && step.Down != 0 && step.Text == "" && !step.End && step.Target.Said == "":
		return call("mouse_control", map[string]any{"action": "scroll", "scroll_y": scrollNotch * step.Down})
	case step.Act == sentence.Look:
		return screenshot()
	}
	return nil
}

// scrollNotch is the approximate distance of one notch of a mouse wheel, in pixels.
const scrollNotch = 50

// named adds what a noun names to the arguments of a click: its label, and, if the tool accepts it, its description.
func named(req models.Request, n sentence.Noun, in map[string]any) map[string]any {
	if n.Label != "" {
		in["text"] = n.Label
	}
	if n.Said != n.Label && takesTarget(req) || n.Label == "" {
		in["target"] = n.Said
	}
	return in
}

// keys returns a call that presses keys together.
func keys(names ...string) []models.Call {
	how := "press"
	if len(names) > 1 {
		how = "hotkey"
	}
	return call("keyboard_control", map[string]any{"action": how, "keys": names})
}

// takesTarget reports whether the session's click tool accepts a target description.
func takesTarget(req models.Request) bool {
	return slices.ContainsFunc(req.Tools, func(t models.Tool) bool {
		var schema struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		return t.Name == "mouse_control" && json.Unmarshal(t.Schema, &schema) == nil && schema.Properties["target"] != nil
	})
}

var quotedPattern = regexp.MustCompile(`^["'“”„‘’](.+)["'“”‘’]$`)

// unquoted returns a text without surrounding white space and without one pair of quotes around it.
func unquoted(text string) string {
	if quoted := quotedPattern.FindStringSubmatch(strings.TrimSpace(text)); quoted != nil {
		return quoted[1]
	}
	return strings.TrimSpace(text)
}

// screenshot takes a screenshot of the user's screen.
func screenshot() []models.Call { return call("screenshot", map[string]any{}) }

// imagePattern matches the text before an image in a conversation, which names the image.
var imagePattern = regexp.MustCompile(`^\[image ([A-Za-z0-9._-]+)\]$`)

// readScreen reads the latest image of the conversation. If there is none, it takes a screenshot.
func readScreen(req models.Request, _ []string) ([]models.Call, error) {
	for _, m := range slices.Backward(req.Messages) {
		if id := latestImage(m.Parts); id != "" {
			return call("ocr_read", map[string]any{"image": map[string]any{"artifact_id": id}}), nil
		}
	}
	return screenshot(), nil
}

// latestImage returns the artifact id of the last image that parts or the results in them name, or "".
func latestImage(parts []models.Part) string {
	for _, p := range slices.Backward(parts) {
		if found := imagePattern.FindStringSubmatch(p.Text); found != nil {
			return found[1]
		}
		if p.Result != nil {
			if id := latestImage(p.Result.Parts); id != "" {
				return id
			}
		}
	}
	return ""
}
