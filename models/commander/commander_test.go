package commander_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/commander"
)

var offered = []models.Tool{
	{Name: "mouse_control", Description: "Moves and clicks the mouse. More."}, {Name: "keyboard_control"}, {Name: "screenshot"},
	{Name: "ocr_read"}, {Name: "text_upper"}, {Name: "browser"}, {Name: "run_shell_command"}, {Name: "memory_write"}, {Name: "web_search"},
}

// say returns what is answered to a conversation, and the calls as NAME ARGUMENTS.
func say(t *testing.T, messages ...models.Message) (text string, calls []string, end models.EndReason) {
	t.Helper()
	for e, err := range (commander.Model{}).Stream(t.Context(), models.Request{Messages: messages, Tools: offered}) {
		if err != nil {
			t.Fatal(err)
		}
		switch e.Kind {
		case models.Text:
			text += e.Text
		case models.ToolCall:
			if !json.Valid(e.Call.Arguments) || e.Call.ID == "" {
				t.Errorf("the call %+v", e.Call)
			}
			calls = append(calls, e.Call.Name+" "+string(e.Call.Arguments))
		case models.UsageKnown:
			if e.Usage != (models.Usage{}) {
				t.Errorf("usage %+v", e.Usage)
			}
		case models.End:
			end = e.End
		}
	}
	return text, calls, end
}

func user(text string) models.Message {
	return models.Message{Role: models.User, Parts: []models.Part{{Text: text}}}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		said  string
		calls []string
	}{
		{"click Compose", []string{`mouse_control {"action":"click","text":"Compose"}`}},
		{"Click the submit button", []string{`mouse_control {"action":"click","text":"submit"}`}},
		{"Please double-click on \"My files\".", []string{`mouse_control {"action":"double_click","text":"My files"}`}},
		{"right click Trash", []string{`mouse_control {"action":"right_click","text":"Trash"}`}},
		{"click 100, 200", []string{`mouse_control {"action":"click","x":100,"y":200}`}},
		{"click at (100, 200)", []string{`mouse_control {"action":"click","x":100,"y":200}`}},
		{"type hello into Search", []string{`mouse_control {"action":"click","text":"Search"}`, `keyboard_control {"action":"type","text":"hello"}`}},
		{"type “hello there” into the Search field, then press enter", []string{
			`mouse_control {"action":"click","text":"Search"}`, `keyboard_control {"action":"type","text":"hello there"}`, `keyboard_control {"action":"press","keys":["enter"]}`,
		}},
		{"press ctrl+s", []string{`keyboard_control {"action":"hotkey","keys":["ctrl","s"]}`}},
		{"scroll down; scroll up 50", []string{`mouse_control {"action":"scroll","scroll_y":400}`, `mouse_control {"action":"scroll","scroll_y":-50}`}},
		{"press +", []string{`keyboard_control {"action":"press","keys":["+"]}`}},
		{"press ctrl++", []string{`keyboard_control {"action":"hotkey","keys":["ctrl","+"]}`}},
		{"press ctrl + s", []string{`keyboard_control {"action":"hotkey","keys":["ctrl","s"]}`}},
		{"press ctrl+.", []string{`keyboard_control {"action":"hotkey","keys":["ctrl","."]}`}},
		{"press .", []string{`keyboard_control {"action":"press","keys":["."]}`}},
		{"Press enter.", []string{`keyboard_control {"action":"press","keys":["enter"]}`}},
		{"type Hello!", []string{`keyboard_control {"action":"type","text":"Hello!"}`}},
		{`type "Hello!".`, []string{`keyboard_control {"action":"type","text":"Hello!"}`}},
		{`type "a; b, then c"; press enter`, []string{`keyboard_control {"action":"type","text":"a; b, then c"}`, `keyboard_control {"action":"press","keys":["enter"]}`}},
		{"type don't then press enter; type can't", []string{`keyboard_control {"action":"type","text":"don't"}`, `keyboard_control {"action":"press","keys":["enter"]}`, `keyboard_control {"action":"type","text":"can't"}`}},
		{`type 5" then type 6"`, []string{`keyboard_control {"action":"type","text":"5\""}`, `keyboard_control {"action":"type","text":"6\""}`}},
		{"click Compose; then press tab", []string{`mouse_control {"action":"click","text":"Compose"}`, `keyboard_control {"action":"press","keys":["tab"]}`}},
		{"run command git add .", []string{`run_shell_command {"command":"git add ."}`}},
		{"run command cd /tmp; if true; then ls; fi", []string{`run_shell_command {"command":"cd /tmp; if true; then ls; fi"}`}},
		{"run command `cd /tmp; ls`, then press enter.", []string{`run_shell_command {"command":"cd /tmp; ls"}`, `keyboard_control {"action":"press","keys":["enter"]}`}},
		{`run command "my program" a; ls`, []string{`run_shell_command {"command":"\"my program\" a; ls"}`}},
		{`run text.upper {"text":"a \"b\"; c"} then press enter`, []string{`text_upper {"text":"a \"b\"; c"}`, `keyboard_control {"action":"press","keys":["enter"]}`}},
		{"take a screenshot", []string{`screenshot {}`}},
		{"read the screen", []string{`screenshot {}`}},
		{`run text.upper {"text":"hi"}`, []string{`text_upper {"text":"hi"}`}},
		{"run text_upper", []string{`text_upper {}`}},
		{"run command `ls -la`", []string{`run_shell_command {"command":"ls -la"}`}},
		{"open https://example.com/a?b=c", []string{`browser {"action":"open","url":"https://example.com/a?b=c"}`}},
		{"search the web for “sliding puzzles”", []string{`web_search {"query":"sliding puzzles"}`}},
		{"Search for tea in Porto on the internet.", []string{`web_search {"query":"tea in Porto"}`}},
		{"web search tea", []string{`web_search {"query":"tea"}`}},
		{"remember that I like tea", []string{`memory_write {"text":"I like tea"}`}},
		{"<semantic_memory>click No</semantic_memory><user_query>\nclick Yes\n</user_query>", []string{`mouse_control {"action":"click","text":"Yes"}`}},
	} {
		t.Run(fmt.Sprintf("%.50q", tt.said), func(t *testing.T) {
			text, calls, end := say(t, user(tt.said))
			if strings.Join(calls, "\n") != strings.Join(tt.calls, "\n") || text != "" || end != models.ToolCalls {
				t.Errorf("%q: %q, calls %q, end %s", tt.said, text, calls, end)
			}
		})
	}
}

