package openai_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/models/openai"
	"github.com/windieos/windie/sdkapi"
)

// ask sends one request to a server with that reply, and returns the answer
// and what was sent.
func ask(t *testing.T, cfg openai.Config, reply modelstest.Reply, req models.Request) (modelstest.Answer, string, error) {
	t.Helper()
	server := modelstest.Serve(t, modelstest.OpenAI, reply)
	cfg.BaseURL, cfg.HTTPClient = server.URL, &http.Client{Transport: &http.Transport{}}
	t.Cleanup(cfg.HTTPClient.CloseIdleConnections)
	model, err := openai.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := modelstest.Collect(model.Stream(t.Context(), req))
	body := ""
	if asked := server.Asked(); len(asked) > 0 {
		body = asked[0].Body
	}
	return answer, body, err
}

// hello is a request.
func hello() models.Request {
	return models.Request{Model: "m", MaxTokens: 9, User: "u", Reasoning: "low", Messages: []models.Message{{Role: models.User, Parts: []models.Part{{Text: "hello"}}}}}
}

func TestDialects(t *testing.T) {
	t.Parallel()
	for dialect, want := range map[openai.Dialect]string{openai.Own: `"max_completion_tokens":9`, openai.Compatible: `"max_tokens":9`, "": `"max_tokens":9`} {
		t.Run(fmt.Sprintf("%q", dialect), func(t *testing.T) {
			_, body, err := ask(t, openai.Config{Dialect: dialect}, modelstest.Reply{}, hello())
			if err != nil || !strings.Contains(body, want) || strings.Count(body, "tokens") != 1 || !strings.Contains(body, `"reasoning_effort":"low"`) || !strings.Contains(body, `"stream_options":{"include_usage":true}`) {
				t.Errorf("%s: %s, %v", dialect, body, err)
			}
			if own := strings.Contains(body, "safety_identifier"); own != (dialect == openai.Own) {
				t.Errorf("%s: %s", dialect, body)
			}
		})
	}
}

// TestConversation shows where results and their images stand.
func TestConversation(t *testing.T) {
	t.Parallel()
	req := hello()
	img := &models.Image{MediaType: "image/png", Data: []byte("x")}
	call := func(id string) models.Part {
		return models.Part{Call: &models.Call{ID: id, Name: "f", Arguments: json.RawMessage(`{}`)}}
	}
	result := func(id string, isError bool, parts ...models.Part) models.Part {
		return models.Part{Result: &models.Result{CallID: id, Name: "f", Parts: parts, IsError: isError}}
	}
	req.System = "sys"
	req.Messages = append(req.Messages,
		models.Message{Role: models.Assistant, Parts: []models.Part{{Thought: &models.Thought{Text: "t", Provider: "openai"}}, {Text: "x"}, call("1"), call("2")}},
		models.Message{Role: models.ToolRole, Parts: []models.Part{result("1", false, models.Part{Image: img}), result("2", true, models.Part{Text: "no"})}},
		models.Message{Role: models.Assistant, Parts: []models.Part{call("3")}},
		models.Message{Role: models.ToolRole, Parts: []models.Part{result("3", false, models.Part{Image: img})}},
		models.Message{Role: models.User, Parts: []models.Part{{Text: "go on"}}})
	_, body, err := ask(t, openai.Config{}, modelstest.Reply{}, req)
	if err != nil {
		t.Fatal(err)
	}
	var sent struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
			Calls   []any           `json:"tool_calls"`
			CallID  string          `json:"tool_call_id"`
		} `json:"messages"`
	}
	if err := json.Unmarshal([]byte(body), &sent); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range sent.Messages {
		content := regexp.MustCompile(`"type":"(text|image_url)",?|"image_url":|"text":|"url":|[{}\[\]]`).ReplaceAllString(string(m.Content), "")
		got = append(got, m.Role+m.CallID+strings.Repeat("+", len(m.Calls))+content)
	}
	want := []string{
		`system"sys"`, `user"hello"`, `assistant++"x"`, `tool1"(the result is the image that follows)"`, `tool2"Error: no"`,
		`user"Images that the tools gave:","data:image/png;base64,eA=="`, `assistant+`, `tool3"(the result is the image that follows)"`,
		`user"Images that the tools gave:","data:image/png;base64,eA==","go on"`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("sent\n%s", strings.Join(got, "\n"))
	}
}

