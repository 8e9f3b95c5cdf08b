package openai_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/windieos/windie/gateway/doors/doorstest"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/sdkapi"
)

// get sends a GET request.
func get(t *testing.T, url string, header ...string) (status int, answer string) {
	t.Helper()
	return doorstest.AskWith(t, http.MethodGet, url, "", header...)
}

// respond sends a request for a response, and returns its id.
func respond(t *testing.T, url, fields string, header ...string) (status int, answer, id string) {
	t.Helper()
	status, answer = doorstest.AskWith(t, http.MethodPost, url+sdkapi.OpenAIResponsesPath, `{"model":"default",`+fields+`}`, header...)
	var made struct{ ID string }
	_ = json.Unmarshal([]byte(answer), &made)
	return status, answer, made.ID
}

// A request for a response becomes a conversation, with its items in order.
func TestResponseInput(t *testing.T) {
	t.Parallel()
	url, model := scripted(t, say("Hello."))
	status, answer, _ := respond(t, url, `"instructions":"Be brief.","max_output_tokens":9,"reasoning":{"effort":"low"},"include":["reasoning.encrypted_content"],
		"tools":[{"type":"function","name":"clock","parameters":{"type":"object"}},{"type":"function","name":"door"}],"tool_choice":{"type":"function","name":"clock"},
		"text":{"format":{"type":"json_object"}},"stream":false,
		"input":[{"role":"developer","content":"Be kind."},{"role":"user","content":[{"type":"input_text","text":"What time is it?"}]},
		{"type":"reasoning","id":"rs_1","summary":[]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look."}]},
		{"type":"function_call","call_id":"c1","name":"clock","arguments":"{}"},{"type":"function_call","call_id":"c2","name":"clock","arguments":"{}"},
		{"type":"function_call_output","call_id":"c1","output":"ten"},{"type":"function_call_output","call_id":"c2","output":[{"type":"input_text","text":"noon"}]}]`)
	if status == http.StatusOK {
		t.Fatal("a model that must call a tool did not, and this was accepted")
	}
	parts(t, answer, "MODEL_ERROR") // the script has no second reply
	req := model.Requests()[0]
	if req.System != "Be brief.\n\nBe kind." || req.MaxTokens != 9 || req.Reasoning != "low" || req.Format == nil || fmt.Sprint(names(req)) != "[clock]" || !req.MustCall {
		t.Errorf("%+v", req)
	}
	var roles []string
	for _, m := range req.Messages {
		roles = append(roles, fmt.Sprint(m.Role, len(m.Parts)))
	}
	if got := strings.Join(roles, " "); got != "user1 assistant3 tool1 tool1" {
		t.Error(got)
	}
}

// A response has a message, its calls and its usage; it is incomplete if its limit has cut it off.
func TestResponseOutput(t *testing.T) {
	t.Parallel()
	reply := call("clock", `{"zone":"utc"}`)
	reply.Text, reply.Usage = []string{"I ", "look."}, models.Usage{Input: 3, CacheRead: 4, Output: 2, Reasoning: 1}
	cut := say("On and")
	cut.End = models.Length
	url, _ := scripted(t, reply, cut)
	status, answer, _ := respond(t, url, `"input":"What time is it?","metadata":{"a":"b"},"tools":[{"type":"function","name":"clock"}]`)
	parts(t, answer, `"object":"response"`, `"status":"completed"`, `"type":"output_text","text":"I look."`, `"type":"function_call"`, `"call_id":"call_0"`,
		`"arguments":"{\"zone\":\"utc\"}"`, `"input_tokens":7`, `"cached_tokens":4`, `"output_tokens":3`, `"reasoning_tokens":1`, `"metadata":{"a":"b"}`, `"error":null`)
	if status != http.StatusOK {
		t.Error(status)
	}
	status, answer, _ = respond(t, url, `"input":"Talk.","max_output_tokens":2`)
	if parts(t, answer, `"status":"incomplete"`, `"incomplete_details":{"reason":"max_output_tokens"}`); status != http.StatusOK {
		t.Error(status)
	}
}

// event is an event of a stream.
type event struct {
	Type     string
	Sequence int `json:"sequence_number"`
	Response *sdkapi.OpenAIResponse
	Delta    string
	Code     string
}

// eventsOf parses a stream, whose events have the names of their types and the numbers of their places.
func eventsOf(t *testing.T, stream string) (list []event, kinds string) {
	t.Helper()
	name := ""
	for line := range strings.Lines(stream) {
		if kind, is := strings.CutPrefix(line, "event: "); is {
			name = strings.TrimSpace(kind)
		}
		data, is := strings.CutPrefix(line, "data: ")
		if !is {
			continue
		}
		var e event
		if err := json.Unmarshal([]byte(data), &e); err != nil || e.Type != name || e.Sequence != len(list) {
			t.Errorf("event %d, %q: %s %v", len(list), name, data, err)
		}
		list = append(list, e)
		kinds += strings.TrimPrefix(e.Type, "response.") + " "
	}
	return list, strings.TrimSpace(kinds)
}

