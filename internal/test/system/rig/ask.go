package rig

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdk"
)

// ScriptRuntime returns the path of the JavaScript runtime, which WINDIE_SCRIPT_RUNTIME sets.
func ScriptRuntime(t testing.TB) string {
	t.Helper()
	path := filepath.Join(testkit.RepoRoot(t), ".tools", "quickjs.wasm")
	if _, err := os.Stat(path); err != nil {
		testkit.Skip(t, "the JavaScript runtime", "make deps")
	}
	return path
}

// Upload stores the picture of examples/click-target and returns its id.
func Upload(t testing.TB, gateway string) (id string) {
	t.Helper()
	client, err := sdk.New(gateway)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := os.Open(filepath.Join(testkit.RepoRoot(t), "examples", "click-target", "screen.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer picture.Close()
	stored, err := client.UploadArtifact(t.Context(), "screen.png", picture)
	if err != nil {
		t.Fatal(err)
	}
	return stored.ArtifactID
}

// Invoke calls a tool as ada and returns the answer.
func Invoke(t testing.TB, gateway, tool, arguments string) string {
	t.Helper()
	return Post(t, gateway+"/api/tools/"+tool+"/invoke", arguments)
}

// Registry starts a registry of images that speaks plain HTTP, and returns its host.
func Registry(t testing.TB) (host string) {
	t.Helper()
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// Post sends a request as ada and returns its answer, whatever that is.
func Post(t testing.TB, url, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-User-Id", "ada")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(said)
}
