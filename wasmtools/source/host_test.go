package source_test

import (
	"errors"
	"io"
	"log"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/windieos/windie/wasmtools/source"
)

// References to one host are one, however that is written; other letters than ASCII are refused.
func TestHostsOfReferences(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"oci://Registry.EXAMPLE/Tools/a":    "", // a repository is small
		"oci://Registry.EXAMPLE/tools/a:V1": "oci://registry.example/tools/a:V1",
		"oci://registry.example.:5000/a":    "oci://registry.example:5000/a:latest",
		"oci://\u212A.example/a":            "",
		"oci://b\u00fccher.example/a":       "",
		"oci://xn--bcher-kva.example/a:1":   "oci://xn--bcher-kva.example/a:1",
		"oci://127.1/a":                     "",
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
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	own := &place{t: t, cfg: source.Config{Private: []string{server.URL}}}
	if _, err := own.push("oci://"+strings.TrimPrefix(server.URL, "http://")+"/a:1", whole()); err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	for named, right := range map[string]bool{
		"http://LocalHost:" + port: true, "http://localhost.:" + port: true, "http://localhost": false, "http://localhost:443": false, "localhost:" + port: false,
	} {
		t.Run(named, func(t *testing.T) {
			t.Parallel()
			f := source.New(source.Config{Private: []string{named}})
			defer f.Close()
			ref, err := source.Parse("oci://LOCALHOST:" + port + "/a:1")
			if err == nil {
				_, err = f.Fetch(t.Context(), ref)
			}
			if (err == nil) != right {
				t.Errorf("%v", errors.Unwrap(err))
			}
		})
	}
}
