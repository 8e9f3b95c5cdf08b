package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	convs "github.com/windieos/windie/agent/conversation"
	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/models/commander"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal/journaltest"
	"github.com/windieos/windie/state/ledger"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// fileForm is a form with one file, and with a boundary of its own.
func fileForm(t *testing.T, name, content string) (contentType string, body io.Reader) {
	t.Helper()
	var out bytes.Buffer
	form := multipart.NewWriter(&out)
	part, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = io.WriteString(part, content)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return form.FormDataContentType(), &out
}

// complete is a gateway with all its parts, and how often its tool was called,
// which fails for some arguments.
func complete(t *testing.T) (cfg gateway.App, called *atomic.Int64) {
	t.Helper()
	cfg = doorstest.Conversing(t, gatewaytest.Store(t, false), commander.Model{}, journaltest.NewMemory())
	called = new(atomic.Int64)
	err := cfg.Tools.Register(agenttest.Tool{
		Described: agent.Descriptor{Name: "door.open", Risk: agent.Risky, Origin: agent.Origin{Kind: agent.Builtin}},
		Do: func(_ context.Context, c agent.Call) (agent.Result, error) {
			n := called.Add(1)
			return agent.Result{Content: []agent.Part{agent.Text(fmt.Sprint("opened ", n, " times"))}, IsError: strings.Contains(string(c.Arguments), "jammed")}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Conversations = convs.Open(cfg.Journal)
	cfg.Once, cfg.Identity, cfg.Audit = gatewaytest.Once(t), gatewaytest.Identity(t), gatewaytest.Audit(t)
	cfg.Memory = gatewaytest.Memory(t, memory.Options{})
	cfg.Plugins, cfg.Ledger = doorstest.WithPlugins(t).Plugins, ledger.Open(doorstest.StateOf(t), ledger.Options{})
	doorstest.Operated(t, &cfg)
	return cfg, called
}

// needless are the operations that do without a key, by why.
var needless = map[string]string{
	"answer-decision": "the same answer again is accepted", "approve-prompt": "the same answer again is accepted",
	"reject-prompt": "the same answer again is accepted", "general-tool-result": "the same result again is accepted",
	"agent-message": "a messageId, and the id of a call, stand for it",
	"cancel-prompt": "what is canceled stays so", "general-cancel": "what is canceled stays so",
	"enable-plugin": "what is enabled stays so", "disable-plugin": "what is disabled stays so",
	"ocr-run": "it makes nothing", "ocr-find-text": "it makes nothing", "ocr-find-text-candidates": "it makes nothing", "ocr-resolve-text": "it makes nothing",
	"ocr-resolve-candidate": "it makes nothing", "ocr-inspect": "its overlay is named after what it shows",
	"vision-locate": "it makes nothing", "vision-locate-all": "it makes nothing", "vision-describe": "it makes nothing", "vision-resolve-candidate": "it makes nothing",
	"screen-elements": "it makes nothing", "screen-at": "it makes nothing", "screen-diff": "it makes nothing",
	"prompt-preview": "it makes nothing", "query-plan": "it makes nothing",
	"openai-chat": "its answer is not kept", "openai-response": "its stream is not kept", "openai-embeddings": "it makes nothing", "openai-speech": "it makes nothing", "openai-transcription": "it makes nothing",
	"accept-mcp-server": "what is accepted stays so", "create-user": "one user too many has no install", "prune": "what is removed stays so",
	"create-token": "it refuses a key: its answer is a secret", "register-install": "it refuses a key: its answer is a secret", "socket-ticket": "it refuses a key: its answer is a secret",
}

// Each route that makes something takes a key, and its document says so.
func TestEveryPostTakesAKey(t *testing.T) {
	t.Parallel()
	cfg, _ := complete(t)
	_, text := doorstest.Ask(t, http.MethodGet, gatewaytest.Start(t, cfg)+"/openapi.json", "ada", nil)
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string
			Parameters  []struct{ Name, In string }
			Statuses    []int `json:"x-statuses"`
		}
	}
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	taking := 0
	for path, operations := range document.Paths {
		post, ok := operations["post"]
		if !ok {
			continue
		}
		takes := slices.ContainsFunc(post.Parameters, func(p struct{ Name, In string }) bool {
			return p.Name == sdkapi.IdempotencyKeyHeader && p.In == "header"
		})
		why := needless[post.OperationID]
		switch {
		case takes && why != "":
			t.Errorf("POST %s, %s, takes a key, though %s", path, post.OperationID, why)
		case takes && strings.HasPrefix(post.OperationID, "invoke-tool-"): // the same route again, of one tool
		case takes:
			taking++
			if !slices.Contains(post.Statuses, 409) || !slices.Contains(post.Statuses, 422) {
				t.Errorf("the document of %s does not say how a key is refused", post.OperationID)
			}
		case why == "":
			t.Errorf("POST %s, %s, takes no key; add it to onceRoutes, or here to needless with the reason", path, post.OperationID)
		}
	}
	if want := 10; taking != want {
		t.Errorf("%d routes take a key, want %d", taking, want)
	}
}

// The same request with the same key is answered as the first one was, and not
// done again. With another body it is refused, and another user's key is another key.
func TestRequestIsDoneOnce(t *testing.T) {
	t.Parallel()
	cfg, called := complete(t)
	url := gatewaytest.Start(t, cfg)
	shot := doorstest.Upload(t, url)
	for name, tt := range map[string]struct{ path, body, other string }{
		"a tool":         {sdkapi.ToolPath("door.open"), `{"door":1}`, `{"door":2}`},
		"a conversation": {sdkapi.ToolPath("conversation.create"), `{}`, ` {}`},
		"a session":      {sdkapi.V1SessionsPath, `{}`, ` {}`},
		"a memory":       {sdkapi.V1MemoryWritePath, `{"content":"Tea at five.","target":"daily"}`, `{"content":"Tea at six.","target":"daily"}`},
		"an overlay":     {sdkapi.OCROverlayPath, `{"image":{"artifact_id":"` + shot + `"}}`, `{"image":{"artifact_id":"` + shot + `"},"threshold":0.5}`},
	} {
		t.Run(name, func(t *testing.T) {
			key := "k" + strings.ReplaceAll(name, " ", "-")
			first := doorstest.Keyed(t, url+tt.path, `"`+key+`"`, tt.body)
			again := doorstest.Keyed(t, url+tt.path, key, tt.body) // quotes are the header's, and no part of the key
			if first.Status/100 != 2 || first.Replayed {
				t.Fatalf("the first is answered %+v", first)
			}
			if want := first; !again.Replayed || again.Status != want.Status || again.Body != want.Body || again.Kind != want.Kind {
				t.Errorf("again it is answered\n%+v, first\n%+v", again, first)
			}
			if other := doorstest.Keyed(t, url+tt.path, key, tt.other); other.Status != http.StatusUnprocessableEntity || other.Code() != sdkapi.KeyReused {
				t.Errorf("another request with the key is answered %+v", other)
			}
			bobs, err := doorstest.SendKeyed(t.Context(), url+tt.path, "bob", key, "application/json", strings.NewReader(tt.body))
			if err != nil || bobs.Status != first.Status || bobs.Replayed {
				t.Errorf("bob's is answered %+v, %v", bobs, err)
			}
		})
	}
	if n := called.Load(); n != 2 {
		t.Errorf("the tool was called %d times, want once for each user", n)
	}
}

// A file is the same though its form has another boundary.
func TestUploadIsDoneOnce(t *testing.T) {
	t.Parallel()
	cfg, _ := complete(t)
	url := gatewaytest.Start(t, cfg)
	send := func(path, name, content string) doorstest.OnceAnswer {
		contentType, body := fileForm(t, name, content)
		a, err := doorstest.SendKeyed(t.Context(), url+path, "ada", "k", contentType, body)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	large := strings.Repeat("some text. ", 200_000)
	first, again := send(sdkapi.ArtifactsPath, "a.txt", large), send(sdkapi.ArtifactsPath, "a.txt", large)
	if first.Status != http.StatusOK || first.Replayed || !again.Replayed || again.Status != first.Status || again.Body != first.Body {
		t.Errorf("an upload is answered %+v, and again %+v", first, again)
	}
	if other := send(sdkapi.ArtifactsPath, "a.txt", large+"!"); other.Code() != sdkapi.KeyReused {
		t.Errorf("another file with the key is answered %+v", other)
	}
	const script = `tool({name: "a", description: "A.", run() { return "a"; }});`
	if first, again := send(sdkapi.PluginsPath, "no.txt", script), send(sdkapi.PluginsPath, "no.txt", script); first.Status/100 != 4 || again.Replayed {
		t.Errorf("a plugin that is none is answered %+v, and again %+v", first, again)
	}
}

// A failure leaves the key free, for the same request and for one that is
// mended.
func TestFailureKeepsNoKey(t *testing.T) {
	t.Parallel()
	cfg, called := complete(t)
	url := gatewaytest.Start(t, cfg)
	for range 2 {
		if a := doorstest.Keyed(t, url+sdkapi.ToolPath("door.open"), "k", `{"jammed":true}`); a.Status != http.StatusInternalServerError || a.Replayed {
			t.Errorf("a tool that fails is answered %+v", a)
		}
	}
	if a := doorstest.Keyed(t, url+sdkapi.ToolPath("door.open"), "k", `{}`); a.Status != http.StatusOK || a.Replayed {
		t.Errorf("behind that it is answered %+v", a)
	}
	if n := called.Load(); n != 3 {
		t.Errorf("the tool was called %d times, want 3", n)
	}
	if a := doorstest.Keyed(t, url+sdkapi.V1SessionsPath, "k", `{"tools":7}`); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("what is wrong is answered %+v", a)
	}
	if a := doorstest.Keyed(t, url+sdkapi.V1SessionsPath, "k", `{}`); a.Status != http.StatusOK || a.Replayed {
		t.Errorf("what was mended is answered %+v", a)
	}
}

// What comes while the first request runs is told to come back, and the first
// goes on without its client, who then gets its answer.
func TestRequestOutlivesItsClient(t *testing.T) {
	t.Parallel()
	cfg, _ := complete(t)
	tool, started, end := doorstest.StayingTool()
	if err := cfg.Tools.Register(tool); err != nil {
		t.Fatal(err)
	}
	url := gatewaytest.Start(t, cfg) + sdkapi.ToolPath(tool.Descriptor().Name)
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := doorstest.SendKeyed(ctx, url, "ada", "k", "application/json", strings.NewReader(`{}`))
		left <- err
	}()
	running := <-started
	if a := doorstest.Keyed(t, url, "k", `{}`); a.Status != http.StatusConflict || a.Code() != sdkapi.KeyInUse || a.Retry == "" {
		t.Errorf("while it runs it is answered %+v", a)
	}
	leave()
	if err := <-left; err == nil {
		t.Error("the client did not leave")
	}
	select {
	case <-running.Done():
		t.Error("the call ended with its client")
	case <-time.After(100 * time.Millisecond): // to notice; right without, too
	}
	close(end)
	a := testkit.Eventually(t, "the call has ended", func() (doorstest.OnceAnswer, bool) {
		a := doorstest.Keyed(t, url, "k", `{}`)
		return a, a.Code() != sdkapi.KeyInUse
	})
	if a.Status != http.StatusOK || !a.Replayed {
		t.Errorf("who comes back is answered %+v", a)
	}
}

