package anthropic_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/anthropic"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/sdkapi"
)

// ask sends a request to a server with that reply.
func ask(t *testing.T, cfg anthropic.Config, reply modelstest.Reply, req models.Request) (modelstest.Answer, []modelstest.Asked, error) {
	t.Helper()
	server := modelstest.Serve(t, modelstest.Anthropic, reply)
	cfg.BaseURL, cfg.HTTPClient = server.URL, &http.Client{Transport: &http.Transport{}}
	t.Cleanup(cfg.HTTPClient.CloseIdleConnections)
	model, err := anthropic.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := modelstest.Collect(model.Stream(t.Context(), req))
	return answer, server.Asked(), err
}

// hello is a request.
func hello() models.Request {
	return models.Request{Model: "m", Messages: []models.Message{{Role: models.User, Parts: []models.Part{{Text: "hello"}}}}}
}

func TestThinking(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reasoning string
		maxTokens int
		want      string // part of the request; empty for a fault
	}{
		{"", 0, `"max_tokens":16000`},
		{"none", 0, `"thinking":{"type":"disabled"}`},
		{"high", 0, `"output_config":{"effort":"high"}`},
		{"high", 0, `"display":"summarized","type":"adaptive"`},
		{"1024", 0, `"budget_tokens":1024`},
		{"8000", 0, `"max_tokens":24000`},
		{"8000", 4000, `"budget_tokens":3999`},
		{"8000", 4000, `"max_tokens":4000`},
		{"8000", 1000, `"max_tokens":1000`},
		{"1023", 0, ""},
		{"hard", 0, ""},
	} {
		t.Run(fmt.Sprint(tt.reasoning, " ", tt.want), func(t *testing.T) {
			req := hello()
			req.Reasoning, req.MaxTokens = tt.reasoning, tt.maxTokens
			_, asked, err := ask(t, anthropic.Config{}, modelstest.Reply{}, req)
			if tt.want == "" {
				if fault.CodeOf(err) != sdkapi.ValidationError {
					t.Errorf("%s: %v", tt.reasoning, err)
				}
				return
			}
			if err != nil || !strings.Contains(asked[0].Body, tt.want) {
				t.Errorf("%s: lacks %s: %s, %v", tt.reasoning, tt.want, asked[0].Body, err)
			}
			if tt.maxTokens == 1000 && strings.Contains(asked[0].Body, "thinking") {
				t.Errorf("thinks without room: %s", asked[0].Body)
			}
		})
	}
}

// TestWhatIsCached shows that the tools, the system prompt and the end of the
// conversation are marked, and nothing else.
func TestWhatIsCached(t *testing.T) {
	t.Parallel()
	req := hello()
	req.System, req.Tools = "sys", []models.Tool{{Name: "f"}, {Name: "g"}}
	req.Messages = append(req.Messages, models.Message{Role: models.Assistant, Parts: []models.Part{{Text: "a"}, {Text: " "}, {Call: &models.Call{ID: "1", Name: "f"}}}})
	_, asked, err := ask(t, anthropic.Config{}, modelstest.Reply{}, req)
	if err != nil {
		t.Fatal(err)
	}
	type marked struct {
		Name    string `json:"name"`
		Type    string `json:"type"`
		Text    string `json:"text"`
		Control any    `json:"cache_control"`
	}
	var sent struct {
		Tools    []marked `json:"tools"`
		System   []marked `json:"system"`
		Messages []struct {
			Content []marked `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal([]byte(asked[0].Body), &sent); err != nil {
		t.Fatal(err)
	}
	last := sent.Messages[2].Content
	if n := strings.Count(asked[0].Body, "cache_control"); n != 3 || sent.Tools[1].Control == nil || sent.System[0].Control == nil || last[len(last)-1].Control == nil {
		t.Errorf("%d marks in %s", n, asked[0].Body)
	}
	if len(sent.Messages[1].Content) != 2 {
		t.Errorf("a text of spaces was sent: %s", asked[0].Body)
	}
}

// TestHiddenThoughts shows that what Anthropic does not show goes back to it.
func TestHiddenThoughts(t *testing.T) {
	t.Parallel()
	raw := ""
	for _, e := range []string{
		`{"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"c2VhbGVk"}}`, `{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"signature_delta","signature":"c2ln"}}`, `{"type":"content_block_stop","index":1}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t","name":"f","input":{"x":1}}}`, `{"type":"content_block_stop","index":2}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":5}}`, `{"type":"message_stop"}`,
	} {
		raw += "event: " + strings.Split(e, `"`)[3] + "\ndata: " + e + "\n\n"
	}
	got, _, err := ask(t, anthropic.Config{}, modelstest.Reply{Raw: raw}, hello())
	if err != nil || len(got.Thoughts) != 2 || len(got.Calls) != 1 || string(got.Calls[0].Arguments) != `{"x":1}` || got.Usage.Output != 5 {
		t.Fatalf("%+v, %v", got, err)
	}
	req := hello()
	req.Messages = append(req.Messages, models.Message{Role: models.Assistant, Parts: []models.Part{
		{Thought: &got.Thoughts[0]}, {Thought: &got.Thoughts[1]}, {Thought: &models.Thought{Text: "not theirs", Provider: "gemini", Signature: "x"}}, {Text: "a"},
	}})
	_, asked, err := ask(t, anthropic.Config{}, modelstest.Reply{}, req)
	if err != nil || !strings.Contains(asked[0].Body, `{"data":"c2VhbGVk","type":"redacted_thinking"}`) || !strings.Contains(asked[0].Body, `{"signature":"c2ln","thinking":"","type":"thinking"}`) || strings.Contains(asked[0].Body, "not theirs") {
		t.Errorf("%s, %v", asked[0].Body, err)
	}
}