// Functions of namespaces, which Codex has, get names that no other function has, and calls lead back to them. The tool
// web_search, which Codex always sends, is left out.
func TestResponseNamespaces(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 60)
	url, model := scripted(t, call("mcp__shop__look", `{}`), say("Open."), say("No."))
	tools := `"tools":[{"type":"web_search","external_web_access":true},{"type":"function","name":"look"},{"type":"namespace","name":"mcp__shop","description":"A shop.","tools":[
		{"type":"function","name":"look","parameters":{"type":"object"}}]},{"type":"namespace","name":"` + long + `","tools":[{"type":"function","name":"one_thing"},{"type":"function","name":"one_more"}]}]`
	_, answer, id := respond(t, url, `"input":"Is it open?",`+tools)
	parts(t, answer, `"type":"function_call"`, `"namespace":"mcp__shop","name":"look"`)
	offered := names(model.Requests()[0])
	if len(offered) != 4 || offered[0] != "look" || offered[1] != "mcp__shop__look" || len(offered[2]) != 64 || len(offered[3]) != 64 || offered[2] == offered[3] {
		t.Errorf("%q", offered)
	}
	var made sdkapi.OpenAIResponse
	if err := json.Unmarshal([]byte(answer), &made); err != nil {
		t.Fatal(err)
	}
	picture := "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	output := `{"type":"function_call_output","call_id":"` + made.Output[0].CallID + `","output":[{"type":"input_text","text":"yes"},{"type":"input_image","image_url":"` + picture + `"}]}`
	if status, answer, _ := respond(t, url, `"previous_response_id":"`+id+`","input":[`+output+`],`+tools); status != http.StatusOK {
		t.Error(answer)
	}
	messages := model.Requests()[1].Messages
	if result := messages[len(messages)-1].Parts[0].Result; result.Name != "mcp__shop__look" || len(result.Parts) != 2 || result.Parts[1].Image == nil {
		t.Errorf("the result of a call in a namespace, which has a picture: %+v", result)
	}
	_, answer, _ = respond(t, url, `"input":"x","tool_choice":{"type":"function","namespace":"mcp__shop","name":"look"},`+tools)
	parts(t, answer, "MODEL_") // the script does not call it
	if got := names(model.Requests()[2]); fmt.Sprint(got) != "[mcp__shop__look]" {
		t.Errorf("%q", got)
	}
}

// A stream has OpenAI's events in OpenAI's order, and the last one has the whole response, which is stored by then.
func TestResponseStream(t *testing.T) {
	t.Parallel()
	reply := call("clock", `{}`)
	reply.Text = []string{"I ", "look."}
	cut := say("On and")
	cut.End = models.Length
	url, _ := scripted(t, reply, cut, modelstest.Reply{Text: []string{"half"}, Err: fault.New("test", sdkapi.ModelUnavailable, "the provider is away")})
	_, stream, _ := respond(t, url, `"input":"What time is it?","stream":true,"tools":[{"type":"function","name":"clock"}]`)
	list, kinds := eventsOf(t, stream)
	if want := "created in_progress output_item.added content_part.added output_text.delta output_text.delta output_text.done content_part.done output_item.done " +
		"output_item.added function_call_arguments.delta function_call_arguments.done output_item.done completed"; kinds != want {
		t.Fatalf("%s; want %s", kinds, want)
	}
	last := list[len(list)-1].Response
	if last.Status != "completed" || len(last.Output) != 2 || (*last.Output[0].Content)[0].Text != "I look." || last.Usage == nil || list[0].Response.Status != "in_progress" {
		t.Errorf("%+v", last)
	}
	if status, answer := get(t, url+sdkapi.OpenAIResponsesPath+"/"+last.ID); status != http.StatusOK || !strings.Contains(answer, "I look.") {
		t.Errorf("%d %s", status, answer)
	}
	_, stream, _ = respond(t, url, `"input":"Talk.","stream":true`)
	if _, kinds = eventsOf(t, stream); !strings.HasSuffix(kinds, "output_item.done incomplete") {
		t.Error(kinds)
	}
	_, stream, _ = respond(t, url, `"input":"Talk.","stream":true`)
	list, kinds = eventsOf(t, stream)
	if !strings.HasSuffix(kinds, "output_item.done error failed") {
		t.Fatal(kinds)
	}
	if list[len(list)-2].Code != "MODEL_UNAVAILABLE" || list[len(list)-1].Response.Error.Code != sdkapi.ModelUnavailable {
		t.Errorf("%+v", list)
	}
}

