package gemini_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/gemini"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/sdkapi"
)

// ask sends a request to a server that sends the given reply.
func ask(t *testing.T, reply modelstest.Reply, req models.Request) (modelstest.Answer, []modelstest.Asked, error) {
	t.Helper()
	server := modelstest.Serve(t, modelstest.Gemini, reply)
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	model, err := gemini.Open(gemini.Config{BaseURL: server.URL, HTTPClient: client})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := modelstest.Collect(model.Stream(t.Context(), req))
	return answer, server.Asked(), err
}

// hello returns a small request.
func hello() models.Request {
	return models.Request{Model: "m", Messages: []models.Message{{Role: models.User, Parts: []models.Part{{Text: "hello"}}}}}
}

func TestThinking(t *testing.T) {
	t.Parallel()
	for reasoning, want := range map[string]string{
		"none": `"thinkingConfig":{"thinkingBudget":0}`, "auto": `"thinkingConfig":{"includeThoughts":true,"thinkingBudget":-1}`,
		"high": `"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"HIGH"}`, "512": `"thinkingConfig":{"includeThoughts":true,"thinkingBudget":512}`,
		"": "hello", "-5": "", "hard": "",
	} {
		t.Run(fmt.Sprintf("%.60q", reasoning), func(t *testing.T) {
			req := hello()
			req.Reasoning = reasoning
			_, asked, err := ask(t, modelstest.Reply{}, req)
			if want == "" {
				if fault.CodeOf(err) != sdkapi.ValidationError {
					t.Errorf("%s: %v", reasoning, err)
				}
				return
			}
			if err != nil || !strings.Contains(asked[0].Body, want) || reasoning == "" && strings.Contains(asked[0].Body, "thinking") {
				t.Errorf("%s: %+v, %v", reasoning, asked, err)
			}
		})
	}
}

// TestIdsAndSignatures checks that ids made here are not sent, that Gemini's ids and the signatures
// of calls are sent back, and that calls without ids get ids.
func TestIdsAndSignatures(t *testing.T) {
	t.Parallel()
	got, _, err := ask(t, modelstest.Reply{Calls: []models.Call{
		{Name: "f", Arguments: json.RawMessage(`{"x":1}`), Signature: "c2ln"}, {ID: "theirs", Name: "f", Arguments: json.RawMessage(`{}`)},
	}}, hello())
	if err != nil || len(got.Calls) != 2 || got.Calls[0].Signature != "c2ln" || !strings.HasPrefix(got.Calls[0].ID, models.MadeID) || got.Calls[1].ID != "theirs" {
		t.Fatalf("%+v, %v", got, err)
	}
	req := hello()
	said := models.Message{Role: models.Assistant, Parts: []models.Part{{Call: &got.Calls[0]}, {Call: &got.Calls[1]}}}
	req.Messages = append(req.Messages, said)
	_, asked, err := ask(t, modelstest.Reply{}, req)
	if err != nil || strings.Contains(asked[0].Body, models.MadeID) || strings.Count(asked[0].Body, `"id":"theirs"`) != 2 || strings.Count(asked[0].Body, `"thoughtSignature":"c2ln"`) != 1 {
		t.Errorf("%s, %v", asked[0].Body, err)
	}
}

func TestEndings(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]models.EndReason{
		`{"promptFeedback":{"blockReason":"SAFETY"}}`:                                 models.Refused,
		`{"candidates":[{"finishReason":"RECITATION"}]}`:                              models.Refused,
		`{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}`: models.Stop,
	} {
		t.Run(raw, func(t *testing.T) {
			if got, _, err := ask(t, modelstest.Reply{Raw: "data: " + raw + "\n\n"}, hello()); err != nil || got.End != want {
				t.Errorf("%s: %s, %v", raw, got.End, err)
			}
		})
	}
}

// TestTheLibraryDoesNotGoOn checks that an incomplete answer is an error after one request.
func TestTheLibraryDoesNotGoOn(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{"", "CONTINUATION"} {
		raw := `data: {"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"` + reason + `","continuationToken":"dG9rZW4="}]}` + "\n\n"
		if got, asked, err := ask(t, modelstest.Reply{Raw: raw}, hello()); fault.CodeOf(err) != sdkapi.ModelUnavailable || len(asked) != 1 || got.Text != "a" {
			t.Errorf("%q: %+v after %d requests, %v", reason, got, len(asked), err)
		}
	}
}

func TestModelNames(t *testing.T) {
	t.Parallel()
	for name, right := range map[string]bool{"gemini-2.5-pro": true, "models/gemini-2.5-pro": true, "": false, "../files": false, "a/../b": false, "a?key=b": false, "a#b": false, "/a": false} {
		t.Run(fmt.Sprintf("%.60q", name), func(t *testing.T) {
			req := hello()
			req.Model = name
			if _, asked, err := ask(t, modelstest.Reply{}, req); (err == nil) != right || len(asked) == 0 == right {
				t.Errorf("%q: %v", name, err)
			}
		})
	}
}

// TestTheEnvironmentIsLeftAlone checks that no key and no address come from the environment.
func TestTheEnvironmentIsLeftAlone(t *testing.T) {
	t.Setenv("GOOGLE_API_KEY", "from-the-environment")
	t.Setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
	_, asked, err := ask(t, modelstest.Reply{}, hello())
	if err != nil || len(asked) != 1 {
		t.Fatal(err)
	}
	if header, _ := json.Marshal(asked[0].Header); strings.Contains(string(header), "from-the-environment") || asked[0].Header.Get("X-Goog-Api-Key") != "" {
		t.Errorf("%s", header)
	}
}
