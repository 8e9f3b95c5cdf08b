package openai_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/windieos/windie/models/modelstest"
)

// A tool choice decides which tools the model gets, and whether it must call one.
func TestToolChoice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, fields string
		offered      string
		must, one    bool
	}{
		{"none", tools + `,"tool_choice":"none"`, "[]", false, false},
		{"auto", tools + `,"tool_choice":"auto"`, "[weather clock]", false, false},
		{"null", tools + `,"tool_choice":null`, "[weather clock]", false, false},
		{"required", tools + `,"tool_choice":"required"`, "[weather clock]", true, false},
		{"named", tools + `,"tool_choice":{"type":"function","function":{"name":"clock"}}`, "[clock]", true, false},
		{"allowed", tools + `,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"clock"}}]}}`, "[clock]", false, false},
		{"allowed and required", tools + `,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"clock"}}]}}`, "[clock]", true, false},
		{"one call", tools + `,"parallel_tool_calls":false`, "[weather clock]", false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url, model := scripted(t, call("clock", "{}"))
			status, answer := chat(t, url, tt.fields)
			if status != http.StatusOK {
				t.Fatal(status, answer)
			}
			req := model.Requests()[0]
			if fmt.Sprint(names(req)) != tt.offered || req.MustCall != tt.must || req.OneCall != tt.one {
				t.Errorf("%v, must call %t, one call %t", names(req), req.MustCall, req.OneCall)
			}
		})
	}
}

// A tool choice that cannot hold is refused by name.
func TestToolChoiceRefused(t *testing.T) {
	t.Parallel()
	for name, fields := range map[string]string{
		"no tools": `,"tool_choice":"required"`, "unknown tool": tools + `,"tool_choice":{"type":"function","function":{"name":"door"}}`,
		"unknown word": tools + `,"tool_choice":"maybe"`, "a number": tools + `,"tool_choice":3`,
		"no allowed tool": tools + `,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, model := scripted(t)
			status, answer := chat(t, url, fields)
			parts(t, answer, `"param":"tool_choice"`, `"type":"invalid_request_error"`)
			if status != http.StatusUnprocessableEntity || len(model.Requests()) > 0 {
				t.Errorf("%d after %d requests", status, len(model.Requests()))
			}
		})
	}
}

// A model that ignores what its calls must be is asked once more. Its second wrong answer fails.
func TestForcedCalls(t *testing.T) {
	t.Parallel()
	right, strict := call("weather", `{"city":"Porto"}`), `"arguments":"{\"city\":\"Porto\"}"`
	required := tools + `,"tool_choice":"required"`
	for _, tt := range []struct {
		name, fields string
		replies      []modelstest.Reply
		status       int
		has          []string
	}{
		{"at once", required, []modelstest.Reply{right}, 200, []string{strict}},
		{"no call at first", required, []modelstest.Reply{say("Sunny."), right}, 200, []string{strict, "!Sunny"}},
		{"another tool at first", required, []modelstest.Reply{call("door", "{}"), right}, 200, []string{strict, "!door"}},
		{"wrong arguments at first", tools, []modelstest.Reply{call("weather", `{"town":"Porto"}`), right}, 200, []string{strict, "!town"}},
		{"never", required, []modelstest.Reply{say("Sunny."), say("Rainy.")}, 502, []string{"MODEL_ANSWER_INVALID", `"type":"server_error"`, "calls no tool"}},
		{"never right", tools, []modelstest.Reply{call("weather", `{}`), call("weather", `{}`)}, 502, []string{"MODEL_ANSWER_INVALID", "weather"}},
		{"not of a stream", required + `,"stream":true`, []modelstest.Reply{say("Sunny."), right}, 200, []string{"Sunny.", "MODEL_ANSWER_INVALID", "![DONE]"}},
		{"one call of two", tools + `,"parallel_tool_calls":false`, []modelstest.Reply{call("weather", `{"city":"Porto"}`, "clock", "{}")}, 200, []string{strict, `!"clock"`}},
		{"two calls", tools, []modelstest.Reply{call("weather", `{"city":"Porto"}`, "clock", "{}")}, 200, []string{strict, `"clock"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url, _ := scripted(t, tt.replies...)
			status, answer := chat(t, url, tt.fields)
			if status != tt.status {
				t.Error(status)
			}
			parts(t, answer, tt.has...)
		})
	}
}