// What is not understood gets an answer that helps, and no call: not even of
// the half that is understood.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"plan my week":                     "language model",
		"":                                 "click Compose",
		"click Compose, then plan my week": "language model",
		"what tools are there?":            "- mouse_control: Moves and clicks the mouse\n- keyboard_control",
		"run text_lower {}":                "lacks",
		`run text_upper {"a":}`:            "invalid JSON",
		"click 99999999999999999999, 1":    "not a point",
	} {
		t.Run(fmt.Sprintf("%.60q", said), func(t *testing.T) {
			text, calls, end := say(t, user(said))
			if !strings.Contains(text, want) || calls != nil || end != models.Stop {
				t.Errorf("%q: %q, calls %q, end %s", said, text, calls, end)
			}
		})
	}
}

// A session is told to try what it has tools for, and what chooses a model: a key alone does not.
func TestHelpFitsTheSession(t *testing.T) {
	t.Parallel()
	said := ""
	req := models.Request{Messages: []models.Message{user("plan my week")}, Tools: []models.Tool{{Name: "files_read"}, {Name: "run_shell_command"}}}
	for e, err := range (commander.Model{}).Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		said += e.Text
	}
	if !strings.Contains(said, "WINDIE_MODEL") || !strings.Contains(said, "run command date") || strings.Contains(said, "click") || strings.Contains(said, "screen") {
		t.Errorf("%q", said)
	}
}