// A stored response can be continued, read and deleted by its user alone.
func TestStoredResponses(t *testing.T) {
	t.Parallel()
	ada, eve := []string{sdkapi.UserHeader, "ada"}, []string{sdkapi.UserHeader, "eve"}
	url, model := scripted(t, say("One."), say("Two."), say("Three."), say("Four."))
	_, _, first := respond(t, url, `"input":"Count.","instructions":"Be brief."`, ada...)
	status, answer, second := respond(t, url, `"input":"Go on.","previous_response_id":"`+first+`"`, ada...)
	parts(t, answer, `"previous_response_id":"`+first+`"`, `"store":true`)
	_, _, third := respond(t, url, `"input":"Go on.","previous_response_id":"`+second+`"`, ada...)
	requests := model.Requests()
	var said []string
	for _, m := range requests[2].Messages {
		said = append(said, m.Parts[0].Text)
	}
	if status != http.StatusOK || fmt.Sprint(said) != "[Count. One. Go on. Two. Go on.]" || requests[1].System != "" {
		t.Errorf("%d %q %q", status, said, requests[1].System)
	}
	for _, path := range []string{first, "resp_nosuch"} {
		if status, answer := get(t, url+sdkapi.OpenAIResponsesPath+"/"+path, eve...); status != http.StatusNotFound {
			t.Errorf("%d %s", status, answer)
		}
		status, answer, _ := respond(t, url, `"input":"Go on.","previous_response_id":"`+path+`"`, eve...)
		if parts(t, answer, `"param":"previous_response_id"`); status != http.StatusNotFound {
			t.Error(status)
		}
		if status, _ := doorstest.AskWith(t, http.MethodDelete, url+sdkapi.OpenAIResponsesPath+"/"+path, "", eve...); status != http.StatusNotFound {
			t.Error(status)
		}
	}
	status, answer = doorstest.AskWith(t, http.MethodDelete, url+sdkapi.OpenAIResponsesPath+"/"+first, "", ada...)
	if parts(t, answer, `"deleted":true`); status != http.StatusOK {
		t.Error(status)
	}
	if status, answer, _ := respond(t, url, `"input":"Go on.","previous_response_id":"`+third+`"`, ada...); status != http.StatusNotFound {
		t.Errorf("a response whose beginning is deleted: %d %s", status, answer)
	}
	_, answer, unstored := respond(t, url, `"input":"Count.","store":false`, ada...)
	parts(t, answer, `"store":false`, "Four.")
	if status, _ := get(t, url+sdkapi.OpenAIResponsesPath+"/"+unstored, ada...); status != http.StatusNotFound {
		t.Error(status)
	}
}

// What a response cannot have is refused, by the name that it has in the request.
func TestResponseRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, fields, param string }{
		{"no input", `"stream":false`, "input"},
		{"no items", `"input":[]`, "input"},
		{"a number", `"input":3`, "input"},
		{"too many items", `"input":[{}` + strings.Repeat(",{}", sdkapi.MaxOpenAIMessages) + `]`, "input"},
		{"an unknown item", `"input":[{"type":"item_reference","id":"x"}]`, "input[0].type"},
		{"an unknown part", `"input":[{"role":"user","content":[{"type":"input_file"}]}]`, "input[0].content[0].type"},
		{"an unknown role", `"instructions":"x","input":[{"role":"robot","content":"x"}]`, "input[0].role"},
		{"an image from elsewhere", `"instructions":"x","input":[{"role":"user","content":[{"type":"input_image","image_url":"https://example.com/x.png"}]}]`, "input[0].content[0].image_url.url"},
		{"no call", `"input":[{"role":"user","content":"x"},{"type":"function_call_output","call_id":"x","output":"y"}]`, "input[1].tool_call_id"},
		{"a limit", `"input":"x","max_output_tokens":0`, "max_output_tokens"},
		{"a format", `"input":"x","text":{"format":{"type":"json_schema","name":"a","schema":{"type":"thing"}}}`, "text.format.schema"},
		{"a hosted tool", `"input":"x","tools":[{"type":"web_search"},{"type":"file_search"}]`, "tools[1].type"},
		{"a namespace without a name", `"input":"x","tools":[{"type":"namespace","tools":[{"type":"function","name":"a"}]}]`, "tools[0].name"},
		{"a hosted tool in a namespace", `"input":"x","tools":[{"type":"namespace","name":"a","tools":[{"type":"web_search"}]}]`, "tools[0].tools[0]"},
		{"the schema of a tool in a namespace", `"input":"x","tools":[{"type":"web_search"},{"type":"namespace","name":"a","tools":[{"type":"function","name":"b","parameters":{"type":"array"}}]}]`, "tools[1].tools[0].parameters"},
		{"a tool's schema", `"input":"x","tools":[{"type":"function","name":"a","parameters":{"type":"array"}}]`, "tools[0].parameters"},
		{"a choice", `"input":"x","tool_choice":{"type":"file_search"}`, "tool_choice"},
		{"background", `"input":"x","background":true`, "background"},
		{"truncation", `"input":"x","truncation":"auto"`, "truncation"},
		{"include", `"input":"x","include":["message.output_text.logprobs"]`, "include"},
		{"metadata", `"input":"x","metadata":{"a":"` + strings.Repeat("x", 513) + `"}`, "metadata"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url, model := scripted(t)
			status, answer, _ := respond(t, url, tt.fields)
			parts(t, answer, `"param":"`+tt.param+`"`, `"type":"invalid_request_error"`, tt.param+": ")
			if status != http.StatusUnprocessableEntity || len(model.Requests()) > 0 {
				t.Errorf("%d after %d requests", status, len(model.Requests()))
			}
		})
	}
}
