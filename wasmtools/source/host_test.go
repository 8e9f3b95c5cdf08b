package source_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/windieos/windie/wasmtools/source"
	"github.com/windieos/windie/wasmtools/wasmtest"
)

// References to one host are one, however that is written; other letters than ASCII are refused.
func TestHostsOfReferences(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"oci://Registry.EXAMPLE/Tools/a":       "", // a repository is small
		"oci://Registry.EXAMPLE/tools/a:V1":    "oci://registry.example/tools/a:V1",
		"oci://registry.example.:5000/a":       "oci://registry.example:5000/a:latest",
		"https://Plugins.EXAMPLE./A.wasm":      "https://plugins.example/A.wasm",
		"https://plugins.example:8443/a.wasm":  "https://plugins.example:8443/a.wasm",
		"https://\u212A.example/a.wasm":        "",
		"oci://b\u00fccher.example/a":          "",
		"https://xn--bcher-kva.example/a.wasm": "https://xn--bcher-kva.example/a.wasm",
		"https://127.1/a.wasm":                 "",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			ref, err := source.Parse(text)
			if got := ref.String(); (err != nil) != (want == "") || err == nil && got != want {
				t.Errorf("%s, %v; want %q", got, err, want)
			}
		})
	}
}

// A server that the settings name is asked however it is written there and in the reference.
func TestPrivateHostsAreNamedInAnyCase(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, ".wasm") {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(wasmtest.Echo())
	}))
	t.Cleanup(server.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	for named, right := range map[string]bool{
		"http://LocalHost:" + port: true, "http://localhost.:" + port: true, "http://localhost": false, "http://localhost:443": false, "localhost:" + port: false,
	} {
		t.Run(named, func(t *testing.T) {
			t.Parallel()
			f := source.New(source.Config{Private: []string{named}})
			defer f.Close()
			ref, err := source.Parse("http://LOCALHOST:" + port + "/a.wasm")
			if err == nil {
				_, err = f.Fetch(t.Context(), ref)
			}
			if (err == nil) != right {
				t.Errorf("%v", errors.Unwrap(err))
			}
		})
	}
}
