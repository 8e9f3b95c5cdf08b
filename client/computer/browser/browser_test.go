//go:build system

package browser_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer/browser"
	"github.com/windieos/windie/internal/test/testkit"
)

type arguments map[string]any

type tester struct {
	*agent.Registry

	t testing.TB
}

func start(t testing.TB, rules browser.Rules) *tester {
	t.Helper()
	if _, err := exec.LookPath("chromium"); err != nil {
		testkit.Skip(t, "the program chromium", "make deps-system, or scripts/deps.sh desk")
	}
	rules.Profile, rules.Headless = t.TempDir(), true
	b, err := browser.New(rules)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	tools := agent.NewRegistry()
	for _, tool := range b.Tools() {
		if err := tools.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	return &tester{tools, t}
}

func (b *tester) call(name string, in any) (string, agent.Result) {
	b.t.Helper()
	raw, err := json.Marshal(in)
	if err != nil {
		b.t.Fatal(err)
	}
	result, err := b.Invoke(context.Background(), name, agent.Call{Arguments: raw})
	switch {
	case err != nil:
		return "failed: " + err.Error(), result
	case result.IsError:
		return "failed: " + result.Content[0].Text, result
	}
	return string(result.Structured), result
}

func (b *tester) is(want, name string, in any) string {
	b.t.Helper()
	began := time.Now()
	got, _ := b.call(name, in)
	b.t.Logf("%s: %v", name, time.Since(began).Round(time.Millisecond))
	if !strings.Contains(got, want) {
		b.t.Errorf("%s %v: %.600s; want %s", name, in, got, want)
	}
	return got
}

// ref returns the ref of the element with a role and a name.
func (b *tester) ref(role, name string) int64 {
	b.t.Helper()
	got, _ := b.call("browser.read", arguments{"find": name})
	var reading browser.Reading
	if err := json.Unmarshal([]byte(got), &reading); err != nil {
		b.t.Fatal(got)
	}
	for _, e := range reading.Elements {
		if e.Role == role && e.Name == name {
			return e.Ref
		}
	}
	b.t.Fatalf("no %s is called %q in %s", role, name, got)
	return 0
}

// site serves a page with a form, and other pages.
func site(t testing.TB) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, `<title>Form</title><h1>Order</h1><form action="/done"><label>Name <input name=name value="old"></label>
<label><input type=checkbox name=gift> Gift</label><button>Send it</button></form><a href="/two" target="_blank">Second page</a>
<button onclick="alert('careful')">Warn</button><div style="height:3000px"></div><iframe src="/frame"></iframe>`)
		case "/done":
			fmt.Fprintf(w, `<title>Done</title><p>Thank you, %s. Gift: %s.</p>`, r.FormValue("name"), r.FormValue("gift"))
		case "/frame":
			fmt.Fprint(w, `<button onclick="this.textContent='Inner pressed'">Inner</button>`)
		case "/endless":
			fmt.Fprint(w, `<title>Endless</title><script>while (true) alert("again")</script>`)
		case "/many":
			fmt.Fprintf(w, `<title>Many</title><script>for (let i = 0; i < %d; i++) alert(i)</script>`, browser.MaxClosed)
		case "/later":
			fmt.Fprint(w, `<title>Later</title><script>setInterval(() => { while (true) confirm("again") }, 500)</script>`)
		case "/long":
			fmt.Fprintf(w, "<title>Long</title><p>%s</p>%s", strings.Repeat("x", browser.MaxText), strings.Repeat("<button>b</button>", browser.MaxElements+1))
		default:
			fmt.Fprintf(w, "<title>Page %s</title>", r.URL.Path)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestBrowser opens a page, reads it, fills in its form and submits it. It also checks tabs and
// dialogs.
func TestBrowser(t *testing.T) {
	t.Parallel()
	url := site(t)
	b := start(t, browser.Rules{Private: true})
	b.is(`"title":"Form"`, "browser.open", arguments{"url": url})
	b.is("Order", "browser.read", arguments{})
	b.is(`"state":"not checked"`, "browser.read", arguments{})
	b.is(`"title":"Form"`, "browser.type", arguments{"ref": b.ref("textbox", "Name"), "text": "Zoë 漢"})
	b.is(`"value":"Zoë 漢"`, "browser.read", arguments{"find": "name"})
	b.is(`"title":"Form"`, "browser.click", arguments{"ref": b.ref("checkbox", "Gift")})
	b.is(`"state":"focused, checked"`, "browser.read", arguments{"find": "gift"})
	b.is(`It was closed: careful`, "browser.click", arguments{"ref": b.ref("button", "Warn")})
	b.is(`"title":"Form"`, "browser.click", arguments{"ref": b.ref("button", "Inner")})
	b.ref("button", "Inner pressed")
	b.is(`"tabs":2`, "browser.click", arguments{"ref": b.ref("link", "Second page")})
	b.is(`"title":"Done"`, "browser.click", arguments{"ref": b.ref("button", "Send it")})
	b.is("Thank you, Zoë 漢. Gift: on.", "browser.read", arguments{})
	b.is(`"title":"Form"`, "browser.go", arguments{"where": "back"})
	b.is(`"title":"Done"`, "browser.go", arguments{"where": "forward"})
	b.is(`"title":"Done"`, "browser.go", arguments{"where": "reload"})
	b.is("failed: the element 1 is gone", "browser.click", arguments{"ref": 1})
	var tabs struct {
		Tabs []struct {
			ID, Title string
			Current   bool
		}
	}
	got := b.is("Page /two", "browser.tabs", arguments{})
	if err := json.Unmarshal([]byte(got), &tabs); err != nil || len(tabs.Tabs) != 2 {
		t.Fatal(got, err)
	}
	for _, tab := range tabs.Tabs {
		if tab.Title == "Page /two" {
			b.is(`"title":"Page /two"`, "browser.tab", arguments{"id": tab.ID})
			b.is(`"title":"Done","tabs":1`, "browser.tab", arguments{"id": tab.ID, "close": true})
		}
	}
	b.is(`"title":"Page /three","tabs":2`, "browser.open", arguments{"url": url + "/three", "new_tab": true})
}