// A signature of at most the limit of a thought is whole, and a longer one ends the answer.
func TestLongSignatures(t *testing.T) {
	t.Parallel()
	const pieces = 8
	for _, tt := range []struct {
		name string
		more int // bytes above the limit
		code sdkapi.Code
	}{{"the limit", 0, ""}, {"one byte more", 1, sdkapi.ModelError}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var raw strings.Builder
			say := func(kind, rest string) {
				raw.WriteString("event: " + kind + "\ndata: {\"type\":\"" + kind + "\"," + rest + "}\n\n")
			}
			say("content_block_start", `"index":0,"content_block":{"type":"thinking","thinking":"","signature":""}`)
			for i := range pieces {
				size := models.MaxThought / pieces
				if i == 0 {
					size += tt.more
				}
				say("content_block_delta", `"index":0,"delta":{"type":"signature_delta","signature":"`+strings.Repeat("s", size)+`"}`)
			}
			say("content_block_stop", `"index":0`)
			say("message_delta", `"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}`)
			say("message_stop", `"index":0`)
			got, _, err := ask(t, anthropic.Config{}, modelstest.Reply{Raw: raw.String()}, hello())
			if fault.CodeOf(err) != tt.code {
				t.Fatalf("%v, want %q", err, tt.code)
			}
			if err == nil && (len(got.Thoughts) != 1 || len(got.Thoughts[0].Signature) != models.MaxThought) {
				t.Errorf("%d thoughts; the signature is not whole", len(got.Thoughts))
			}
		})
	}
}

// TestTheEnvironmentIsLeftAlone shows that the library takes no keys and no
// address from where it would look by itself.
func TestTheEnvironmentIsLeftAlone(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_PROFILE", "ANTHROPIC_CUSTOM_HEADERS"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, "X-Mine: from-the-environment")
			_, asked, err := ask(t, anthropic.Config{}, modelstest.Reply{}, hello())
			if err != nil || len(asked) != 1 {
				t.Fatal(err)
			}
			header, err := json.Marshal(asked[0].Header)
			if err != nil || strings.Contains(string(header), "from-the-environment") || asked[0].Header.Get("X-Api-Key") != "" {
				t.Errorf("%s, %v", header, err)
			}
		})
	}
}

// TestBlankResults shows that a result has no text of only white space, which the protocol refuses, and that an error
// has a text.
func TestBlankResults(t *testing.T) {
	t.Parallel()
	req := hello()
	req.Tools = []models.Tool{{Name: "f"}}
	call := func(id string) models.Part { return models.Part{Call: &models.Call{ID: id, Name: "f"}} }
	req.Messages = append(req.Messages, models.Message{Role: models.Assistant, Parts: []models.Part{call("1"), call("2")}},
		models.Message{Role: models.User, Parts: []models.Part{
			{Result: &models.Result{CallID: "1", Parts: []models.Part{{Text: " \n"}}}},
			{Result: &models.Result{CallID: "2", IsError: true, Parts: []models.Part{{Text: ""}}}},
		}})
	_, asked, err := ask(t, anthropic.Config{}, modelstest.Reply{}, req)
	if err != nil {
		t.Fatal(err)
	}
	var sent struct {
		Messages []struct {
			Content []struct {
				Content []struct{ Text string }
			}
		}
	}
	if err := json.Unmarshal([]byte(asked[0].Body), &sent); err != nil {
		t.Fatal(err)
	}
	results := sent.Messages[len(sent.Messages)-1].Content
	if len(results) != 2 || len(results[0].Content) != 0 || len(results[1].Content) != 1 || results[1].Content[0].Text == "" {
		t.Errorf("the results are %+v", results)
	}
}
