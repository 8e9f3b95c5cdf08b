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

// carryOut says something, answers each call with a result, and returns the calls that ran and the last answer. Calls
// that contain one of the texts in fail fail; those after them do not run.
func carryOut(t *testing.T, tools []models.Tool, said string, fail ...string) (text string, calls []string, messages []models.Message) {
	t.Helper()
	return goOn(t, tools, []models.Message{user(said)}, fail...)
}

// goOn does the same for a conversation that ends with the user's message.
func goOn(t *testing.T, tools []models.Tool, messages []models.Message, fail ...string) (text string, calls []string, _ []models.Message) {
	t.Helper()
	for {
		text, more, end := sayWith(t, tools, messages...)
		if len(more) == 0 {
			return text, calls, messages
		}
		if end != models.ToolCalls || text != "" {
			t.Fatalf("%q, calls %q, end %s", text, more, end)
		}
		var made, results []models.Part
		failed := false
		for _, c := range more {
			name, arguments, _ := strings.Cut(c, " ")
			made = append(made, models.Part{Call: &models.Call{Name: name, Arguments: json.RawMessage(arguments)}})
			r := models.Result{Name: name, Parts: []models.Part{{Text: "Did it."}}}
			if failed {
				r.IsError, r.Parts[0].Text = true, "Not run: the earlier call failed."
			} else {
				calls = append(calls, c)
			}
			for _, f := range fail {
				if part, why, _ := strings.Cut(f, "="); !failed && strings.Contains(c, part) {
					r.IsError, r.Parts[0].Text, failed = true, why, true
				}
			}
			results = append(results, models.Part{Result: &r})
		}
		messages = append(messages, models.Message{Role: models.Assistant, Parts: made}, models.Message{Role: models.ToolRole, Parts: results})
	}
}

// say returns what is answered to a conversation, and the calls as NAME ARGUMENTS.
func say(t *testing.T, messages ...models.Message) (text string, calls []string, end models.EndReason) {
	t.Helper()
	return sayWith(t, offered, messages...)
}

