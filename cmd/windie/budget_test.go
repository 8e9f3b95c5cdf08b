package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// askAs sends a request as an install.
func askAs(t *testing.T, me *sdkapi.InstallRegistration, method, url, body string) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Authorization": {"Bearer " + me.InstallToken}, sdkapi.UserHeader: {me.UserID}, "Content-Type": {"application/json"}}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// An operator gives a user a budget beside a gateway that runs, which holds from the next
// request on; what is spent is shown to both, with the price of the catalogue.
func TestBudgetOfAUser(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	catalogue := filepath.Join(dir, "models.yaml")
	if err := os.WriteFile(catalogue, []byte(`
providers: [{id: here, kind: commander}]
models: [{id: plain, provider: here, input_per_million: 1000, output_per_million: 2000}]
`), 0o600); err != nil {
		t.Fatal(err)
	}
	url := serveForTest(t, "WINDIE_MODE=hosted", "WINDIE_DATA_DIR="+dir, "WINDIE_MODELS="+catalogue, "WINDIE_BUDGET_MONEY_DAY=1000")
	stranger, err := sdk.New(url)
	if err != nil {
		t.Fatal(err)
	}
	me, err := stranger.Install.Register(t.Context(), "Windows")
	if err != nil {
		t.Fatal(err)
	}
	prompt := func() (status int, answer string) {
		return askAs(t, me, http.MethodPost, url+sdkapi.PromptPath, `{"input":"hello"}`)
	}
	var spent spentInfo
	manage(t, dir, &spent, "user", "budget", me.UserID, "--money", "0.001")
	if status, answer := prompt(); status != http.StatusOK || !strings.Contains(answer, `"reason":"budget"`) || !strings.Contains(answer, string(sdkapi.BudgetExceeded)) {
		t.Errorf("with a thousandth: %d %s", status, answer)
	}
	manage(t, dir, &spent, "user", "budget", me.UserID, "--default")
	if status, answer := prompt(); status != http.StatusOK || !strings.Contains(answer, sdkapi.EventPromptCompleted) {
		t.Fatalf("with the budget of the settings: %d %s", status, answer)
	}
	mine, err := sdk.New(url, sdk.WithToken(me.InstallToken), sdk.WithUser(me.UserID))
	if err != nil {
		t.Fatal(err)
	}
	u, err := mine.Usage(t.Context())
	if err != nil || u.Requests != 1 || u.UnpricedRequests != 0 || u.InputTokens == 0 || u.OutputTokens == 0 ||
		u.MoneyMicros.Used != 1000*u.InputTokens+2000*u.OutputTokens || u.MoneyMicros.Limit != 1_000_000_000 || u.Tokens.Reserved != 0 {
		t.Errorf("%+v, %v", u, err)
	}
	manage(t, dir, &spent, "user", "budget", me.UserID)
	if spent.Own || spent.Requests != 1 || spent.Tokens != u.Tokens.Used {
		t.Errorf("%+v", spent)
	}
	code, out, _ := windie(t, nil, "user", "budget", me.UserID, "--tokens", "10", "--data-dir", dir)
	if code != 0 || !strings.Contains(out, "(10), ") || !strings.Contains(out, "The budget is the user's own") || !strings.Contains(out, "(no limit)") {
		t.Errorf("%d %s", code, out)
	}
	if status, answer := prompt(); status != http.StatusTooManyRequests || !strings.Contains(answer, "resets_at") {
		t.Errorf("beyond the budget: %d %s", status, answer)
	}
	if code, _, complaint := windie(t, nil, "user", "budget", me.UserID, "--tokens", "-1", "--data-dir", dir); code != exitUsage || !strings.Contains(complaint, "0 or more") {
		t.Errorf("%d %s", code, complaint)
	}
}

