package desktop_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/desktop"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/models"
)

// Each tool is described, and what the models call them with can be checked.
func TestTools(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, tool := range desktop.Tools() {
		names[tool.Name] = true
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

// finder knows one screen.
type finder struct{}

func (finder) FindText(_ context.Context, user, artifact, text string) (desktop.Found, error) {
	switch {
	case user != "ada" || artifact != "b.png":
		return desktop.Found{}, errors.New("another screen")
	case text == "Send":
		return desktop.Found{OK: true, X: 10, Y: 20}, nil
	case text == "Cancel":
		return desktop.Found{Ambiguous: true, Candidates: []string{`"Cancel" at x 1, y 2`, `"Cancel" at x 3, y 4`}}, nil
	}
	return desktop.Found{Candidates: []string{`"Send" at x 10, y 20`}}, nil
}

func (finder) Locate(_ context.Context, _, _, description string) (desktop.Found, error) {
	return desktop.Found{OK: description == "the orange button", X: 30, Y: 40}, nil
}

func TestPrepare(t *testing.T) {
	t.Parallel()
	seen := &session.State{User: "ada", Messages: []session.Message{
		{Role: models.User, Parts: []session.Part{{Artifact: "a.png"}}},
		{Role: models.ToolRole, Parts: []session.Part{{Result: &session.Result{Parts: []session.Part{{Artifact: "b.png"}}}}}},
	}}
	for _, tt := range []struct {
		tool, arguments string
		state           *session.State
		want, problem   string
	}{
		{"keyboard_control", `{"text":"Send"}`, seen, `{"text":"Send"}`, ""},
		{"mouse_control", `{"action":"click","x":1,"y":2}`, seen, `{"action":"click","x":1,"y":2}`, ""},
		{"mouse_control", `{"action":"scroll","scroll_y":5}`, seen, `{"action":"scroll","scroll_y":5}`, ""},
		{"mouse_control", `{"action":"click","text":"Send"}`, seen, `{"action":"click","x":10,"y":20}`, ""},
		{"mouse_control", `{"action":"click","target":"the orange button"}`, seen, `{"action":"click","x":30,"y":40}`, ""},
		{"mouse_control", `{"action":"click","text":"Cancel"}`, seen, "", "There are several"},
		{"mouse_control", `{"action":"click","text":"Nope"}`, seen, "", `The nearest:` + "\n" + `- "Send" at x 10, y 20`},
		{"mouse_control", `{"action":"click","target":"a blue one"}`, seen, "", `There is no "a blue one" on the screen.`},
		{"mouse_control", `{"action":"click","text":"Send"}`, &session.State{User: "ada"}, "", "no screenshot"},
		{"mouse_control", `{"action":"click","x":1}`, seen, "", "both x and y"},
	} {
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
	}
}
