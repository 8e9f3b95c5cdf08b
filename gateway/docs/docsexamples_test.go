package docs_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/windieos/windie/agent/digest"
	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/artifacts/owned"
	"github.com/windieos/windie/gateway/screens"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/ledger"
	"github.com/windieos/windie/state/runs"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// needsFirst are the operations whose example says that a thing is not there: an id that the gateway gives, for which
// somebody made the thing. All others succeed as they stand.
var needsFirst = map[string]string{
	"agent-message": "SESSION_NOT_FOUND", "agent-stream": "SESSION_NOT_FOUND", "get-agent-session": "SESSION_NOT_FOUND", "delete-agent-session": "SESSION_NOT_FOUND",
	"get-artifact": "ARTIFACT_NOT_FOUND", "head-artifact": "", "keep-artifact": "ARTIFACT_NOT_FOUND", "unkeep-artifact": "ARTIFACT_NOT_FOUND", "delete-artifact": "ARTIFACT_NOT_FOUND",
	"get-plugin": "NOT_FOUND", "remove-plugin": "NOT_FOUND", "enable-plugin": "NOT_FOUND", "disable-plugin": "NOT_FOUND", "get-grant": "NOT_FOUND", "put-grant": "NOT_FOUND",
	"get-prompt": "PROMPT_NOT_FOUND", "prompt-events": "PROMPT_NOT_FOUND", "delete-prompt": "PROMPT_NOT_FOUND", "approve-prompt": "PROMPT_NOT_FOUND", "reject-prompt": "PROMPT_NOT_FOUND", "cancel-prompt": "PROMPT_NOT_FOUND",
	"get-decision": "DECISION_NOT_FOUND", "answer-decision": "DECISION_NOT_FOUND",
	"delete-conversation": "CONVERSATION_NOT_FOUND", "invoke-tool-conversation-get": "CONVERSATION_NOT_FOUND",
	"general-chat": "SESSION_NOT_FOUND", "general-stream": "SESSION_NOT_FOUND", "general-cancel": "SESSION_NOT_FOUND", "general-tool-result": "SESSION_NOT_FOUND", "general-session-delete": "SESSION_NOT_FOUND",
	"openai-get-response": "NOT_FOUND", "openai-delete-response": "NOT_FOUND",
	"get-run": "RUN_NOT_FOUND", "run-events": "RUN_NOT_FOUND", "run-stream": "RUN_NOT_FOUND", "run-file": "RUN_NOT_FOUND", "control-run": "RUN_NOT_FOUND", "run-worker-dispatched": "RUN_NOT_FOUND", "relay-run-event": "RUN_NOT_FOUND",
}

// notAsked are the operations that a page cannot ask as they stand, and why.
var notAsked = map[string]string{
	"agent-socket":         "it is a WebSocket",
	"upload-artifact":      "it takes a file, which the user of the page chooses",
	"add-plugin":           "likewise",
	"openai-transcription": "likewise",
}

// sample is an operation of the API document with its example.
type sample struct {
	id, method, path string
	body             []byte // nil for none
	success          []string
}

// samplesOf returns the operations of a document with their examples, in an order in which those that make things come
// first, and those that delete last.
func samplesOf(t *testing.T, doc map[string]any) (list []sample) {
	t.Helper()
	paths, _ := doc["paths"].(map[string]any)
	for path, methods := range paths {
		if path == sdkapi.ToolPath("shell.exec") {
			continue // a tool of this test's
		}
		for method, op := range methods.(map[string]any) {
			id, _ := doorstest.Field(op, "operationId").(string)
			s := sample{id: id, method: strings.ToUpper(method), path: path}
			query := url.Values{}
			parameters, _ := doorstest.Field(op, "parameters").([]any)
			for _, p := range parameters {
				name, _ := doorstest.Field(p, "name").(string)
				value, _ := doorstest.Field(p, "example").(string)
				if doorstest.Field(p, "required") != true || notAsked[id] != "" {
					continue
				}
				if value == "" {
					t.Errorf("%s: its parameter %s has no example", id, name)
				}
				if doorstest.Field(p, "in") == "query" {
					query.Set(name, value)
				}
				s.path = strings.ReplaceAll(s.path, "{"+name+"}", url.PathEscape(value))
			}
			if len(query) > 0 {
				s.path += "?" + query.Encode()
			}
			if media := doorstest.Field(op, "requestBody", "content", "application/json"); media != nil {
				example := doorstest.Field(media, "example")
				if example == nil {
					t.Errorf("%s has no example of its body", id)
				}
				s.body, _ = json.Marshal(example) // it was JSON
			}
			responses, _ := doorstest.Field(op, "responses").(map[string]any)
			for status := range responses {
				if strings.HasPrefix(status, "2") {
					s.success = append(s.success, status)
				}
			}
			list = append(list, s)
		}
	}
	rank := func(s sample) int {
		if strings.Contains(s.id, "write") {
			return -1
		}
		return slices.Index([]string{http.MethodPost, http.MethodPut, http.MethodGet, http.MethodHead, http.MethodDelete}, s.method)
	}
	slices.SortFunc(list, func(a, b sample) int {
		if rank(a) != rank(b) {
			return rank(a) - rank(b)
		}
		if a.method == http.MethodDelete { // what is below goes before what is above
			return len(b.path) - len(a.path)
		}
		return strings.Compare(a.path, b.path)
	})
	return list
}

