package gateway_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// postRaw sends bytes as JSON, and returns the status and the error.
func postRaw(t *testing.T, method, url, body string) (int, sdkapi.Error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, sdkapi.UserHeader: {"ada"}, sdkapi.KeyHeader: {doorstest.LocalKey}}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	var envelope sdkapi.ErrorResponse
	_ = json.Unmarshal(text, &envelope)
	return resp.StatusCode, envelope.Error
}

// A body that says two things is refused on each route that decides something,
// before anything is looked up, with the path of what is wrong.
func TestBodiesSayOneThing(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, local(t))
	const prompt = sdkapi.PromptsPath + "/prompt_aaaaaaaaaaaaaaaaaaaaaaaaaa.3"
	for name, tt := range map[string]struct{ method, path, body, at string }{
		"a decision":           {"POST", sdkapi.DecisionsPath + "/x", `{"approved":false,"APPROVED":true}`, "body.APPROVED"},
		"a decision, twice":    {"POST", sdkapi.DecisionsPath + "/x", `{"approved":false,"approved":true}`, "body.approved"},
		"a decision, escaped":  {"POST", sdkapi.DecisionsPath + "/x", `{"approved":false,"\u0061pproved":true}`, "body.approved"},
		"in capitals alone":    {"POST", sdkapi.DecisionsPath + "/x", `{"Approved":true}`, "body.Approved"},
		"a yes":                {"POST", prompt + "/approve", `{"toolCallId":"a","toolcallid":"b"}`, "body.toolcallid"},
		"a yes to other input": {"POST", prompt + "/approve", `{"toolCallId":"a","input":{"path":"x","path":"y"}}`, "body.input.path"},
		"a no":                 {"POST", prompt + "/reject", `{"toolCallId":"a","toolCallId":"b"}`, "body.toolCallId"},
		"a prompt":             {"POST", sdkapi.PromptPath, `{"input":"a","Input":"b"}`, "body.Input"},
		"a result":             {"POST", sdkapi.V1ToolResultPath, `{"general_session_id":"g","tool_result":{"id":"c","ok":false,"OK":true}}`, "body.tool_result.OK"},
		"a message":            {"POST", sdkapi.V1ChatPath, `{"general_session_id":"g","message":{"parts":[{"type":"text","text":"a","Text":"b"}]}}`, "body.message.parts[0].Text"},
		"a grant":              {"PUT", sdkapi.PluginsPath + "/units/grant", `{"risk":{"a":"forbidden"},"Risk":{"a":"safe"}}`, "body.Risk"},
		"a grant's tool":       {"PUT", sdkapi.PluginsPath + "/units/grant", `{"risk":{"a":"forbidden","a":"safe"}}`, "body.risk.a"},
		"over MCP":             {"POST", sdkapi.MCPPath, `{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}`, "body.method"},
		"arguments over MCP":   {"POST", sdkapi.MCPPath, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory.write","arguments":{"a":1,"a":2}}}`, "body.params.arguments.a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, got := postRaw(t, tt.method, url+tt.path, tt.body)
			if status != http.StatusUnprocessableEntity || got.Code != sdkapi.ValidationError || len(got.Details.Fields) != 1 || got.Details.Fields[0].Path != tt.at {
				t.Errorf("%d %+v, want it at %s", status, got, tt.at)
			}
		})
	}
}

// Bytes that are no text are refused by each route that takes JSON: they would be
// replaced by others.
func TestBodiesAreText(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, local(t))
	_, text := doorstest.Get(t, url+"/openapi.json")
	var doc struct {
		Paths map[string]map[string]struct {
			RequestBody struct{ Content map[string]any }
		}
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	tried := 0
	for path, methods := range doc.Paths {
		for method, op := range methods {
			if op.RequestBody.Content["application/json"] == nil || path == sdkapi.ToolPath("{tool_id}") { // whose body the registry reads
				continue
			}
			tried++
			status, got := postRaw(t, strings.ToUpper(method), url+doorstest.PathParameter.ReplaceAllString(path, "x"), "{\"input\":\"\xff\"}")
			if status != http.StatusBadRequest && status != http.StatusUnprocessableEntity || got.Code != sdkapi.MalformedBody && got.Code != sdkapi.ValidationError || !strings.HasPrefix(got.Details.Fields[0].Path, "body") {
				t.Errorf("%s %s: %d %+v", method, path, status, got)
			}
		}
	}
	if tried < 15 {
		t.Errorf("only %d routes were tried", tried)
	}
}