// Many who send the same at once have it done once.
func TestRequestIsSentAtOnce(t *testing.T) {
	t.Parallel()
	cfg, called := complete(t)
	url := gatewaytest.Start(t, cfg) + sdkapi.ToolPath("door.open")
	var all sync.WaitGroup
	for range 30 {
		all.Go(func() {
			for until := time.Now().Add(doorstest.Patience); ; {
				a, err := doorstest.SendKeyed(t.Context(), url, "ada", "k", "application/json", strings.NewReader(`{}`))
				if err == nil && a.Code() == sdkapi.KeyInUse && time.Now().Before(until) {
					continue
				}
				if err != nil || a.Status != http.StatusOK || !strings.Contains(a.Body, "opened 1 times") {
					t.Errorf("it is answered %+v, %v", a, err)
				}
				return
			}
		})
	}
	all.Wait()
	if n := called.Load(); n != 1 {
		t.Errorf("it was done %d times", n)
	}
}

// A key is refused where it can have no effect, and where it is invalid. An answer
// that was kept is shown to nobody who may not ask.
func TestKeyIsRefused(t *testing.T) {
	t.Parallel()
	cfg, _ := complete(t)
	cfg.OperatorToken = "a token that nobody guesses"
	url := gatewaytest.Start(t, cfg)
	cfg, _ = complete(t)
	cfg.Once = nil
	without := gatewaytest.Start(t, cfg)
	for name, tt := range map[string]struct {
		url, key string
		status   int
		code     sdkapi.Code
	}{
		"a secret":           {url + sdkapi.InstallRegisterPath, "k", http.StatusUnprocessableEntity, sdkapi.FeatureUnavailable},
		"nothing to keep it": {without + sdkapi.V1SessionsPath, "k", http.StatusUnprocessableEntity, sdkapi.FeatureUnavailable},
		"too long":           {url + sdkapi.V1SessionsPath, strings.Repeat("k", sdkapi.MaxIdempotencyKey+1), http.StatusUnprocessableEntity, sdkapi.ValidationError},
		"longest":            {url + sdkapi.V1SessionsPath, `"` + strings.Repeat("k", sdkapi.MaxIdempotencyKey) + `"`, http.StatusOK, ""},
		"empty":              {url + sdkapi.V1SessionsPath, `""`, http.StatusUnprocessableEntity, sdkapi.ValidationError},
		"not printable":      {url + sdkapi.V1SessionsPath, "k\u00e9", http.StatusUnprocessableEntity, sdkapi.ValidationError},
		"not the operator":   {url + sdkapi.PluginsPath, "k", http.StatusUnauthorized, sdkapi.AuthRequired},
		"makes nothing":      {url + sdkapi.QueryPlanPath, "k", http.StatusUnprocessableEntity, sdkapi.ValidationError}, // of the body alone
	} {
		t.Run(name, func(t *testing.T) {
			if a := doorstest.Keyed(t, tt.url, tt.key, `{}`); a.Status != tt.status || a.Code() != tt.code {
				t.Errorf("it is answered %+v, want %d %s", a, tt.status, tt.code)
			}
		})
	}
}
