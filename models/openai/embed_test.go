package openai_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/openai"
	"github.com/windieos/windie/sdkapi"
)

// embedder returns an embedder that asks a server of the test's, whose key may be
// in no error.
func embedder(t *testing.T, answer http.HandlerFunc) *openai.Embedder {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	transport := new(http.Transport)
	t.Cleanup(transport.CloseIdleConnections)
	e, err := openai.OpenEmbedder(openai.Config{
		BaseURL: server.URL + "/v1", APIKey: models.NewSecret("sk-canary"), HTTPClient: &http.Client{Transport: transport},
	}, "embed-test")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Vectors come in the order of the texts, whatever that of the answer.
func TestEmbed(t *testing.T) {
	t.Parallel()
	e := embedder(t, func(w http.ResponseWriter, r *http.Request) {
		sent, _ := io.ReadAll(r.Body)
		if r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer sk-canary" || !strings.Contains(string(sent), `"input":["a","b"]`) || !strings.Contains(string(sent), `"model":"embed-test"`) {
			t.Errorf("%s %v %s", r.URL, r.Header, sent)
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"object":"list","data":[{"index":1,"embedding":[0,1]},{"index":0,"embedding":[1,0.5]}],"model":"x","usage":{}}`)
	})
	got, err := e.Embed(t.Context(), []string{"a", "b"})
	if err != nil || fmt.Sprint(got) != "[[1 0.5] [0 1]]" {
		t.Errorf("%v, %v", got, err)
	}
}

// What a server gets wrong has a code, and is no half of an answer.
func TestEmbedFails(t *testing.T) {
	t.Parallel()
	says := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}
	const whole = `{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[0,1]}]}`
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		code   sdkapi.Code
	}{
		"half of it":              {says(200, whole[:40]), sdkapi.ModelError},
		"one for two":             {says(200, `{"data":[{"index":0,"embedding":[1,0]}]}`), sdkapi.ModelError},
		"three for two":           {says(200, `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1]},{"index":2,"embedding":[1]}]}`), sdkapi.ModelError},
		"one twice":               {says(200, `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`), sdkapi.ModelError},
		"an index that is none":   {says(200, `{"data":[{"index":-1,"embedding":[1]},{"index":1,"embedding":[1]}]}`), sdkapi.ModelError},
		"an empty vector":         {says(200, `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[]}]}`), sdkapi.ModelError},
		"words":                   {says(200, `{"data":[{"index":0,"embedding":["a"]},{"index":1,"embedding":[1]}]}`), sdkapi.ModelError},
		"a web page":              {says(200, "<html>sk-canary</html>"), sdkapi.ModelError},
		"nothing":                 {says(200, ""), sdkapi.ModelError},
		"more than anybody reads": {says(200, `{"data":[`+strings.Repeat(" ", models.MaxDocument)+whole[9:]), sdkapi.ModelError},
		"429":                     {says(429, `{"error":{"message":"slow down, sk-canary","type":"rate_limit_error"}}`), sdkapi.ModelRateLimited},
		"no credit":               {says(429, `{"error":{"message":"pay","type":"insufficient_quota"}}`), sdkapi.ModelError},
		"500":                     {says(500, "oh"), sdkapi.ModelUnavailable},
		"401":                     {says(401, `{"error":"no"}`), sdkapi.ModelError},
		"404":                     {says(404, `{"error":{"message":"no such model"}}`), sdkapi.ModelError},
		"elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusTemporaryRedirect)
		}, sdkapi.ModelError},
		"broken off in the middle": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, whole[:40])
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, sdkapi.ModelError},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := embedder(t, tt.answer).Embed(t.Context(), []string{"a", "b"})
			var f *fault.Error
			switch {
			case !errors.As(err, &f) || f.Code != tt.code || got != nil:
				t.Errorf("%v, %v; want %s", got, err, tt.code)
			case strings.Contains(fmt.Sprint(err, f.Message, f.Cause), "canary"):
				t.Errorf("it tells the key: %v", err)
			}
		})
	}
	gone := embedder(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := gone.Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("of who has left: %v", err)
	}
	if _, err := openai.OpenEmbedder(openai.Config{BaseURL: "ftp://x"}, "m"); err == nil {
		t.Error("a URL that is none was taken")
	}
}

// A server that says nothing is waited for as long as the caller does.
func TestEmbedSilence(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	e := embedder(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		<-r.Context().Done()
		close(left)
	})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := e.Embed(ctx, []string{"a"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	select {
	case <-left:
	case <-time.After(time.Minute):
		t.Error("the request was not ended")
	}
}