// sayWith does the same in a session with other tools.
func sayWith(t *testing.T, tools []models.Tool, messages ...models.Message) (text string, calls []string, end models.EndReason) {
	t.Helper()
	for e, err := range (commander.Model{}).Stream(t.Context(), models.Request{Messages: messages, Tools: tools}) {
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
		{"press ctrl and w", []string{`keyboard_control {"action":"hotkey","keys":["ctrl","w"]}`}},
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
			text, calls, _ := carryOut(t, offered, tt.said)
			if strings.Join(calls, "\n") != strings.Join(tt.calls, "\n") || strings.Count(text, "Did it.") != len(calls) {
				t.Errorf("%q: %q, calls %q", tt.said, text, calls)
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

// Steps for the screen go to its tool in one call, with the words as they are; other commands between them are calls of
// their own.
func TestScreenSteps(t *testing.T) {
	t.Parallel()
	for said, want := range map[string][]string{
		"Please click Terms and conditions, then press Enter.":             {`screen_do {"say":"Please click Terms and conditions, then press Enter."}`},
		"Im Menü Ansicht bitte Zoom wählen":                                {`screen_do {"say":"Im Menü Ansicht bitte Zoom wählen"}`},
		"press ctrl+c; run command date; press ctrl+v":                     {`screen_do {"say":"press ctrl+c"}`, `run_shell_command {"command":"date; press ctrl+v"}`},
		"type \"a, then b\"; run command `date`, then press ctrl+v":        {`screen_do {"say":"type \"a, then b\""}`, `run_shell_command {"command":"date"}`, `screen_do {"say":"press ctrl+v"}`},
		"if there is Continue, click Continue then press enter":            {`screen_wait {"seconds":1,"text":"Continue"}`, `screen_do {"say":"click Continue then press enter"}`},
		"Wenn Continue da ist, dann klicke auf Continue, sonst drücke esc": {`screen_wait {"seconds":1,"text":"Continue"}`, `screen_do {"say":"klicke auf Continue"}`},
	} {
		if text, calls, _ := carryOut(t, eyes(), said); strings.Join(calls, "\n") != strings.Join(want, "\n") {
			t.Errorf("%q: %q, calls %q", said, text, calls)
		}
	}
	desktop := append(eyes(), models.Tool{Name: "screenshot"})
	if _, calls, _ := carryOut(t, desktop, "click Save"); len(calls) != 1 || calls[0] != `screen_do {"picture":true,"say":"click Save"}` {
		t.Errorf("with the desktop's tools: calls %q", calls)
	}
	said := "if there is Continue, click Continue, otherwise press escape"
	text, calls, _ := carryOut(t, eyes(), said, `"seconds"=no change after 1s`)
	if len(calls) != 2 || calls[1] != `screen_do {"say":"press escape"}` || !strings.Contains(text, "It is not on the screen.") {
		t.Errorf("%q, calls %q", text, calls)
	}
}

// eyes are the tools of a session that sees what it clicks.
func eyes() (tools []models.Tool) {
	for _, name := range []string{"screen_do", "screen_see", "screen_wait", "run_shell_command"} {
		tools = append(tools, models.Tool{Name: name})
	}
	return tools
}

// A step that fails ends the command, and the answer lists what was not done.
func TestFailureEndsACommand(t *testing.T) {
	t.Parallel()
	text, calls, _ := carryOut(t, eyes(), "click Name, then type secret; run command `date`", `"say"=There is no such text.`)
	if len(calls) != 1 || text != "Failed: There is no such text.\nNot done: run_shell_command {\"command\":\"date\"}" {
		t.Errorf("%q, calls %q", text, calls)
	}
}

// A condition whose command is not understood is not looked up.
func TestConditions(t *testing.T) {
	t.Parallel()
	for _, said := range []string{"if there is Continue, plan my week", "if there is Continue, click Continue, otherwise plan my week"} {
		if text, calls, _ := carryOut(t, eyes(), said); calls != nil || !strings.Contains(text, "language model") {
			t.Errorf("%q: %q, calls %q", said, text, calls)
		}
	}
}

// Of the candidates that a failed call lists, a number chooses one. The command then goes on.
func TestChoosesByNumber(t *testing.T) {
	t.Parallel()
	several := "2 elements match\n1 button \"Save\", top at 30,40\n2 button \"Save\", at the bottom at 30,600\nBefore that: Pressed tab.\nNot done: click Save, then press enter"
	said := "press tab, then click Save, then press enter; run command `date`"
	for _, which := range []string{"2", "number 2", "the second one", "Nr. 2", "die zweite"} {
		text, calls, messages := carryOut(t, eyes(), said, `"say"=`+several)
		if len(calls) != 1 || !strings.Contains(text, "Which one? Answer with its number.") {
			t.Fatalf("%q, calls %q", text, calls)
		}
		_, calls, _ = goOn(t, eyes(), append(messages, models.Message{Role: models.Assistant, Parts: []models.Part{{Text: text}}}, user(which)))
		want := []string{`screen_do {"say":"click Save, then press enter","x":30,"y":600}`, `run_shell_command {"command":"date"}`}
		if strings.Join(calls, "\n") != strings.Join(want, "\n") {
			t.Errorf("%q: calls %q", which, calls)
		}
	}
	_, _, messages := carryOut(t, eyes(), "click Save", `"say"=`+several)
	if text, calls, _ := goOn(t, eyes(), append(messages, user("3"))); calls != nil || !strings.Contains(text, "no number 3") {
		t.Errorf("%q, calls %q", text, calls)
	}
	if text, calls, _ := carryOut(t, eyes(), "2"); calls != nil || !strings.Contains(text, "language model") {
		t.Errorf("%q, calls %q", text, calls)
	}
}
