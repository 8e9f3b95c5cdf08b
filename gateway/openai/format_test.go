package openai_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
)

// place is a format, with a schema.
const place = `,"response_format":{"type":"json_schema","json_schema":{"name":"place","strict":true,"schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}}`

// An answer has the format that the request names: the model gets the format, and one more request if its answer lacks it.
func TestFormats(t *testing.T) {
	t.Parallel()
	const object = `,"response_format":{"type":"json_object"}`
	porto, content := `{"city":"Porto"}`, `"content":"{\"city\":\"Porto\"}"`
	cut := say(`{"city":"Po`)
	cut.End = models.Length
	for _, tt := range []struct {
		name, fields string
		replies      []modelstest.Reply
		status       int
		has          []string
	}{
		{"any object", object, []modelstest.Reply{say(porto)}, 200, []string{content}},
		{"a list is no object", object, []modelstest.Reply{say("[1]"), say(porto)}, 200, []string{content}},
		{"a schema", place, []modelstest.Reply{say(porto)}, 200, []string{content}},
		{"a code fence", place, []modelstest.Reply{say("```json\n" + porto + "\n```")}, 200, []string{content}},
		{"words at first", place, []modelstest.Reply{say("It is Porto."), say(porto)}, 200, []string{content, "!It is"}},
		{"another field at first", place, []modelstest.Reply{say(`{"town":"Porto"}`), say(porto)}, 200, []string{content}},
		{"never", place, []modelstest.Reply{say(`{"city":1}`), say(`{"city":2}`)}, 502, []string{"MODEL_ANSWER_INVALID", "answer.city"}},
		{"cut off", place, []modelstest.Reply{cut}, 200, []string{`"finish_reason":"length"`}},
		{"a call instead", place + tools, []modelstest.Reply{call("clock", "{}")}, 200, []string{`"tool_calls"`}},
		{"a stream", place + `,"stream":true`, []modelstest.Reply{say(porto)}, 200, []string{"[DONE]"}},
		{"a wrong stream", place + `,"stream":true`, []modelstest.Reply{say("It is Porto.")}, 200, []string{"MODEL_ANSWER_INVALID", `"type":"server_error"`, "![DONE]"}},
		{"text", `,"response_format":{"type":"text"}`, []modelstest.Reply{say("Porto")}, 200, []string{`"content":"Porto"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url, model := scripted(t, tt.replies...)
			status, answer := chat(t, url, tt.fields)
			parts(t, answer, tt.has...)
			if status != tt.status {
				t.Errorf("%d %s", status, answer)
			}
			requests := model.Requests()
			if len(requests) != len(tt.replies) {
				t.Errorf("%d requests", len(requests))
			}
			if format := requests[0].Format; (format == nil) != (tt.name == "text") || format != nil && strings.Contains(tt.fields, "schema") != (format.Name == "place" && format.Strict) {
				t.Errorf("the model gets %+v", format)
			}
			if len(requests) == 2 && !strings.Contains(fmt.Sprint(requests[1].Messages), "Your answer is invalid") {
				t.Errorf("the model does not learn the reason: %+v", requests[1].Messages)
			}
		})
	}
}

// A schema is bounded, and refused by name.
func TestSchemaRefused(t *testing.T) {
	t.Parallel()
	for name, format := range map[string]string{
		"unknown type": `{"type":"xml"}`, "no schema": `{"type":"json_schema"}`, "no name": `{"type":"json_schema","json_schema":{"schema":{}}}`,
		"not a schema": `{"type":"json_schema","json_schema":{"name":"a","schema":{"type":"thing"}}}`,
		"elsewhere":    `{"type":"json_schema","json_schema":{"name":"a","schema":{"$ref":"https://example.com/schema"}}}`,
		"too large":    `{"type":"json_schema","json_schema":{"name":"a","schema":{"description":"` + strings.Repeat("x", 256<<10) + `"}}}`,
		"too deep":     `{"type":"json_schema","json_schema":{"name":"a","schema":` + strings.Repeat(`{"not":`, 200) + `{}` + strings.Repeat("}", 200) + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, model := scripted(t)
			status, answer := chat(t, url, `,"response_format":`+format)
			parts(t, answer, `"param":"response_format`, "VALIDATION_ERROR")
			if status != http.StatusUnprocessableEntity || len(model.Requests()) > 0 {
				t.Errorf("%d after %d requests", status, len(model.Requests()))
			}
		})
	}
}
