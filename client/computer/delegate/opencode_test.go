//go:build system

package delegate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer/delegate"
	"github.com/windieos/windie/internal/test/testkit"
)

// completion is a request for a chat completion, as far as scripts look at it.
type completion struct {
	Messages []struct {
		Role    string
		Content any
	}
	Tools []any
}

// last returns the text of the last message of a role, and how many of that role there are.
func (c completion) last(role string) (text string, n int) {
	for _, m := range c.Messages {
		if m.Role == role {
			raw, _ := json.Marshal(m.Content)
			text, n = string(raw), n+1
		}
	}
	return text, n
}

// delta is a piece of an answer: text, or a call of a tool.
type delta struct {
	text, tool string
	arguments  map[string]any
}

// serveModel serves a model that speaks OpenAI's protocol, and answers by a script. If the answer is nil, the model is silent until
// its client leaves.
func serveModel(t *testing.T, script func(completion) []delta) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var c completion
		if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer := []delta{{text: "A title"}}
		if len(c.Tools) > 0 {
			answer = script(c)
		}
		if answer == nil {
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		send := func(content map[string]any, end any) {
			raw, _ := json.Marshal(map[string]any{"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": []any{map[string]any{"index": 0, "delta": content, "finish_reason": end}}})
			fmt.Fprintf(w, "data: %s\n\n", raw)
		}
		end := "stop"
		for i, d := range answer {
			if d.tool == "" {
				send(map[string]any{"role": "assistant", "content": d.text}, nil)
				continue
			}
			raw, _ := json.Marshal(d.arguments)
			send(map[string]any{"tool_calls": []any{map[string]any{"index": i, "id": fmt.Sprintf("call%d-%d", len(c.Messages), i), "type": "function", "function": map[string]any{"name": d.tool, "arguments": string(raw)}}}}, nil)
			end = "tool_calls"
		}
		send(map[string]any{}, end)
		fmt.Fprint(w, "data: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// opencode returns the coding agent opencode, with a model at a URL and settings of its own.
func opencode(t *testing.T, model string) delegate.Agent {
	t.Helper()
	program := filepath.Join(testkit.RepoRoot(t), ".tools", "opencode", "opencode")
	if _, err := os.Stat(program); err != nil {
		testkit.Skip(t, "the coding agent opencode", "make deps-system")
	}
	home := t.TempDir()
	settings := map[string]any{
		"model": "test/m", "small_model": "test/m", "share": "disabled",
		"provider": map[string]any{"test": map[string]any{
			"npm": "@ai-sdk/openai-compatible", "name": "test", "options": map[string]any{"baseURL": model + "/v1", "apiKey": "none"}, "models": map[string]any{"m": map[string]any{"name": "m"}},
		}},
	}
	raw, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(home, ".config", "opencode")
	if err := os.MkdirAll(config, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(config, "opencode.json"), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	one := delegate.Opencode()
	one.Command[0] = program
	for _, name := range []string{"HOME=", "XDG_CONFIG_HOME=.config", "XDG_DATA_HOME=.local/share", "XDG_STATE_HOME=.local/state", "XDG_CACHE_HOME=.cache"} {
		name, dir, _ := strings.Cut(name, "=")
		one.Env = append(one.Env, name+"="+filepath.Join(home, dir))
	}
	one.Env = append(one.Env, "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1")
	return one
}

// The real opencode, with a model by a script: its steps are asked about, one is denied, and what it wrote is there.
func TestOpencode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	model := serveModel(t, func(c completion) []delta {
		switch _, tools := c.last("tool"); tools {
		case 0:
			return []delta{{text: "I'll write it."}, {tool: "write", arguments: map[string]any{"filePath": filepath.Join(dir, "hello.txt"), "content": "hello\n"}}}
		case 1:
			return []delta{{tool: "bash", arguments: map[string]any{"command": "touch forbidden", "description": "Makes a file"}}}
		}
		return []delta{{text: "I wrote `hello.txt`. "}, {text: "The command was not allowed."}}
	})
	var mu sync.Mutex
	var asked []delegate.Step
	tools := register(t, delegate.Options{Dir: dir, Agents: []delegate.Agent{opencode(t, model)}, Ask: func(_ context.Context, _ agent.Call, step delegate.Step) (bool, error) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, step)
		return step.Kind == "edit", nil
	}})
	got, failed := handOver(t.Context(), t, tools, map[string]any{"task": "Write hello.txt."})
	if failed != "" || !slices.Equal(got.Changed, []string{"created hello.txt"}) || len(got.Missing) > 0 || got.Agent != "opencode" {
		t.Fatalf("%+v %s", got, failed)
	}
	if len(asked) != 2 || asked[0].Kind != "edit" || !strings.Contains(string(asked[0].Input), "+hello") || asked[1].Kind != "execute" || !strings.Contains(string(asked[1].Input), "touch forbidden") {
		t.Errorf("asked about %+v", asked)
	}
}

// A model that falls silent: opencode is stopped, and goes on with a new session that knows what was done.
func TestOpencodeStuck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var mu sync.Mutex
	told := ""
	model := serveModel(t, func(c completion) []delta {
		text, _ := c.last("user")
		_, tools := c.last("tool")
		switch replay := strings.Contains(text, "was stuck and was stopped"); {
		case replay:
			mu.Lock()
			defer mu.Unlock()
			told = text
			return []delta{{text: "It was written already, in half.txt."}}
		case tools == 0:
			return []delta{{tool: "write", arguments: map[string]any{"filePath": filepath.Join(dir, "half.txt"), "content": "half\n"}}}
		}
		return nil
	})
	allow := func(context.Context, agent.Call, delegate.Step) (bool, error) { return true, nil }
	tools := register(t, delegate.Options{Dir: dir, Agents: []delegate.Agent{opencode(t, model)}, Ask: allow, Times: delegate.Times{Quiet: 15 * time.Second, Tool: 20 * time.Second, Cancel: 10 * time.Second}})
	got, failed := handOver(t.Context(), t, tools, map[string]any{"task": "Write half.txt."})
	if failed != "" || got.Answer != "It was written already, in half.txt." || got.Replays != 1 || got.Ended != "done" || !slices.Equal(got.Changed, []string{"created half.txt"}) {
		t.Errorf("%+v %s", got, failed)
	}
	if !strings.Contains(told, "created half.txt") || !strings.Contains(told, "Write half.txt.") {
		t.Errorf("the new session was told %s", told)
	}
}
