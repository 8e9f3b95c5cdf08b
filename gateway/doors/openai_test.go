package doors_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/quota"
	"github.com/windieos/windie/gateway/services"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/internal/testkit"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/journal/journaltest"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/embeddings"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/speech/transcription"
)

// obedient is a model that does as the last message says. A result of a tool it repeats.
type obedient struct{ left chan struct{} } // gets a value when a long answer has ended

func (m *obedient) Stream(ctx context.Context, req models.Request) iter.Seq2[models.Event, error] {
	return func(yield func(models.Event, error) bool) {
		last := req.Messages[len(req.Messages)-1]
		end := models.Event{Kind: models.End, End: models.Stop}
		say := func(text string) bool {
			for i, word := range strings.SplitAfter(text, " ") {
				if req.MaxTokens > 0 && i >= req.MaxTokens {
					end.End = models.Length
					return true
				}
				if req.MaxTokens > 0 && i == req.MaxTokens-1 {
					word = strings.TrimSpace(word)
				}
				if word != "" && !yield(models.Event{Kind: models.Text, Text: word}, nil) {
					return false
				}
			}
			return true
		}
		if !m.answer(ctx, req, last, say, yield, &end) {
			return
		}
		if yield(models.Event{Kind: models.UsageKnown, Usage: models.Usage{Input: 7, CacheRead: 4, Output: 3, Reasoning: 2}}, nil) {
			yield(end, nil)
		}
	}
}

// answer says what the last message asks for, and reports whether the answer has an end.
func (m *obedient) answer(ctx context.Context, req models.Request, last models.Message, say func(string) bool, yield func(models.Event, error) bool, end *models.Event) bool {
	if r := last.Parts[0].Result; r != nil {
		return say(r.Name + " gave " + r.Parts[0].Text)
	}
	var text, picture string
	for _, p := range last.Parts {
		text += p.Text
		if p.Image != nil {
			picture = p.Image.MediaType
		}
	}
	verb, rest, _ := strings.Cut(text, " ")
	switch verb {
	case "call":
		name, arguments, _ := strings.Cut(rest, " ")
		end.End = models.ToolCalls
		return yield(models.Event{Kind: models.ToolCall, Call: &models.Call{ID: "call_1", Name: name, Arguments: json.RawMessage(arguments)}}, nil)
	case "long":
		defer func() { m.left <- struct{}{} }()
		for yield(models.Event{Kind: models.Text, Text: "on and "}, nil) {
			select {
			case <-ctx.Done():
				return false
			case <-time.After(10 * time.Millisecond):
			}
		}
		return false
	case "left":
		select {
		case <-m.left:
			return say("yes")
		case <-ctx.Done():
			return false
		}
	case "away":
		yield(models.Event{}, fault.New("test", sdkapi.ModelUnavailable, "the provider does not answer"))
		return false
	case "history":
		var roles []string
		for _, m := range req.Messages {
			roles = append(roles, string(m.Role))
		}
		rest = strings.Join(roles, " ")
	case "system":
		rest = req.System
	case "picture":
		rest = picture
	case "steady":
		rest = fmt.Sprint(req.Steady)
	case "tools":
		var names []string
		for _, t := range req.Tools {
			names = append(names, t.Name)
		}
		rest = strings.Join(names, " ")
	}
	return say(rest)
}

// modelAlone are the models of a gateway that has one.
type modelAlone struct {
	oneModel
	model models.Model
}

func (m modelAlone) List(context.Context, string, ...string) sdkapi.ModelList {
	return sdkapi.ModelList{Local: []sdkapi.Model{{ID: "obedient", Provider: "test"}}}
}
func (m modelAlone) Default() string { return "obedient" }
func (m modelAlone) Choose(_ context.Context, _, id string) (models.Model, models.Request, error) {
	if id != "" && id != "obedient" {
		return nil, models.Request{}, fault.New("test", sdkapi.ValidationError, "there is no model %s", id)
	}
	return m.model, models.Request{Model: "obedient"}, nil
}

// threeCounts are vectors of three numbers.
type threeCounts struct{}

func (threeCounts) Embed(_ context.Context, texts []string) ([][]float32, error) {
	list := make([][]float32, len(texts))
	for i, text := range texts {
		list[i] = []float32{float32(len(text)), 0.5, 1}
	}
	return list, nil
}

// clockTool changes nothing.
var clockTool = fakeTool{agent.Descriptor{Name: "time.now", Description: "The time."}, always(agent.Result{Content: []agent.Part{agent.Text("10:00 AM")}})}