// What programs ask for that bound their answers generously fits into the budget that hosted users have; a number that is no
// bound is refused, and neither it nor those before leave anything held.
func TestBudgetOfLongAnswers(t *testing.T) {
	t.Parallel()
	url := serveForTest(t, "WINDIE_MODE=hosted", "WINDIE_DATA_DIR="+t.TempDir())
	stranger, err := sdk.New(url)
	if err != nil {
		t.Fatal(err)
	}
	me, err := stranger.Install.Register(t.Context(), "Windows")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		bound  string
		status int
	}{
		{"128000", http.StatusOK}, {"1000000", http.StatusOK}, {"16777216", http.StatusTooManyRequests}, // of 5,000,000
		{"16777217", http.StatusUnprocessableEntity}, {"9223372036854775807", http.StatusUnprocessableEntity},
	} {
		t.Run(tt.bound, func(t *testing.T) {
			if status, answer := askAs(t, me, http.MethodPost, url+sdkapi.OpenAIChatPath, `{"model":"default","max_tokens":`+tt.bound+`,"messages":[{"role":"user","content":"hello"}]}`); status != tt.status {
				t.Errorf("%d %s", status, answer)
			}
		})
	}
	mine, err := sdk.New(url, sdk.WithToken(me.InstallToken), sdk.WithUser(me.UserID))
	if err != nil {
		t.Fatal(err)
	}
	if u, err := mine.Usage(t.Context()); err != nil || u.Requests != 2 || u.Tokens.Reserved != 0 || u.Tokens.Used <= 0 || u.Tokens.Used > 10_000 {
		t.Errorf("%+v, %v", u, err)
	}
}

// modelServer speaks enough of OpenAI's protocol for the vision model and for embeddings, and
// counts what it is asked.
type modelServer struct{ asked atomic.Int64 }

func (m *modelServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.asked.Add(1)
	if strings.HasSuffix(r.URL.Path, "/embeddings") {
		var in struct{ Input []string }
		_ = json.NewDecoder(r.Body).Decode(&in)
		var data []string
		for i := range in.Input {
			data = append(data, fmt.Sprintf(`{"index":%d,"embedding":[1,0.5]}`, i))
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(data, ","))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"{\"x\": 30, \"y\": 30}"}}]}`+"\n\n"+
		`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":700,"completion_tokens":20}}`+"\n\ndata: [DONE]\n\n")
}

// The vision model and embeddings are paid from the same budget, by whoever asks.
func TestBudgetOfVisionAndMemory(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	asked := new(modelServer)
	web := httptest.NewServer(asked)
	t.Cleanup(web.Close)
	dir := t.TempDir()
	url := serveForTest(t, "WINDIE_MODE=hosted", "WINDIE_DATA_DIR="+dir, "WINDIE_VISION_URL="+web.URL+"/v1", "WINDIE_VISION_MODEL=claude",
		"WINDIE_EMBEDDINGS_BACKEND=openai", "WINDIE_EMBEDDINGS_URL="+web.URL+"/v1", "WINDIE_EMBEDDINGS_MODEL=e")
	stranger, err := sdk.New(url)
	if err != nil {
		t.Fatal(err)
	}
	for name, ask := range map[string]func(me *sdkapi.InstallRegistration, text string) (status int, answer string){
		"vision": func(me *sdkapi.InstallRegistration, text string) (int, string) {
			image := base64.StdEncoding.EncodeToString(gatewaytest.Card())
			return askAs(t, me, http.MethodPost, url+sdkapi.VisionLocatePath, fmt.Sprintf(`{"image":{"image_base64":%q},"description":"%s Check out"}`, image, text))
		},
		"memory": func(me *sdkapi.InstallRegistration, text string) (int, string) {
			if status, answer := askAs(t, me, http.MethodPost, url+sdkapi.V1MemoryWritePath, fmt.Sprintf(`{"target":"daily","content":"tea %s"}`, text)); status != http.StatusOK {
				t.Fatal(answer)
			}
			return askAs(t, me, http.MethodGet, url+sdkapi.V1MemorySearchPath+"?q=tea", "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			me, err := stranger.Install.Register(t.Context(), "Windows")
			if err != nil {
				t.Fatal(err)
			}
			mine, err := sdk.New(url, sdk.WithToken(me.InstallToken), sdk.WithUser(me.UserID))
			if err != nil {
				t.Fatal(err)
			}
			if status, answer := ask(me, "click"); status != http.StatusOK || strings.Contains(answer, `"fallback"`) {
				t.Fatalf("within the budget: %d %s", status, answer)
			}
			u, err := mine.Usage(t.Context())
			if err != nil || u.Requests == 0 || u.Tokens.Used == 0 || u.UnpricedRequests != u.Requests || name == "vision" && u.Tokens.Used != 720*u.Requests {
				t.Errorf("%+v, %v", u, err)
			}
			var spent spentInfo
			manage(t, dir, &spent, "user", "budget", me.UserID, "--tokens", fmt.Sprint(u.Tokens.Used))
			before := asked.asked.Load()
			if status, answer := ask(me, "press"); status != http.StatusOK || !strings.Contains(answer, `"fallback":{"code":"BUDGET_EXCEEDED"`) || asked.asked.Load() != before {
				t.Errorf("beyond the budget: %d %s, and %d requests", status, answer, asked.asked.Load()-before)
			}
		})
	}
}
