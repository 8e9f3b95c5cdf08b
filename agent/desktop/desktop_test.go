package desktop_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/desktop"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// Each tool is described, and what the models call them with can be checked.
func TestTools(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, tool := range desktop.Tools() {
		names[tool.Name] = true
		if tool.Resolve != (tool.Name == "mouse_control") {
			t.Errorf("%s: resolved %t", tool.Name, tool.Resolve)
		}
		if err := agent.CheckSchema(tool.Input); err != nil || tool.Description == "" || tool.Risk != agent.Safe && tool.Risk != agent.Risky {
			t.Errorf("%s: %v, %+v", tool.Name, err, tool)
		}
	}
	for _, name := range []string{"mouse_control", "keyboard_control", "screenshot", "browser", "read_file", "write_file", "run_shell_command"} {
		if !names[name] {
			t.Errorf("there is no %s", name)
		}
	}
}

// The calls that the protocol's document shows fit.
func TestDocumentedCalls(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ tool, arguments string }{
		{"mouse_control", `{"action":"click","x":100,"y":200}`}, {"mouse_control", `{"x":100,"y":200,"action":"double_click"}`}, {"mouse_control", `{"action":"right_click"}`},
		{"keyboard_control", `{"text":"Hello","action":"type"}`}, {"screenshot", `{}`},
		{"read_file", `{"path":"/etc/hosts"}`}, {"run_shell_command", `{"command":"ls"}`},
	} {
		t.Run(tt.arguments, func(t *testing.T) {
			if _, err := agent.FitArguments(named(t, desktop.Tools(), tt.tool).Input, json.RawMessage(tt.arguments)); err != nil {
				t.Errorf("%s %s: %v", tt.tool, tt.arguments, err)
			}
		})
	}
}

func named(t *testing.T, tools []session.ClientTool, name string) session.ClientTool {
	t.Helper()
	i := slices.IndexFunc(tools, func(tool session.ClientTool) bool { return tool.Name == name })
	if i < 0 {
		t.Fatalf("there is no %s", name)
	}
	return tools[i]
}

// finder knows one screen, of 800 by 600 pixels.
type finder struct{}

func (finder) Size(_ context.Context, user, artifact string) (int, int, error) {
	if user != "ada" || artifact != "b.png" {
		return 0, 0, errors.New("another screen")
	}
	return 800, 600, nil
}

func (finder) FindText(_ context.Context, user, artifact, text string, occurrence int) (desktop.Found, error) {
	cancels := []desktop.Candidate{{Text: "Cancel", X: 1, Y: 2, Which: 1, Where: "top left"}, {Text: "Cancel", X: 3, Y: 4, Which: 2}}
	switch {
	case user != "ada" || artifact != "b.png":
		return desktop.Found{}, errors.New("another screen")
	case text == "Send":
		return desktop.Found{OK: true, X: 10, Y: 20}, nil
	case text == "Cancel" && occurrence == 2:
		return desktop.Found{OK: true, X: 3, Y: 4}, nil
	case text == "Cancel":
		return desktop.Found{Ambiguous: occurrence == 0, Candidates: cancels}, nil
	case text == "Only":
		return desktop.Found{OK: occurrence < 2, X: 5, Y: 6}, nil
	case text == "unread":
		return desktop.Found{}, fault.New("test", sdkapi.OCRUnavailable, "no reader is installed")
	case text == "broken":
		return desktop.Found{}, errors.New("broken")
	}
	return desktop.Found{Candidates: []desktop.Candidate{{Text: "Send", X: 10, Y: 20}}}, nil
}

func (finder) Locate(_ context.Context, _, _, description string) (desktop.Found, error) {
	if description == "the purple gear" {
		return desktop.Found{Unmet: []string{"purple"}, Candidates: []desktop.Candidate{{Line: `icon button "Settings"`, X: 5, Y: 6}}}, nil
	}
	if description == "the lower Cancel" {
		return desktop.Found{OK: true, X: 4, Y: 5}, nil
	}
	if description == "unread" {
		return desktop.Found{}, fault.New("test", sdkapi.OCRUnavailable, "no reader is installed")
	}
	return desktop.Found{OK: description == "the orange button", X: 30, Y: 40}, nil
}

