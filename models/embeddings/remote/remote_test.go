package remote_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models/embeddings"
	"github.com/windieos/windie/models/embeddings/remote"
	"github.com/windieos/windie/sdkapi"
)

// lengths turns each text into its length and the number of texts. A text "wait" waits for the channel.
type lengths struct{ wait chan struct{} }

func (l lengths) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if text == "wait" {
			select {
			case <-l.wait:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		vectors[i] = []float32{float32(len(text)), float32(len(texts))}
	}
	return vectors, nil
}

const key = "a key that nobody guesses"

// serve runs a service of a model and returns its URL.
func serve(t *testing.T, of embeddings.Embedder, key string) string {
	t.Helper()
	texts := embeddings.New("lengths", "lengths-1", func() (embeddings.Embedder, error) { return of, nil })
	server := httptest.NewServer(remote.NewServer(texts, key, slog.New(slog.DiscardHandler)).Handler())
	t.Cleanup(server.Close)
	return server.URL
}

// post asks for vectors, and returns the status and the answer.
func post(t *testing.T, url, key, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+sdkapi.EmbedPath, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set(sdkapi.EmbedKeyHeader, key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer bytes.Buffer
	if _, err := answer.ReadFrom(resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, answer.String()
}

// of returns a request for the vectors of texts.
func of(t *testing.T, texts ...string) string {
	t.Helper()
	body, err := json.Marshal(sdkapi.EmbedRequest{Texts: texts})
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// Limits hold at their edges, and a request without the key is refused, whatever is in it.
func TestService(t *testing.T) {
	t.Parallel()
	with, without := serve(t, lengths{}, key), serve(t, lengths{}, "")
	many := func(n int, text string) []string {
		return strings.Split(strings.Repeat(text+"\x00", n)[:n*(len(text)+1)-1], "\x00")
	}
	for _, tt := range []struct {
		name, url, key, body string
		status               int
		has                  string
	}{
		{"two texts", with, key, of(t, "tea", "coffee"), http.StatusOK, `{"embeddings":[[3,2],[6,2]],"provider_id":"embedding-service","model_id":"lengths-1","model_name":"lengths-1","dimension":2,"embedding_space_version":"embedding-service:lengths-1:2","queue_wait_ms":`},
		{"the most texts", with, key, of(t, many(256, "a")...), http.StatusOK, `[1,256]`},
		{"more texts", with, key, of(t, many(257, "a")...), http.StatusUnprocessableEntity, "1 to 256"},
		{"no texts", with, key, `{"texts":[]}`, http.StatusUnprocessableEntity, "1 to 256"},
		{"the longest text", with, key, of(t, strings.Repeat("ü", 8192)), http.StatusOK, `[16384,1]`},
		{"a longer text", with, key, of(t, strings.Repeat("ü", 8193)), http.StatusUnprocessableEntity, "8192"},
		{"the most characters", with, key, of(t, many(8, strings.Repeat("ü", 8192))...), http.StatusOK, `[16384,8]`},
		{"more characters", with, key, of(t, append(many(8, strings.Repeat("ü", 8192)), "a")...), http.StatusUnprocessableEntity, "65536"},
		{"no JSON", with, key, `texts`, http.StatusBadRequest, "MALFORMED_BODY"},
		{"a body that is too large", with, key, `{"texts":["` + strings.Repeat(" ", 500_000) + `"]}`, http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE"},
		{"another key", with, "a guess", of(t, "tea"), http.StatusUnauthorized, "AUTH_REQUIRED"},
		{"no key", with, "", of(t, "tea"), http.StatusUnauthorized, "AUTH_REQUIRED"},
		{"a service without a key", without, key, of(t, "tea"), http.StatusServiceUnavailable, "WINDIE_EMBEDDING_SERVICE_API_KEY"},
		{"a service without a key, and none", without, "", of(t, "tea"), http.StatusServiceUnavailable, "WINDIE_EMBEDDING_SERVICE_API_KEY"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if status, answer := post(t, tt.url, tt.key, tt.body); status != tt.status || !strings.Contains(answer, tt.has) {
				t.Errorf("%d %.300s", status, answer)
			}
		})
	}
}

// A service says by its health whether gateways get vectors of it.
func TestServiceHealth(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]int{key: http.StatusOK, "": http.StatusServiceUnavailable} {
		resp, err := http.Get(serve(t, lengths{}, key) + sdkapi.HealthPath)
		if err != nil {
			t.Fatal(err)
		}
		if resp.Body.Close(); resp.StatusCode != want {
			t.Errorf("with the key %q: %s", key, resp.Status)
		}
	}
}

// The client gets the vectors of any number of texts, and says what is wrong.
func TestClient(t *testing.T) {
	t.Parallel()
	url := serve(t, lengths{}, key)
	texts := make([]string, 600)
	for i := range texts {
		texts[i] = strings.Repeat("a", i)
	}
	vectors, err := remote.NewClient(url+"/", key, "lengths-1").Embed(t.Context(), texts)
	if err != nil || len(vectors) != len(texts) {
		t.Fatalf("%d vectors, %v", len(vectors), err)
	}
	for i, v := range vectors {
		if int(v[0]) != i {
			t.Fatalf("vector %d is of a text of %v letters", i, v[0])
		}
	}
	for _, tt := range []struct {
		name, url, key, model string
		code                  sdkapi.Code
		has                   string
	}{
		{"another key", url, "a guess", "lengths-1", sdkapi.ModelError, "WINDIE_EMBEDDINGS_API_KEY"},
		{"another model", url, key, "lengths-2", sdkapi.ModelError, "WINDIE_EMBEDDINGS_MODEL"},
		{"nobody there", "http://127.0.0.1:1", key, "lengths-1", sdkapi.ModelUnavailable, "does not respond"},
		{"something else there", httptestPage(t), key, "lengths-1", sdkapi.ModelError, "has no vectors"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := remote.NewClient(tt.url, tt.key, tt.model).Embed(t.Context(), []string{"tea"})
			if fault.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.has) {
				t.Errorf("%v", err)
			}
		})
	}
}

