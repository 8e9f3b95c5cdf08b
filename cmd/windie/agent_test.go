package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/google/uuid"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"
)

// A gateway that nobody configured understands plain commands, and a
// conversation is still there when it has been started again.
func TestServeTalks(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	dir, said := t.TempDir(), ""
	t.Run("first", func(t *testing.T) { //nolint:paralleltest // the other comes after it
		said = ask(t, serveForTest(t, "WINDIE_DATA_DIR="+dir), "query", `{"text":"what tools are there","conversation_ref":"c1"}`)
	})
	if !strings.Contains(said, "- ocr_read: ") || !strings.Contains(said, "- mouse_control: ") {
		t.Errorf("it says %s", said)
	}
	again := ask(t, serveForTest(t, "WINDIE_DATA_DIR="+dir), "resume", `{"conversation_ref":"c1","seq":0}`)
	if again != said {
		t.Errorf("it says %s, after %s", again, said)
	}
}

// A user has the web searched, by a server inside of the operator's network.
// Without one there is no such tool, whatever the client declares.
func TestServeSearches(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/search" || r.URL.Query().Get("format") != "json" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, `{"results":[{"url":"https://example.com/tea","title":"All about %s","content":"Hot water and leaves."}]}`, r.URL.Query().Get("q"))
	}))
	t.Cleanup(web.Close)
	const query = `{"text":"search the web for tea","conversation_ref":"c1"}`
	url := serveForTest(t, "WINDIE_SEARCH_PROVIDER=searxng", "WINDIE_SEARCH_URL="+web.URL)
	if said := ask(t, url, "query", query); said != "1. All about tea\n   https://example.com/tea\n   Hot water and leaves." {
		t.Errorf("it says %q", said)
	}
	web.Close()
	if said := ask(t, url, "query", query); !strings.Contains(said, "Failed: the web search server (searxng) does not answer") {
		t.Errorf("of a server that is gone it says %q", said)
	}
	if said := ask(t, serveForTest(t), "query", query); !strings.Contains(said, "which this session lacks") {
		t.Errorf("without one it says %q", said)
	}
}

// ask sends one message, and returns what the agent says until it is done.
func ask(t *testing.T, url, kind, payload string) string {
	t.Helper()
	conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(url, "http")+sdkapi.WSPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, message := range []string{`{"type":"handshake","user_id":"ada"}`, fmt.Sprintf(`{"id":%q,"type":%q,"payload":%s}`, uuid.NewString(), kind, payload)} {
		if err := conn.WriteMessage(websocket.TextMessage, []byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	for {
		var m sdkapi.WSMessage
		if err := conn.ReadJSON(&m); err != nil {
			t.Fatal(err)
		}
		var done struct {
			Final string `json:"final_response"`
		}
		if m.Type == sdkapi.WSStreamingComplete && json.Unmarshal(m.Payload, &done) == nil {
			return done.Final
		}
		if m.Type == sdkapi.WSError {
			t.Fatalf("%s", m.Payload)
		}
	}
}

// A template that cannot be filled in keeps the gateway from starting, which
// says where it is wrong.
func TestServeRefusesATemplate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "prompts", "system.tmpl")
	if err := os.Mkdir(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("{{.Instructions}}\n{{if .Workspace}}{{.Folder}}{{end}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, complaint output
	environ := []string{"WINDIE_DATA_DIR=" + dir, "WINDIE_LISTEN=127.0.0.1:0", "PATH=" + os.Getenv("PATH")}
	code := run(t.Context(), []string{"serve"}, environ, nil, &out, &complaint)
	if want := file + ":2:19: unknown variable .Folder"; code == 0 || !strings.Contains(complaint.String(), want) {
		t.Errorf("serve ended with %d:\n%s", code, complaint.String())
	}
}

// What a user chose is there when the gateway has been started again; a key is
// not, and the settings say so.
func TestServeForgetsKeys(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	dir := t.TempDir()
	load := func(name, first string) (said string) {
		t.Run(name, func(t *testing.T) { //nolint:paralleltest // one comes after the other
			url := serveForTest(t, "WINDIE_DATA_DIR="+dir, "OPENAI_API_KEY=")
			for _, m := range [][2]string{{sdkapi.WSUpdateSettings, first}, {sdkapi.WSLoadSettings, `{}`}} {
				said = answer(t, url, m[0], m[1])
			}
		})
		return said
	}
	const openai = `"model_provider":"openai","selected_model_id":"gpt-4.1"`
	if said := load("first", `{"selected_model_id":"gpt-4.1","provider_api_keys":{"openai":{"enabled":true,"api_key":"sk-a-key"}}}`); !strings.Contains(said, openai) || !strings.Contains(said, `"openai":{"enabled":true,"api_key":""}`) {
		t.Errorf("the settings are %s", said)
	}
	if said := load("again", `{}`); !strings.Contains(said, openai) || !strings.Contains(said, `"openai":{"enabled":false,"api_key":""}`) {
		t.Errorf("after a restart the settings are %s", said)
	}
}

// answer sends one message, and returns the payload of the next one that comes.
func answer(t *testing.T, url, kind, payload string) string {
	t.Helper()
	conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(url, "http")+sdkapi.WSPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, message := range []string{`{"type":"handshake","user_id":"ada"}`, fmt.Sprintf(`{"id":%q,"type":%q,"payload":%s}`, uuid.NewString(), kind, payload)} {
		if err := conn.WriteMessage(websocket.TextMessage, []byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
	var m sdkapi.WSMessage
	if err := conn.ReadJSON(&m); err != nil {
		t.Fatal(err)
	}
	return string(m.Payload)
}

// A client that does not say that it knows of approvals is not kept waiting for
// long: the question is a no after a time that the operator sets.
func TestServeWaitsForApproval(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	url := serveForTest(t, "WINDIE_AGENT_ANSWER_TIME=1s")
	if said := ask(t, url, "query", `{"text":"run run_shell_command {\"command\":\"ls\"}","conversation_ref":"c1"}`); !strings.Contains(said, "the user did not approve it in time") {
		t.Errorf("it says %q", said)
	}
}
