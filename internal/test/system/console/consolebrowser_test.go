//go:build system

package console_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/windieos/windie/internal/test/testkit"
)

// browserTime is how long a page may take to come to a state, on a machine that has much else to do.
const browserTime = 20 * time.Second

// shownText is how much of a page stands in the message of a failure, in bytes.
const shownText = 700

// tab is a page of a real browser. It collects what no page of the console may do.
type tab struct {
	t   *testing.T
	ctx context.Context
	axe string // axe-core

	shown map[string]map[string]bool // the hostile texts that each view has shown

	mu     sync.Mutex
	faults []string
	own    string // the host that it may ask

	trace      []traceEvent
	traceEnded chan struct{} // closed when all of the trace is there
}

// newTab starts a browser until the test ends, and returns a tab for pages of a gateway.
func newTab(t *testing.T, gateway string) *tab {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		testkit.Skip(t, "the program chromium", "make deps-system")
	}
	axe, err := os.ReadFile(filepath.Join(testkit.RepoRoot(t), ".tools", "axe", "axe.min.js"))
	if err != nil {
		testkit.Skip(t, "axe-core", "make deps-system")
	}
	at, err := url.Parse(gateway)
	if err != nil {
		t.Fatal(err)
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.WindowSize(1280, 800),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"))
	alloc, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	quiet := func(string, ...any) {}
	ctx, closeTab := chromedp.NewContext(alloc, chromedp.WithLogf(quiet), chromedp.WithErrorf(quiet))
	b := &tab{t: t, ctx: ctx, own: at.Host, axe: string(axe)}
	if err := chromedp.Do(ctx); err != nil {
		stop() // and not closeTab, which waits for a browser that is not there
		t.Fatalf("the browser does not start: %v", err)
	}
	t.Cleanup(func() { _ = chromedp.Cancel(ctx); closeTab(); stop() })
	if err := chromedp.Listen(ctx, b.note); err != nil {
		t.Fatal(err)
	}
	call(b, network.Enable, network.EnableParams{})
	call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watchPolicy})
	return b
}

// watchPolicy collects what the page's policy refuses, from its first moment.
const watchPolicy = `window.refused = []; window.acted = 0;
document.addEventListener('securitypolicyviolation', (e) => refused.push(e.violatedDirective + ' ' + e.blockedURI))`

// note collects exceptions, and requests to other hosts.
func (b *tab) note(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.noteTrace(event)
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.faults = append(b.faults, fmt.Sprintf("exception: %s %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception))
	case *network.EventRequestWillBeSent:
		at, err := url.Parse(e.Request.URL)
		if err == nil && at.Scheme != "blob" && at.Scheme != "data" && at.Scheme != "about" && at.Host != b.own {
			b.faults = append(b.faults, "request to another host: "+e.Request.URL)
		}
	}
}

// call sends a command to the browser.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, browserTime)
	defer cancel()
	if _, err := chromedp.Call(ctx, command, params); err != nil {
		b.t.Fatal(err)
	}
}

// do carries out steps.
func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, browserTime)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatalf("%v; the page has:\n%s", err, b.seen())
	}
}

// seen returns how the text of the page begins, and text all of it.
func (b *tab) seen() string { text := b.text(); return text[:min(len(text), shownText)] }

func (b *tab) text() string {
	ctx, cancel := context.WithTimeout(b.ctx, browserTime)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](pageText))
	if err != nil {
		return err.Error()
	}
	return text
}

// pageText is what stands on the page, also in the parts of long lists that the browser does not draw.
const pageText = `(document.body?.innerText ?? '') + '\n' + [...document.querySelectorAll('.found li, .step')].map((e) => e.textContent).join('\n')`

// evaluated evaluates an expression in the page.
func evaluated[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, browserTime)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%v; the page has:\n%s", err, b.seen())
	}
	return value
}

// run has the page run a program.
func (b *tab) run(program string) {
	b.t.Helper()
	evaluated[bool](b, program+`; true`)
}

// open shows a page.
func (b *tab) open(url string) {
	b.t.Helper()
	b.do(chromedp.Navigate(url))
}

// view goes to a view by its part of the address.
func (b *tab) view(hash string) {
	b.t.Helper()
	b.run(`location.hash = '#/` + hash + `'`)
}

// sees waits until the page has texts.
func (b *tab) sees(texts ...string) {
	b.t.Helper()
	testkit.EventuallyWithin(b.t, browserTime, "the page shows "+strings.Join(texts, " and "), func() (string, bool) {
		seen := b.text()
		for _, text := range texts {
			if !strings.Contains(seen, text) {
				return b.seen(), false
			}
		}
		return "", true
	})
}