// TestEndlessDialogs checks that a page with endless dialogs is ended, in any tab and at any time,
// and that the browser continues. A page with MaxClosed dialogs must stay.
func TestEndlessDialogs(t *testing.T) {
	t.Parallel()
	url := site(t)
	b := start(t, browser.Rules{Private: true})
	const ended = "failed: the page opened more than 50 dialogs in a row"
	b.is(`30 more dialogs were closed.`, "browser.open", arguments{"url": url + "/many"})
	for _, newTab := range []bool{false, true} {
		t.Run(fmt.Sprintf("in a new tab %t", newTab), func(t *testing.T) {
			began := time.Now()
			b.is(ended, "browser.open", arguments{"url": url + "/endless", "new_tab": newTab})
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
			b.is(`"url":"about:blank"`, "browser.read", arguments{})
			b.is(`"title":"Form"`, "browser.open", arguments{"url": url})
			b.is(`"title":"Form"`, "browser.click", arguments{"ref": b.ref("checkbox", "Gift")})
		})
	}
	b.is(`"title":"Later"`, "browser.open", arguments{"url": url + "/later"})
	testkit.EventuallyWithin(t, 20*time.Second, "a call ends with what the page did before it", func() (string, bool) {
		got, _ := b.call("browser.read", arguments{})
		return got, strings.Contains(got, ended)
	})
	b.is(`"title":"Form"`, "browser.open", arguments{"url": url})
}

// TestBounds checks that the text of a long page is cut, and that a screenshot is an image.
func TestBounds(t *testing.T) {
	t.Parallel()
	url := site(t)
	b := start(t, browser.Rules{Private: true})
	b.is(`"title":"Long"`, "browser.open", arguments{"url": url + "/long"})
	got := b.is(`"cut":true`, "browser.read", arguments{})
	if n := strings.Count(got, `"ref":`); n != browser.MaxElements {
		t.Errorf("%d elements", n)
	}
	_, result := b.call("browser.screenshot", arguments{})
	if len(result.Content) != 2 {
		t.Fatalf("%+v", result)
	}
	if img, err := png.Decode(bytes.NewReader(result.Content[0].Data)); err != nil || img.Bounds().Dx() < 1000 {
		t.Errorf("%v, %v", img, err)
	}
	for _, bad := range []string{"file:///etc/passwd", "chrome://settings", "javascript://x", "view-source:http://x", "ftp://example.com"} {
		b.is("failed: ", "browser.open", arguments{"url": bad})
	}
}

// TestGate checks that the browser cannot reach this machine or its network without a rule, by any
// way. With rules for hosts, it must reach no other hosts.
func TestGate(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	reached := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		reached++
		fmt.Fprint(w, "secret")
	}))
	t.Cleanup(server.Close)
	port := server.URL[strings.LastIndex(server.URL, ":")+1:]
	b := start(t, browser.Rules{})
	for _, url := range []string{server.URL, "http://localhost:" + port, "http://[::1]:" + port, "http://127.1:" + port, "http://0.0.0.0:" + port, "https://127.0.0.1:" + port, "http://169.254.169.254/", "http://10.0.0.1/"} {
		b.call("browser.open", arguments{"url": url})
		if got, _ := b.call("browser.read", arguments{}); strings.Contains(got, "secret") {
			t.Errorf("%s: %s", url, got)
		}
	}
	b.is("cannot reach this server", "browser.read", b.open(server.URL))
	allowed := start(t, browser.Rules{Private: true, Hosts: []string{"127.0.0.1:" + port}})
	allowed.is("secret", "browser.read", allowed.open(server.URL))
	mu.Lock()
	if reached == 0 {
		t.Error("the server was not reached where that is allowed")
	}
	reached = 0
	mu.Unlock()
	allowed.is("blocks this page", "browser.read", allowed.open("http://localhost:"+port))
	mu.Lock()
	defer mu.Unlock()
	if reached != 0 {
		t.Errorf("the server was reached %d times", reached)
	}
	if _, err := browser.New(browser.Rules{Hosts: []string{"https://x/"}}); err == nil {
		t.Error("an invalid host is taken")
	}
}

// open opens a page, and returns no arguments.
func (b *tester) open(url string) arguments {
	b.t.Helper()
	b.call("browser.open", arguments{"url": url})
	return arguments{}
}

// TestTitleIsCut checks the limits of a page's title and URL.
func TestTitleIsCut(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<script>document.title = "x".repeat(3e6); location.hash = "y".repeat(1e5)</script>hello`))
	}))
	t.Cleanup(server.Close)
	b := start(t, browser.Rules{Private: true})
	for _, step := range []struct {
		tool string
		in   arguments
	}{{"browser.open", arguments{"url": server.URL}}, {"browser.tabs", arguments{}}} {
		t.Run(step.tool, func(t *testing.T) {
			if got, _ := b.call(step.tool, step.in); len(got) > 2*(browser.MaxTitle+browser.MaxURL) || !strings.Contains(got, "xxx…") {
				t.Errorf("%d bytes: %.200s", len(got), got)
			}
		})
	}
}