// data writes chunks as a stream.
func data(chunks ...string) string { return "data: " + strings.Join(chunks, "\n\ndata: ") + "\n\n" }

func TestOtherServersWays(t *testing.T) {
	t.Parallel()
	const done = `{"choices":[{"delta":{},"finish_reason":"stop"}]}`
	for _, tt := range []struct {
		name, raw string
		right     func(modelstest.Answer) bool
	}{
		{"Ollama's thoughts", data(`{"choices":[{"delta":{"content":"","reasoning":"hm"}}]}`, done), func(a modelstest.Answer) bool { return a.Thinking == "hm" }},
		{"null everywhere", data(`{"choices":[{"delta":{"role":"assistant","content":null,"reasoning_content":null,"tool_calls":null},"finish_reason":null}],"usage":null}`, done), func(a modelstest.Answer) bool { return a.Text == "" && a.End == models.Stop }},
		{"arguments as an object", data(`{"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":{"x":1}}}]}}]}`, done), func(a modelstest.Answer) bool { return len(a.Calls) == 1 && string(a.Calls[0].Arguments) == `{"x":1}` }},
		{"arguments null", data(`{"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":null}}]}}]}`, done), func(a modelstest.Answer) bool { return len(a.Calls) == 1 && string(a.Calls[0].Arguments) == `{}` }},
		{"no [DONE]", data(`{"choices":[{"delta":{"content":"a"}}]}`, done), func(a modelstest.Answer) bool { return a.Text == "a" && a.Usage.Estimated }},
		{"usage beside", data(done, `{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":35,"completion_tokens_details":{"reasoning_tokens":20}}}`), func(a modelstest.Answer) bool {
			return a.Usage == models.Usage{Input: 10, Output: 5, Reasoning: 20}
		}},
		{"usage within", data(done, `{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":25,"total_tokens":35,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":20}}}`), func(a modelstest.Answer) bool {
			return a.Usage == models.Usage{Input: 6, CacheRead: 4, Output: 5, Reasoning: 20}
		}},
		{"a refusal", data(`{"choices":[{"delta":{"refusal":"I will not"},"finish_reason":"stop"}]}`), func(a modelstest.Answer) bool { return a.Text == "I will not" && a.End == models.Refused }},
		{"400 keep-alives", strings.Repeat(": OPENROUTER PROCESSING\n\n", 400) + data(done), func(a modelstest.Answer) bool { return a.End == models.Stop }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, _, err := ask(t, openai.Config{}, modelstest.Reply{Raw: tt.raw}, hello()); err != nil || !tt.right(got) {
				t.Errorf("%s: %+v, %v", tt.name, got, err)
			}
		})
	}
}

// TestThinkingWithTools shows what is said of models that do only one of the
// two in this protocol.
func TestThinkingWithTools(t *testing.T) {
	t.Parallel()
	req := hello()
	req.Model, req.MaxTokens, req.Tools = "gpt-6-sol", 0, []models.Tool{{Name: "f"}}
	if _, _, err := ask(t, openai.Config{}, modelstest.Reply{}, req); fault.CodeOf(err) != sdkapi.ModelError || !strings.Contains(fault.From(err).Message, "reasoning mode to none") {
		t.Error(err)
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	if _, err := openai.Open(openai.Config{BaseURL: "localhost:1"}); fault.CodeOf(err) != sdkapi.ValidationError {
		t.Error(err)
	}
	if _, err := openai.Open(openai.Config{}); err != nil {
		t.Error(err)
	}
	_, _, err := ask(t, openai.Config{}, modelstest.Reply{}, models.Request{Model: "m", Messages: []models.Message{{Role: models.User}}})
	if fault.CodeOf(err) != sdkapi.ValidationError {
		t.Errorf("nothing to ask: %v", err)
	}
}