// click clicks the first thing that is seen and has a text, of those that a selector names.
func (b *tab) click(selector, text string) {
	b.t.Helper()
	find := `(() => { const e = [...document.querySelectorAll(` + inQuotes(selector) + `)].find((e) => e.checkVisibility() && !e.disabled && e.textContent.includes(` + inQuotes(text) + `)); e?.click(); return !!e })()`
	testkit.EventuallyWithin(b.t, browserTime, "the page has a "+selector+" with "+text, func() (string, bool) {
		return b.seen(), evaluated[bool](b, find)
	})
}

// write puts text into a field.
func (b *tab) write(selector, text string) {
	b.t.Helper()
	b.run(`(() => { const e = document.querySelector(` + inQuotes(selector) + `); e.focus(); Object.getOwnPropertyDescriptor(Object.getPrototypeOf(e), 'value').set.call(e, ` + inQuotes(text) + `); e.dispatchEvent(new Event('input', { bubbles: true })) })()`)
}

// choose chooses a value of a field.
func (b *tab) choose(selector, value string) {
	b.t.Helper()
	b.run(`(() => { const e = document.querySelector(` + inQuotes(selector) + `); e.focus(); e.value = ` + inQuotes(value) + `; e.dispatchEvent(new Event('change', { bubbles: true })) })()`)
}

// at waits until the address of the view is so.
func (b *tab) at(hash string) {
	b.t.Helper()
	testkit.EventuallyWithin(b.t, browserTime, "the address ends with "+hash, func() (string, bool) {
		got := evaluated[string](b, `location.hash`)
		return got, got == "#/"+hash
	})
}

// later sets the clock of the page so many hours ahead.
func (b *tab) later(hours int) {
	b.t.Helper()
	b.run(fmt.Sprintf(`Date.now = ((now) => () => now() + %d * 3600_000)(Date.now)`, hours))
}

// give gives a file to a field for files.
func (b *tab) give(label, file string) {
	b.t.Helper()
	b.do(chromedp.SetUploadFiles(chromedp.CSS(`input[aria-label="`+label+`"]`), []string{file}))
}

func inQuotes(text string) string {
	raw, _ := json.Marshal(text)
	return string(raw)
}

// size makes the window so large.
func (b *tab) size(width, height int64) {
	b.t.Helper()
	call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 500})
}

// scheme sets what the device prefers: light or dark.
func (b *tab) scheme(name string) {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
}

// wellFormed checks the state that the page is in: nothing was refused by its policy or asked of
// another host, no text of others acted, nothing is wider than the window, and axe finds nothing.
func (b *tab) wellFormed(what string) {
	b.t.Helper()
	state := evaluated[struct {
		Refused []string `json:"refused"`
		Acted   int      `json:"acted"`
		Wide    float64  `json:"wide"`
	}](b, `({ refused, acted, wide: document.documentElement.scrollWidth - innerWidth })`)
	if len(state.Refused) > 0 || state.Acted != 0 || state.Wide > 0 {
		b.t.Errorf("%s: its policy refused %q, text of others acted %d times, and it is %v pixels too wide", what, state.Refused, state.Acted, state.Wide)
	}
	b.mu.Lock()
	if len(b.faults) > 0 {
		b.t.Errorf("%s: %s", what, strings.Join(b.faults, "\n"))
	}
	b.faults = nil
	b.mu.Unlock()
	if !evaluated[bool](b, `!!window.axe`) {
		b.run(b.axe)
	}
	// What a toast or a bar covers is judged too: toasts pass, and the page scrolls beneath a bar.
	b.styled(noToasts+" .top, .top nav { position: static !important }", func() {
		for _, v := range evaluated[[]string](b, `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }).then((r) => r.violations.map((v) => v.id + ': ' + v.help + ' at ' + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + ' ' + (n.any[0]?.message ?? '')).join(' | ')))`) {
			b.t.Errorf("%s: axe: %s", what, v)
		}
	})
}

const noToasts = ".toast { display: none !important }"

// styled runs f with rules added to the page's style. They hold for elements that appear meanwhile, too.
func (b *tab) styled(rules string, f func()) {
	b.t.Helper()
	b.run(fmt.Sprintf("document.adoptedStyleSheets = [new CSSStyleSheet()]; document.adoptedStyleSheets[0].replaceSync(%q)", rules))
	f()
	b.run("document.adoptedStyleSheets = []")
}

// picture writes what the window shows into a file, if the folder of pictures is named.
func (b *tab) picture(name string) {
	b.t.Helper()
	dir := os.Getenv("WINDIE_CONSOLE_PICTURES")
	if dir == "" {
		return
	}
	var shot []byte
	var err error
	b.styled(noToasts, func() { shot, err = chromedp.Run(b.ctx, chromedp.CaptureScreenshot()) })
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), shot, 0o600); err != nil {
		b.t.Fatal(err)
	}
}