// shown is the state of a session with tools, which has seen some images.
func shown(tools []session.ClientTool, images ...string) *session.State {
	s := &session.State{User: "ada", Settings: session.Settings{Tools: tools}}
	for _, id := range images {
		s.Messages = append(s.Messages, session.Message{Role: models.ToolRole, Parts: []session.Part{{Result: &session.Result{Parts: []session.Part{{Artifact: id}}}}}})
	}
	return s
}

func TestPrepare(t *testing.T) {
	t.Parallel()
	seen, blind := shown(desktop.Tools(), "a.png", "b.png"), shown(desktop.Tools())
	unmeasured := shown(desktop.Tools(), "gone.png")
	wordsOnly := shown(desktop.Narrow(desktop.Tools(), []desktop.Method{desktop.OCR}), "b.png")
	own := shown([]session.ClientTool{
		{Name: "mouse_control", Input: json.RawMessage(`{"type":"object"}`)},
		{Name: "tap", Resolve: true, Input: json.RawMessage(`{"type":"object","properties":{"x":{},"y":{},"text":{}}}`)},
	}, "b.png")
	for _, tt := range []struct {
		tool, arguments string
		state           *session.State
		want, problem   string
	}{
		{"keyboard_control", `{"text":"Send"}`, seen, `{"text":"Send"}`, ""},
		{"mouse_control", `{"action":"click","x":1,"y":2}`, seen, `{"action":"click","x":1,"y":2}`, ""},
		{"mouse_control", `{"action":"click","x":799,"y":599.0}`, seen, `{"action":"click","x":799,"y":599.0}`, ""},
		{"mouse_control", `{"action":"click","x":800,"y":2}`, seen, "", "x 800, y 2 is outside the latest screenshot, which has 800 by 600 pixels."},
		{"mouse_control", `{"action":"click","x":2,"y":600}`, seen, "", "is outside the latest screenshot"},
		{"mouse_control", `{"action":"click","x":1e30,"y":2}`, seen, "", "is outside the latest screenshot"},
		{"mouse_control", `{"action":"drag","text":"Send","to_x":800,"to_y":2}`, seen, "", "to_x 800, to_y 2 is outside"},
		{"mouse_control", `{"action":"click","x":800,"y":2}`, blind, `{"action":"click","x":800,"y":2}`, ""},
		{"mouse_control", `{"action":"click","x":800,"y":2}`, unmeasured, `{"action":"click","x":800,"y":2}`, ""},
		{"mouse_control", `{"action":"click","x":1,"y":2,"occurrence":1}`, seen, `{"action":"click","x":1,"y":2}`, ""},
		{"mouse_control", `{"action":"scroll","scroll_y":5}`, seen, `{"action":"scroll","scroll_y":5}`, ""},
		{"mouse_control", `{"action":"click","text":"Send"}`, seen, `{"action":"click","x":10,"y":20}`, ""},
		{"mouse_control", `{"action":"click","text":"Send","x":9999,"y":0}`, seen, `{"action":"click","x":10,"y":20}`, ""},
		{"mouse_control", `{"action":"click","text":"Cancel","occurrence":2}`, seen, `{"action":"click","x":3,"y":4}`, ""},
		{"mouse_control", `{"action":"drag","text":"Send","to_x":1,"to_y":2}`, seen, `{"action":"drag","to_x":1,"to_y":2,"x":10,"y":20}`, ""},
		{"mouse_control", `{"action":"drag","text":"Send"}`, seen, "", "both to_x and to_y"},
		{"mouse_control", `{"action":"click","target":"the orange button"}`, seen, `{"action":"click","x":30,"y":40}`, ""},
		{"mouse_control", `{"action":"click","text":"Cancel"}`, seen, "", "Ambiguous: the screen has several matches of the text \"Cancel\". Choose one by occurrence, its number below, or by x and y, or with more words.\n1. \"Cancel\" at x 1, y 2, top left\n2. \"Cancel\" at x 3, y 4"},
		{"mouse_control", `{"action":"click","text":"Cancel","target":"the lower Cancel"}`, seen, `{"action":"click","x":3,"y":4}`, ""},
		{"mouse_control", `{"action":"click","text":"Cancel","target":"the orange button"}`, seen, "", "several matches of the text \"Cancel\""},
		{"mouse_control", `{"action":"click","text":"Cancel","target":"a blue one"}`, seen, "", "several matches of the text \"Cancel\""},
		{"mouse_control", `{"action":"click","text":"Cancel","target":"unread"}`, seen, "", "several matches of the text \"Cancel\""},
		{"mouse_control", `{"action":"click","text":"Send","target":"the lower Cancel"}`, seen, `{"action":"click","x":10,"y":20}`, ""},
		{"mouse_control", `{"action":"click","text":"Cancel"}`, wordsOnly, "", "Choose one by occurrence, its number below, or with more words."},
		{"mouse_control", `{"action":"click","text":"Cancel","occurrence":3}`, seen, "", "The screen has no occurrence 3 of the text \"Cancel\". It has:\n1. \"Cancel\" at x 1, y 2, top left\n2. "},
		{"mouse_control", `{"action":"click","text":"Only","occurrence":2}`, seen, "", "The screen has no occurrence 2 of the text \"Only\". It has:\n1. \"Only\" at x 5, y 6"},
		{"mouse_control", `{"action":"click","text":"Nope","occurrence":2}`, seen, "", "There is no text \"Nope\" on the screen. Nearest:"},
		{"mouse_control", `{"action":"click","text":"Nope"}`, seen, "", "There is no text \"Nope\" on the screen. Nearest:\n1. \"Send\" at x 10, y 20"},
		{"mouse_control", `{"action":"click","target":"a blue one"}`, seen, "", `There is no "a blue one" on the screen.`},
		{"mouse_control", `{"action":"click","target":"the purple gear"}`, seen, "", "There is no \"the purple gear\" on the screen. Unmet: purple. Nearest:\n1. icon button \"Settings\" at x 5, y 6"},
		{"mouse_control", `{"action":"click","text":"Send"}`, blind, "", "no screenshot"},
		{"mouse_control", `{"action":"click","text":"unread"}`, seen, "", "Cannot search the latest screenshot: no reader is installed"},
		{"mouse_control", `{"action":"click","x":1}`, seen, "", "both x and y"},
		{"mouse_control", `{"text":"Send","x":-7}`, own, `{"text":"Send","x":-7}`, ""},
		{"tap", `{"text":"Send"}`, own, `{"x":10,"y":20}`, ""},
		{"tap", `{"text":7,"Text":"Send"}`, own, `{"text":7,"Text":"Send"}`, ""},
	} {
		t.Run(fmt.Sprint(tt.arguments, " ", tt.tool), func(t *testing.T) {
			call := &session.Call{Call: models.Call{Name: tt.tool, Arguments: json.RawMessage(tt.arguments)}}
			arguments, problem, err := desktop.Prepare(finder{})(t.Context(), tt.state, call)
			if err != nil {
				t.Fatal(err)
			}
			told := ""
			if problem != nil {
				told = problem.Parts[0].Text
				if !problem.IsError || !problem.Parts[0].Untrusted {
					t.Errorf("%s: %+v", tt.arguments, problem)
				}
			}
			if problem == nil && string(arguments) != tt.want || (problem != nil) != (tt.problem != "") || !strings.Contains(told, tt.problem) {
				t.Errorf("%s: %s, %q", tt.arguments, arguments, told)
			}
		})
	}
	call := &session.Call{Call: models.Call{Name: "mouse_control", Arguments: json.RawMessage(`{"action":"click","text":"broken"}`)}}
	if _, problem, err := desktop.Prepare(finder{})(t.Context(), seen, call); problem != nil || err == nil {
		t.Errorf("what is broken here is told the model: %+v, %v", problem, err)
	}
}
