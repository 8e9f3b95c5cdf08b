package console_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/sdkapi"
)

var script = regexp.MustCompile(`src="([^"]+)"`)

// The page names its files by where they are from it, also below a prefix; files are kept for ever,
// and the page is asked for again.
func TestPage(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, gateway.App{PathPrefix: "/windie"})
	b := newBrowser(t, url)
	for _, below := range []string{"", "/windie"} {
		t.Run("below "+below, func(t *testing.T) {
			resp, _ := b.send(http.MethodGet, below+"/console", "", nil)
			if got := resp.Header.Get("Location"); resp.StatusCode != http.StatusPermanentRedirect || got != below+"/console/" {
				t.Errorf("without the slash: %d to %q", resp.StatusCode, got)
			}
			resp, page := b.send(http.MethodGet, below+"/console/", "", nil)
			policy := resp.Header.Get("Content-Security-Policy")
			if resp.Header.Get("Cache-Control") != "no-cache" || !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
				t.Errorf("the page comes with %v", resp.Header)
			}
			again, _ := b.send(http.MethodGet, below+"/console/", "", map[string]string{"If-None-Match": resp.Header.Get("ETag")})
			if again.StatusCode != http.StatusNotModified {
				t.Errorf("the page again: %d", again.StatusCode)
			}
			name := script.FindStringSubmatch(page)[1]
			resp, _ = b.send(http.MethodGet, below+"/console/"+name, "", nil)
			if resp.StatusCode != http.StatusOK || !strings.Contains(resp.Header.Get("Cache-Control"), "immutable") || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/javascript") {
				t.Errorf("%s: %d %v", name, resp.StatusCode, resp.Header)
			}
			for accepted, encoding := range map[string]string{"": "", "br, gzip": "gzip", "*": "gzip", "gzip;q=0.1": "gzip", "gzip;q=0": "", "gzip; q=0.0, br": "", "x-gzip-not": "", "*;q=0": ""} {
				t.Run("accepts "+accepted, func(t *testing.T) {
					resp, _ := b.send(http.MethodGet, below+"/console/"+name, "", map[string]string{"Accept-Encoding": accepted})
					if got := resp.Header.Get("Content-Encoding"); got != encoding {
						t.Errorf("it comes as %q", got)
					}
				})
			}
			b.wants(404, sdkapi.NotFound, http.MethodGet, below+"/console/0000000000000000/app/main.js", "", nil)
			b.wants(404, sdkapi.NotFound, http.MethodGet, below+"/console/"+strings.Replace(name, "main.js", "..%2fconsole.go", 1), "", nil)
		})
	}
}

// The root leads browsers to the console, and programs to what they may ask.
func TestRoot(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Start(t, gateway.App{PathPrefix: "/windie", PublicURL: "https://example.org/w"})
	b := newBrowser(t, url)
	for accept, leads := range map[string]bool{"": false, "*/*": false, "application/json": false, "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": true} {
		t.Run("accepts "+accept, func(t *testing.T) {
			resp, body := b.send(http.MethodGet, "/", "", map[string]string{"Accept": accept})
			switch {
			case leads && (resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/w/console/"):
				t.Errorf("%d to %q", resp.StatusCode, resp.Header.Get("Location"))
			case !leads && (resp.StatusCode != http.StatusOK || !strings.Contains(body, `"openapi":"/w/openapi.json"`)):
				t.Errorf("%d %s", resp.StatusCode, body)
			}
		})
	}
}
