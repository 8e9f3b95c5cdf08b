//go:build system

package console_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/windieos/windie/internal/test/testkit"
)

// startProvider runs a real OpenID provider until the test ends, and returns its URL.
func startProvider(t *testing.T, redirect string, people map[string]map[string]any) string {
	t.Helper()
	node, err := exec.LookPath("node")
	dir := filepath.Join(testkit.RepoRoot(t), ".tools", "oidc")
	if found, _ := filepath.Glob(filepath.Join(dir, "node_modules", "oidc-provider")); err != nil || len(found) == 0 {
		testkit.Skip(t, "oidc-provider", "make deps-system")
	}
	raw, _ := json.Marshal(people) // of texts and lists
	program := exec.Command(node, filepath.Join(testkit.RepoRoot(t), "state", "identity", "openid", "testdata", "provider", "provider.mjs"), dir, redirect, string(raw))
	input, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := program.StdoutPipe()
	if err == nil {
		err = program.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = input.Close()
		_ = program.Wait()
	})
	said := bufio.NewScanner(output)
	for said.Scan() {
		if strings.HasPrefix(said.Text(), "http://") {
			return said.Text()
		}
	}
	t.Fatalf("the provider does not start: %v", said.Err())
	return ""
}

// startBehindProxy starts a proxy for a gateway that is not there yet, and returns its address and how to lead it to one.
func startBehindProxy(t *testing.T) (at string, lead func(gateway string)) {
	t.Helper()
	var to atomic.Pointer[url.URL]
	proxy := httptest.NewServer(&httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to.Load()) // with the gateway's own Host, as most proxies do unless they are set up otherwise
	}})
	t.Cleanup(func() {
		proxy.CloseClientConnections()
		proxy.Close()
	})
	return proxy.URL, func(gateway string) {
		where, err := url.Parse(gateway)
		if err != nil {
			t.Fatal(err)
		}
		to.Store(where)
	}
}

// forgives forgets what was asked of other hosts: the provider's pages are another's.
func (b *tab) forgives() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults = nil
}

// signsInAtProvider signs somebody in at the provider's own pages.
func (b *tab) signsInAtProvider(name string) {
	b.t.Helper()
	b.sees("Sign-in")
	b.write("input[name=login]", name)
	b.write("input[name=password]", "any")
	b.do(chromedp.Click(chromedp.CSS("button[type=submit]")))
	b.sees("Authorize")
	b.do(chromedp.Click(chromedp.CSS("button[type=submit]")))
}

// People sign in at a real provider, with a gateway below a prefix and behind a proxy, and come in as what the settings say.
func TestConsoleOpenID(t *testing.T) {
	t.Parallel()
	proxy, lead := startBehindProxy(t)
	public := proxy + "/windie"
	people := map[string]map[string]any{"grace": {"name": "Grace", "groups": []string{"staff", "windie-operators"}}, "mallory": {"groups": []string{"staff"}}}
	provider := startProvider(t, public+"/console/openid/callback", people)
	g := startForConsole(t, "WINDIE_MODE=hosted", "WINDIE_PATH_PREFIX=/windie", "WINDIE_PUBLIC_URL="+public,
		"WINDIE_OIDC_ISSUER="+provider, "WINDIE_OIDC_CLIENT_ID=windie", "WINDIE_OIDC_CLIENT_SECRET=the secret of this client",
		"WINDIE_OIDC_OPERATORS=windie-operators")
	lead(g.url)
	b, office := newTab(t, public), strings.TrimPrefix(provider, "http://")
	b.open(public + "/console/#/gateway/audit?outcome=failed&range=day")
	b.sees("Sign in with "+office, "Paste your access token")
	b.wellFormed("nobody is signed in")
	b.picture("openid")
	b.click("a.button", "Sign in with "+office)
	b.signsInAtProvider("grace")
	b.sees("No matching calls in the last day", "Operator")
	b.forgives()
	b.wellFormed("an operator by a provider")
	if at := evaluated[string](b, `location.href`); at != public+"/console/#/gateway/audit?outcome=failed&range=day" {
		t.Errorf("the operator came back to %s", at)
	}
	if cookies := evaluated[string](b, `document.cookie`); cookies != "" {
		t.Errorf("a script reads the cookie: %s", cookies)
	}
	b.view("gateway/browsers")
	b.sees("This browser", "Signed in with OpenID")
	b.wellFormed("browsers by a provider")
	b.click("button", "Sign out")
	b.click(".sure button", "Yes")
	b.sees("Sign in with " + office)
	b.signsOutAtProvider(provider)
	b.open(public + "/console/")
	b.click("a.button", "Sign in with "+office)
	b.signsInAtProvider("mallory")
	b.sees("has no access to this gateway", "Sign in with "+office)
	b.forgives()
	b.wellFormed("somebody without the group")
	b.do(chromedp.Navigate(public + "/console/openid/callback?code=x&state=y"))
	b.sees("Sign-in failed")
	b.wellFormed("a sign-in that nobody began")
	resp, err := http.Get(g.url + "/windie/metrics")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden {
		t.Errorf("a stranger gets the figures: %d", resp.StatusCode)
	}
}

// signsOutAtProvider has the browser forget who it is at the provider, whose cookies those of the test's other servers are not.
func (b *tab) signsOutAtProvider(provider string) {
	b.t.Helper()
	b.open(provider + "/session/end")
	b.do(chromedp.Click(chromedp.CSS("button[name=logout]")))
	b.sees("Sign-out Success")
	b.forgives()
}