// httptestPage is a server that is no embedding service.
func httptestPage(t *testing.T) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }))
	t.Cleanup(server.Close)
	return server.URL
}

// Two requests are worked on at once; what comes besides waits for them.
func TestServiceIsBusy(t *testing.T) {
	t.Parallel()
	wait := make(chan struct{})
	url := serve(t, lengths{wait}, key)
	answers := make(chan string, 3)
	ask := func(text string) { _, answer := post(t, url, key, of(t, text)); answers <- answer }
	for range 2 {
		go ask("wait")
	}
	wait <- struct{}{} // one is worked on, so that the other is or waits
	go ask("wait")
	for range 2 {
		wait <- struct{}{}
	}
	for range 3 {
		var answer sdkapi.EmbedResponse
		if text := <-answers; json.Unmarshal([]byte(text), &answer) != nil || len(answer.Embeddings) != 1 || answer.ServiceTimeMS < 0 || answer.QueueWaitMS < 0 {
			t.Errorf("%s", text)
		}
	}
}

// The client does not follow a redirect, so another server gets neither the key nor the texts.
func TestRedirect(t *testing.T) {
	t.Parallel()
	var asked atomic.Bool
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Store(true) }))
	t.Cleanup(other.Close)
	moved := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(moved.Close)
	if _, err := remote.NewClient(moved.URL, key, "lengths-1").Embed(t.Context(), []string{"a"}); fault.CodeOf(err) != sdkapi.ModelUnavailable && fault.CodeOf(err) != sdkapi.ModelError {
		t.Errorf("got %v, want the error of the model", err)
	}
	if asked.Load() {
		t.Error("the other server was asked")
	}
}
