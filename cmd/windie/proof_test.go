package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/sdkapi"
)

// A program in the place of the gateway gets neither a session nor a key, whatever it answers; the user's own gateway does.
func TestGatewayProvesItself(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	ours := serveForTest(t, "WINDIE_DATA_DIR="+data)
	target, err := url.Parse(ours)
	if err != nil {
		t.Fatal(err)
	}
	onward := httputil.NewSingleHostReverseProxy(target)
	healthy := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"healthy":true,"checks":[{"name":"a","ok":true}]}`))
	}
	earlier := func() string { // what the gateway has answered to somebody else
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, ours+sdkapi.HealthPath, nil)
		req.Header.Set(sdkapi.ChallengeHeader, "an-earlier-challenge")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		return resp.Header.Get(sdkapi.ProofHeader)
	}()
	if earlier == "" {
		t.Fatal("the gateway gives no proof")
	}
	for name, thief := range map[string]http.HandlerFunc{
		"one that sends to the gateway": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, ours+r.URL.Path, http.StatusTemporaryRedirect)
		},
		"one that has an earlier proof": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set(sdkapi.ProofHeader, earlier)
			healthy(w, r)
		},
		"one that says it is healthy":      healthy,
		"one that asks the gateway itself": onward.ServeHTTP,
	} {
		for _, command := range []string{"agent --once hello", "desktop hello", "worker", "top --once"} {
			t.Run(name+": "+command, func(t *testing.T) {
				var mu sync.Mutex
				var paths []string
				listens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					mu.Lock()
					paths = append(paths, r.URL.Path)
					if token := r.Header.Get("Authorization"); token != "" {
						t.Errorf("it got %q", token)
					}
					mu.Unlock()
					thief(w, r)
				}))
				defer listens.Close()
				var said strings.Builder
				code := run(t.Context(), strings.Fields(command), []string{
					"WINDIE_DATA_DIR=" + data, "WINDIE_PUBLIC_URL=" + listens.URL, "WINDIE_LISTEN=" + strings.TrimPrefix(listens.URL, "http://"),
					"WINDIE_TOKEN=the-users-own-token", "WINDIE_OPERATOR_TOKEN=the-operators-own-token", "WINDIE_RUNS_API_KEY=0123456789abcdef0123456789abcdef", "DISPLAY=" + os.Getenv("DISPLAY"),
				}, strings.NewReader(""), &said, &said)
				if code == 0 || !strings.Contains(said.String(), errNotOurs.Error()) && !strings.Contains(said.String(), "screen") {
					t.Errorf("%d: %s", code, said.String())
				}
				for _, path := range paths {
					if path != "/health" {
						t.Errorf("it was asked for %s", path)
					}
				}
			})
		}
	}
	root := t.TempDir()
	var said strings.Builder
	code := run(t.Context(), []string{"agent", "--root", root, "--once", `run file_write {"path":"a","text":"a"}`, "--allow", "file_write"},
		[]string{"WINDIE_DATA_DIR=" + data, "WINDIE_PUBLIC_URL=" + ours}, strings.NewReader(""), &said, &said)
	if _, err := os.Stat(filepath.Join(root, "a")); code != 0 || err != nil {
		t.Errorf("the user's own gateway: %d, %v: %s", code, err, said.String())
	}
}

// The user's own gateway gets the operator's token, and another one does not hold up a look for long.
func TestOperatorsLook(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	environ := []string{"WINDIE_DATA_DIR=" + data, "WINDIE_OPERATOR_TOKEN=the-operators-own-token"}
	ours := strings.TrimPrefix(serveForTest(t, environ...), "http://")
	var said strings.Builder
	if code := run(t.Context(), []string{"top", "--once", "--listen", ours}, environ, nil, &said, &said); code != 0 {
		t.Errorf("%d: %s", code, said.String())
	}
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer hangs.Close()
	c := &config{DataDir: data, Listen: strings.TrimPrefix(hangs.URL, "http://")}
	if _, err := c.fetchRunning(t.Context(), metricsPath, time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a server that does not answer: %v", err)
	}
}
