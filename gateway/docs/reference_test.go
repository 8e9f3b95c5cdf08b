package docs_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/docs"
	"github.com/windieos/windie/internal/test/gatewaytest"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// maxReference bounds a page of a client, in bytes.
const maxReference = 128 << 10

// The gateway has a page for each client, which loads nothing from elsewhere and is found from /docs.
func TestReferencesAreServed(t *testing.T) {
	t.Parallel()
	at := gatewaytest.Start(t, gateway.App{PathPrefix: "/windie"})
	_, index := doorstest.Get(t, at+"/docs")
	for language, wants := range map[string][]string{
		"go":         {"func (s *Screen) At(", "type WakeOptions struct", "Client.WakeUp"},
		"typescript": {"wakeUp(options: WakeUpOptions = {}): Promise&lt;Agent&gt;", "windie.artifacts", "moduleTool"},
		"python":     {"class", "async ask(text: str", "windie.tool_hosts", "AgentClient"},
	} {
		t.Run(language, func(t *testing.T) {
			for _, path := range []string{"/docs/sdk/", "/windie/docs/sdk/"} {
				resp, page := doorstest.Get(t, at+path+language)
				if resp.StatusCode != http.StatusOK || len(page) > maxReference || !strings.Contains(resp.Header.Get("Content-Security-Policy"), "default-src 'none'") {
					t.Errorf("%s: %s, %d bytes", path, resp.Status, len(page))
				}
				for _, want := range wants {
					if !strings.Contains(page, want) {
						t.Errorf("%s has no %s", path, want)
					}
				}
				if strings.Contains(page, "<script") || strings.Contains(page, "style=") {
					t.Errorf("%s has a script, or a style of its own", path)
				}
				if resp, _ := doorstest.Get(t, at+strings.TrimSuffix(path, "sdk/")+"docs.css"); resp.StatusCode != http.StatusOK {
					t.Errorf("its style: %s", resp.Status)
				}
			}
			if !strings.Contains(index, fmt.Sprintf(`href="docs/sdk/%s"`, language)) {
				t.Error("/docs does not lead to it")
			}
			if resp, _ := doorstest.Get(t, at+"/docs/sdk/"+language+"/"); resp.StatusCode != http.StatusOK || strings.HasSuffix(resp.Request.URL.Path, "/") {
				t.Errorf("with a slash behind it: %s, %s", resp.Request.URL, resp.Status)
			}
		})
	}
	if len(docs.SDKs) != 3 {
		t.Errorf("there are pages for %v", docs.SDKs)
	}
}