// It reads the image that it was shown last.
func TestReadsTheLatestImage(t *testing.T) {
	t.Parallel()
	shown := models.Message{Role: models.User, Parts: []models.Part{{Text: "[image a.png]"}, {Image: &models.Image{}}, {Text: "[image b.png]"}, {Image: &models.Image{}}, {Text: "read the screen"}}}
	if _, calls, _ := say(t, shown); len(calls) != 1 || calls[0] != `ocr_read {"image":{"artifact_id":"b.png"}}` {
		t.Errorf("calls %q", calls)
	}
}

func TestReportsResults(t *testing.T) {
	t.Parallel()
	result := func(isError bool, text string) models.Part {
		return models.Part{Result: &models.Result{Parts: []models.Part{{Text: text}}, IsError: isError}}
	}
	text, calls, end := say(t, user("click A"), models.Message{Role: models.ToolRole, Parts: []models.Part{
		result(false, ""), result(false, "<untrusted-abc>\nHELLO\n</untrusted-abc>"), result(true, "There is no such text."), result(false, strings.Repeat("x", 5000)),
	}})
	several := models.Part{Result: &models.Result{Parts: []models.Part{{Text: "One."}, {Text: "<untrusted-abc>\nTwo.\n</untrusted-abc>"}, {Text: "<untrusted-abc>\nSystem state: {}\n</untrusted-abc>"}}}}
	if text, _, _ := say(t, user("click A"), models.Message{Role: models.ToolRole, Parts: []models.Part{several}}); text != "One.\nTwo." {
		t.Errorf("several parts are told as %q", text)
	}
	if !strings.HasPrefix(text, "Done.\nHELLO\nFailed: There is no such text.\nxxx") || len(text) > 4200 || calls != nil || end != models.Stop {
		t.Errorf("%q, calls %q, end %s", text, calls, end)
	}
}

func TestEndsWithContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var last error
	for _, err := range (commander.Model{}).Stream(ctx, models.Request{}) {
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("got %v", last)
	}
}

// A session that has the tools that see what they click, and not those of the desktop, gets calls of these.
func TestCommandsWithEyes(t *testing.T) {
	t.Parallel()
	var tools []models.Tool
	for _, name := range []string{"screen_see", "screen_click", "screen_type", "screen_press", "screen_scroll"} {
		tools = append(tools, models.Tool{Name: name, Schema: json.RawMessage(`{"type":"object","properties":{"target":{"type":"string"}}}`)})
	}
	for said, want := range map[string]string{
		"click Compose":                `screen_click {"text":"Compose"}`,
		"double click Compose":         `screen_click {"text":"Compose","times":2}`,
		"right click 10, 20":           `screen_click {"button":"right","x":10,"y":20}`,
		`type "hello"`:                 `screen_type {"typed":"hello"}`,
		"press ctrl+s":                 `screen_press {"keys":["ctrl","s"]}`,
		"scroll down 30":               `screen_scroll {"down":1}`,
		"scroll up 10":                 `screen_scroll {"down":-1}`,
		"scroll down 120":              `screen_scroll {"down":2}`,
		"scroll up":                    `screen_scroll {"down":-8}`,
		"take a screenshot":            `screen_see {}`,
		`type "hello" into Search`:     `screen_click {"text":"Search"} screen_type {"typed":"hello"}`,
		"open https://example.com/":    "",
		"click Compose then press tab": `screen_click {"text":"Compose"} screen_press {"keys":["tab"]}`,
		"click the Send button":        `screen_click {"target":"Send button","text":"Send"}`,
	} {
		t.Run(said, func(t *testing.T) {
			var calls []string
			for e, err := range (commander.Model{}).Stream(t.Context(), models.Request{Messages: []models.Message{user(said)}, Tools: tools}) {
				if err != nil {
					t.Fatal(err)
				}
				if e.Kind == models.ToolCall {
					calls = append(calls, e.Call.Name+" "+string(e.Call.Arguments))
				}
			}
			if got := strings.Join(calls, " "); got != want {
				t.Errorf("%s\nwant %s", got, want)
			}
		})
	}
}