// openaiGateway starts a gateway for programs that speak OpenAI's API, and returns its URL.
func openaiGateway(t *testing.T) string {
	t.Helper()
	whisper := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, _, err := r.FormFile("file")
		if err != nil || r.FormValue("model") != "whisper-1" {
			http.Error(w, "no recording", http.StatusBadRequest)
			return
		}
		head := make([]byte, 4)
		if _, err := file.Read(head); err != nil || string(head) != "RIFF" {
			http.Error(w, "no recording", http.StatusBadRequest)
			return
		}
		_, _ = w.Write([]byte(`{"text":" Open the settings."}`))
	}))
	t.Cleanup(whisper.Close)
	risky := fakeTool{agent.Descriptor{Name: "door.open", Description: "Opens it.", Risk: agent.Risky}, always(agent.Result{Content: []agent.Part{agent.Text("open")}})}
	return gatewaytest.Start(t, gateway.Config{
		Services: services.Services{
			Models:      modelAlone{model: &obedient{make(chan struct{}, 1)}},
			Embeddings:  embeddings.New("test", "counting", func() (embeddings.Embedder, error) { return threeCounts{}, nil }),
			Voice:       &humming{long: 200 * time.Millisecond},
			Transcriber: transcription.NewUploads(transcription.UploadsOptions{URL: whisper.URL, Model: "whisper-1"}),
		},
		Store: new(storetest.Memory), Scenes: gatewaytest.Scenes(t), Tools: registryOf(t, clockTool, risky),
		OpenAITools: func(agent.Descriptor) bool { return true },
	})
}

// What a client is answered is one answer, whose calls of the gateway's tools it does not see, and whose usage it does; a bound
// of it is one that can be counted.
func TestOpenAIAnswers(t *testing.T) {
	t.Parallel()
	url := openaiGateway(t)
	for name, tt := range map[string]struct {
		say, fields string
		status      int
		has, hasNot []string
	}{
		"a call of ours":          {"call time_now {}", "", 200, []string{`"content":"time_now gave 10:00 AM"`, `"finish_reason":"stop"`, `"total_tokens":32`}, []string{"tool_calls"}},
		"the same in pieces":      {"call time_now {}", `,"stream":true`, 200, []string{`"content":"AM"`, `"finish_reason":"stop"`}, []string{"tool_calls"}},
		"a call of nobody's":      {"call else {}", "", 200, []string{`"tool_calls":[{`, `"name":"else"`, `"finish_reason":"tool_calls"`}, nil},
		"one in pieces":           {"call else {}", `,"stream":true`, 200, []string{`"tool_calls":[{"index":0`, `"finish_reason":"tool_calls"`}, nil},
		"stopped":                 {"say one two three", `,"stop":"three"`, 200, []string{`"content":"one two "`, `"finish_reason":"stop"`, `"completion_tokens":3`}, []string{`"total_tokens":0`, `"prompt_tokens":0`}},
		"stopped in pieces":       {"say one two three", `,"stop":"three","stream":true,"stream_options":{"include_usage":true}`, 200, []string{`"completion_tokens":3`, "[DONE]"}, []string{`"total_tokens":0`}},
		"many tokens":             {"say one", `,"max_tokens":1000000`, 200, []string{`"content":"one"`}, nil},
		"the most":                {"say one", `,"max_completion_tokens":16777216`, 200, []string{`"content":"one"`}, nil},
		"one more":                {"say one", `,"max_completion_tokens":16777217`, 422, []string{"body.max_completion_tokens: expected 1 to 16777216"}, nil},
		"by the older name":       {"say one", `,"max_tokens":16777217`, 422, []string{"body.max_tokens: expected 1 to 16777216"}, nil},
		"hidden by the new one":   {"say one", `,"max_tokens":9223372036854775807,"max_completion_tokens":5`, 422, []string{"body.max_tokens"}, nil},
		"less than one":           {"say one", `,"max_tokens":0`, 422, []string{"body.max_tokens"}, nil},
		"more than any number is": {"say one", `,"max_tokens":9223372036854775808`, 422, []string{"body.max_tokens"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, answer := askWith(t, http.MethodPost, url+sdkapi.OpenAIChatPath, fmt.Sprintf(`{"model":"default","messages":[{"role":"user","content":%q}]%s}`, tt.say, tt.fields))
			for _, part := range tt.has {
				if !strings.Contains(answer, part) {
					t.Errorf("it lacks %s", part)
				}
			}
			for _, part := range tt.hasNot {
				if strings.Contains(answer, part) {
					t.Errorf("it has %s", part)
				}
			}
			if status != tt.status || t.Failed() {
				t.Errorf("%d %s", status, answer)
			}
		})
	}
}

