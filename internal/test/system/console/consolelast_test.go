//go:build system

package console_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/testkit"
)

// behindSample returns a gateway's address behind a proxy that holds the sample of the tour back
// until release is called. asked is closed once the page has asked for it. uploads has an item for
// each answered upload.
func behindSample(t *testing.T, gateway string) (at string, asked <-chan struct{}, release func(), uploads <-chan struct{}) {
	t.Helper()
	to, err := url.Parse(gateway)
	if err != nil {
		t.Fatal(err)
	}
	began, released, answered := make(chan struct{}), make(chan struct{}), make(chan struct{}, 10)
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = to.Scheme, to.Host, r.In.Host
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/sample.png") {
			close(began) // the page asks once
			select {
			case <-released:
			case <-r.Context().Done():
				return
			}
		}
		proxy.ServeHTTP(w, r)
		if r.Method == http.MethodPost && r.URL.Path == "/api/artifacts/" {
			answered <- struct{}{}
		}
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL, began, func() { close(released) }, answered
}

// uploaded waits for the next answered upload.
func uploaded(t *testing.T, uploads <-chan struct{}) {
	t.Helper()
	select {
	case <-uploads:
	case <-time.After(browserTime):
		t.Fatal("no image was uploaded")
	}
}

// If a person opens an image while the tour still loads its sample, that image stays when the sample is
// there.
func TestConsoleLastImageWins(t *testing.T) {
	t.Parallel()
	g := startForConsole(t)
	at, asked, release, uploads := behindSample(t, g.url)
	other := filepath.Join(t.TempDir(), "other.png")
	if err := os.WriteFile(other, whitePicture(t, 300), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newTab(t, at)
	b.open(at + "/console/")
	b.sees("Upload a screen")
	select {
	case <-asked:
	case <-time.After(browserTime):
		t.Fatal("the tour does not load its sample")
	}
	b.click("a.button", "Skip tour")
	b.give("Open image", other)
	uploaded(t, uploads)
	const chosen = "300 × 300"
	b.sees("other.png", chosen)
	address := evaluated[string](b, `location.hash`)
	release()
	uploaded(t, uploads)
	testkit.Throughout(t, browserTime/20, "the chosen image is shown", func() (string, bool) {
		return b.seen(), strings.Contains(b.text(), chosen) && evaluated[string](b, `location.hash`) == address
	})
}