// Ask sends the example as it stands, and returns the status and the start of the answer: a stream does not end.
func (s sample) Ask(t *testing.T, at string) (status string, answer []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), s.method, at+s.path, bytes.NewReader(s.body))
	if err != nil {
		t.Fatal(err)
	}
	if s.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("X-User-Id", "local")               // as docs.js fills it in
	req.Header.Set("X-Windie-Key", doorstest.LocalKey) // what the page asks for
	req.Header.Set("X-Windie-Runs-Key", doorstest.TestRunsKey)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	stream := strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
	if !stream {
		answer, err = io.ReadAll(resp.Body)
	}
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(resp.StatusCode), answer
}

// Requests that the page at /docs fills in run as they stand.
func TestDocsExamplesRun(t *testing.T) {
	t.Parallel()
	var ran atomic.Int64
	cfg := doorstest.DocumentedConfig(t, false, &ran)
	cfg.Store = owned.Open(gatewaytest.Store(t, false), doorstest.StateOf(t), owned.Options{}).For("") // as a gateway of one user has it
	cfg.Once, cfg.Memory, cfg.Audit = gatewaytest.Once(t), gatewaytest.Memory(t, memory.Options{}), gatewaytest.Audit(t)
	cfg.Embeddings, cfg.Digests, cfg.Voice, cfg.Transcriber = doorstest.CountingService(), new(digest.Digester), &doorstest.Humming{Long: time.Second}, doorstest.Transcribing(t)
	cfg.Plugins, cfg.Ledger = doorstest.WithPlugins(t).Plugins, ledger.Open(doorstest.StateOf(t), ledger.Options{})
	cfg.Runs, cfg.RunsKey, cfg.ApprovalKey = gatewaytest.Runs(t, runs.Options{}), doorstest.TestRunsKey, doorstest.LocalKey
	for _, tool := range append(screens.BuiltinTools(cfg.Store, query.New(cfg.Scenes, nil)), cfg.Memory.Tools()...) {
		if err := cfg.Tools.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	at := gatewaytest.Start(t, cfg)
	list := samplesOf(t, apiOf(t, at+"/openapi.json"))
	if len(list) < 110 {
		t.Errorf("there are only %d operations", len(list))
	}
	asked := map[string]bool{}
	for _, s := range list { // the steps of one sequence: what an example makes, a later one reads
		asked[s.id] = true
		if notAsked[s.id] != "" {
			continue
		}
		status, answer := s.Ask(t, at)
		code, missing := needsFirst[s.id]
		var failed sdkapi.ErrorResponse
		_ = json.Unmarshal(answer, &failed)
		switch {
		case missing && (status != "404" || string(failed.Error.Code) != code):
			t.Errorf("%s: %s %s answers %s %.300s, not 404 %s", s.id, s.method, s.path, status, answer, code)
		case !missing && !slices.Contains(s.success, status):
			t.Errorf("%s: %s %s answers %s %.300s", s.id, s.method, s.path, status, answer)
		}
	}
	for id := range needsFirst {
		if !asked[id] {
			t.Errorf("there is no operation %s", id)
		}
	}
}

// The picture of the examples is one that the routes for files take.
func TestDocsPictureUploads(t *testing.T) {
	t.Parallel()
	at := gatewaytest.Start(t, doorstest.DocumentedConfig(t, false, new(atomic.Int64)))
	body := doorstest.Field(apiOf(t, at+"/openapi.json"), "paths", "/api/sdk/ocr/run", "post", "requestBody", "content", "application/json", "example", "image", "image_base64")
	text, _ := body.(string)
	picture, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(picture) == 0 || len(picture) > 2<<10 {
		t.Fatalf("the picture has %d bytes: %v", len(picture), err)
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", "screen.png")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write(picture) // memory does not fail
	_ = w.Close()
	resp, err := http.Post(at+sdkapi.ArtifactsPath, w.FormDataContentType(), &form) //nolint:noctx // a test's
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("it is not stored: %s", resp.Status)
	}
}