// The rules of the deployment and of the user hold for the gateway's tools, at the time of the call too, and each call is charged.
func TestOpenAIRules(t *testing.T) {
	t.Parallel()
	deny := session.Policy{{Tool: "time_now", Verdict: session.Deny, Reason: "no clocks"}}
	ask := session.Policy{{Tool: "time_now", Verdict: session.Ask, Reason: "clocks with care"}}
	for name, tt := range map[string]struct {
		deployment    session.Policy
		before, after session.Policy // of the user: when tools are offered, and when one is called
		calls         int            // that a user may make in a minute; 0 for any number
		offered       bool
		answer        string
	}{
		"none":            {offered: true, answer: "time_now gave 10:00 AM"},
		"forbidden":       {deployment: deny, answer: "time_now gave this call is not allowed: no clocks"},
		"asked about":     {deployment: ask, answer: "time_now gave this call is not allowed: clocks with care"},
		"by the user":     {before: deny, after: deny, answer: "time_now gave this call is not allowed: no clocks"},
		"in the meantime": {after: deny, offered: true, answer: "time_now gave this call is not allowed: no clocks"},
		"too many calls":  {calls: 2, offered: true, answer: "time_now gave calls of tools are limited to 2 a minute"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, tools := journaltest.NewMemory(), registryOf(t, clockTool)
			var asked atomic.Int64
			all := session.New(session.Config{Journal: log, Tools: tools, Policy: tt.deployment, UserPolicy: func(context.Context, string) (session.Policy, error) {
				if asked.Add(1) <= 2 { // both requests offer tools first
					return tt.before, nil
				}
				return tt.after, nil
			}})
			t.Cleanup(all.Close)
			url := gatewaytest.Start(t, gateway.Config{
				Services: services.Services{Models: modelAlone{model: &obedient{make(chan struct{}, 1)}}}, Sessions: all, Journal: journal.Count(log),
				Store: new(storetest.Memory), Scenes: gatewaytest.Scenes(t), Tools: tools, Limits: quota.Limits{AddressToolCalls: tt.calls},
				OpenAITools: func(agent.Descriptor) bool { return true },
			})
			chat := func(say string) string {
				status, answer := askWith(t, http.MethodPost, url+sdkapi.OpenAIChatPath, fmt.Sprintf(`{"model":"default","messages":[{"role":"user","content":%q}]}`, say))
				if status != http.StatusOK {
					t.Errorf("%d %s", status, answer)
				}
				return answer
			}
			if offered := chat("tools"); strings.Contains(offered, "time_now") != tt.offered {
				t.Errorf("offered is %s", offered)
			}
			if answer := chat("call time_now {}"); !strings.Contains(answer, tt.answer) {
				t.Errorf("%s, and not %q", answer, tt.answer)
			}
		})
	}
}

// OpenAI's own clients make forty calls each.
func TestOpenAIClients(t *testing.T) {
	t.Parallel()
	installed := filepath.Join(testkit.RepoRoot(t), ".tools", "openai")
	if _, err := os.Stat(filepath.Join(installed, "stamp")); err != nil {
		testkit.Skip(t, "OpenAI's clients", "make deps")
	}
	for _, language := range []string{"python3", "node"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			url, dir := openaiGateway(t), t.TempDir()
			picture := filepath.Join(dir, "card.png")
			if err := os.WriteFile(picture, gatewaytest.Card(), 0o600); err != nil {
				t.Fatal(err)
			}
			shot := upload(t, url)
			script := map[string]string{"python3": "client.py", "node": "client.mjs"}[language]
			source, err := os.ReadFile(filepath.Join("..", "testdata", "openai", script))
			if err == nil { // node looks for modules beside the script
				err = errors.Join(os.WriteFile(filepath.Join(dir, script), source, 0o600), os.Symlink(filepath.Join(installed, "node_modules"), filepath.Join(dir, "node_modules")))
			}
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, language, script, url+sdkapi.OpenAIPath, shot, picture)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "PYTHONPATH="+filepath.Join(installed, "python"), "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
			if out, err := cmd.CombinedOutput(); err != nil || !strings.HasSuffix(string(out), "40 calls\n") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
