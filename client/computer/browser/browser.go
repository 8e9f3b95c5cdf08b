// Package browser drives the user's Chromium or Chrome with tools: open, read, click, type, look,
// tabs.
//
//	b, err := browser.New(browser.Rules{})
//	defer b.Close()
//	tools := b.Tools()
//
// The first call starts the browser. Its profile is separate and persistent, so the user can log in
// there once. This process controls the browser through a pipe, so no port is open. All requests of
// the browser go through a gate in this process. It allows public addresses, and allows addresses
// of this machine and its network only if the rules say so.
package browser

import (
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/windieos/windie/agent"
)

// Rules configure the browser and its allowed destinations. The zero value runs Chromium or Chrome
// with a window, and allows every public address.
type Rules struct {
	Program  string   // path of the browser's program; default: Chromium or Chrome, if installed
	Profile  string   // folder of the browser's profile; default: windie/browser in the user's cache folder
	Headless bool     // run the browser without a window
	Hosts    []string // allowed hosts, for example "example.com", "*.example.com:8443"; default: all
	Private  bool     // also allow the addresses of this machine and of private networks
	Display  string   // X11 display for the browser's window; default: the variable DISPLAY
}

// Time limits of a browser.
const (
	callTime  = 30 * time.Second       // of one call
	calmTime  = 150 * time.Millisecond // if no load begins within this time, the page counts as loaded
	endTime   = 5 * time.Second        // to close the browser
	loadLimit = 15 * time.Second       // wait for a page to load; the page continues loading afterwards
)

// Browser is a browser that starts at its first use. Its methods are safe for concurrent use; calls
// run one at a time.
type Browser struct {
	rules Rules

	mu      sync.Mutex // held during a call
	gate    *gate
	end     []func()        // functions for Close, called last to first
	first   context.Context // context of the first tab; nil: the browser does not run
	current target.ID
	tabs    map[target.ID]context.Context // tabs in use

	dialogs dialogs
}

// New returns a browser without starting it. It fails if the rules are invalid.
func New(rules Rules) (*Browser, error) {
	if len(rules.Hosts) > 0 {
		gate, err := openGate(rules)
		if err != nil {
			return nil, err
		}
		gate.close()
	}
	return &Browser{rules: rules}, nil
}

// Close closes the browser if it is running.
func (b *Browser) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stop()
}

// stop closes the browser and forgets its tabs. The browser may have ended already. The caller
// holds mu.
func (b *Browser) stop() {
	if b.first != nil {
		ending, cancel := context.WithTimeout(b.first, endTime)
		_ = chromedp.Cancel(ending) // closes it politely, so that it saves its profile
		cancel()
	}
	for i := len(b.end) - 1; i >= 0; i-- {
		b.end[i]()
	}
	b.dialogs.helping.Wait()
	b.first, b.end, b.tabs, b.current = nil, nil, nil, ""
}

// start starts the browser. The caller holds mu.
func (b *Browser) start() error {
	if b.first != nil && b.first.Err() == nil {
		return nil
	}
	b.stop()
	gate, err := openGate(b.rules)
	if err != nil {
		return err
	}
	b.gate, b.end = gate, []func(){gate.close}
	profile, err := b.profile()
	if err != nil {
		b.stop()
		return err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.UserDataDir(profile), chromedp.ProxyServer("http://"+gate.address), chromedp.WindowSize(1280, 800), chromedp.CombinedOutput(io.Discard),
		// send even loopback requests through the proxy
		chromedp.Flag("proxy-bypass-list", "<-loopback>"),
		// a page from the back-forward cache fires no load event, for which settle waits
		chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,BackForwardCache"),
		chromedp.Flag("disable-quic", true), chromedp.Flag("force-webrtc-ip-handling-policy", "disable_non_proxied_udp"),
		chromedp.Flag("dns-prefetch-disable", true), chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"),
	)
	if b.rules.Program != "" {
		options = append(options, chromedp.ExecPath(b.rules.Program))
	}
	if b.rules.Display != "" {
		options = append(options, chromedp.Env("DISPLAY="+b.rules.Display))
	}
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium has no sandbox for root
	}
	if !b.rules.Headless {
		options = append(options, chromedp.VisibleWindow)
	}
	allocator, release := chromedp.NewExecAllocator(context.Background(), options...)
	b.end = append(b.end, release)
	quiet := func(string, ...any) {}
	first, cancel := chromedp.NewContext(allocator, chromedp.WithLogf(quiet), chromedp.WithErrorf(quiet))
	b.end = append(b.end, cancel)
	if err := chromedp.Do(first); err != nil {
		b.stop()
		return agent.Failf("the browser cannot be started: %v; install Chromium or Chrome", err)
	}
	b.first = first
	b.current = chromedp.FromContext(first).Target.TargetID
	b.tabs = map[target.ID]context.Context{b.current: first}
	return b.dialogs.watch(first, b.current)
}

// profile returns the folder of the browser's profile, and creates it if it is missing.
func (b *Browser) profile() (string, error) {
	dir := b.rules.Profile
	if dir == "" {
		caches, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(caches, "windie", "browser")
	}
	return dir, os.MkdirAll(dir, 0o700)
}

// with runs one call on the current tab.
func (b *Browser) with(ctx context.Context, do func(tab context.Context) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.start(); err != nil {
		return err
	}
	tab, err := b.tab(b.current)
	if err != nil {
		return err
	}
	timed, cancel := context.WithTimeout(tab, callTime)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	timed, fail := context.WithCancelCause(timed)
	defer fail(nil)
	defer b.endPages()
	b.dialogs.begin(b.current, fail)
	if timed.Err() == nil {
		err = do(timed)
	}
	var failure agent.Failure
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(context.Cause(timed), &failure):
		return failure
	case err == nil || errors.As(err, &failure):
		return err
	case errors.Is(timed.Err(), context.DeadlineExceeded):
		return agent.Failf("the page did not answer within %v", callTime)
	}
	return agent.Failf("%v", err)
}

// turnTo makes a tab the current one, and returns its context until the call ends. The caller holds
// mu.
func (b *Browser) turnTo(call context.Context, id target.ID) (context.Context, error) {
	tab, err := b.tab(id)
	if err != nil {
		return nil, err
	}
	b.current = id
	timed, cancel := context.WithCancelCause(tab)
	context.AfterFunc(call, func() { cancel(context.Cause(call)) })
	b.dialogs.turnTo(id)
	return timed, nil
}

// tab returns the context of a tab. The first use attaches to the tab.
func (b *Browser) tab(id target.ID) (context.Context, error) {
	if known, ok := b.tabs[id]; ok && known.Err() == nil {
		return known, nil
	}
	tab, cancel := chromedp.NewContext(b.first, chromedp.WithTargetID(id))
	if err := chromedp.Do(tab); err != nil {
		cancel()
		return nil, agent.Failf("the tab is gone; browser.tabs lists the tabs")
	}
	b.end = append(b.end, cancel)
	b.tabs[id] = tab
	return tab, b.dialogs.watch(tab, id)
}

// address returns text as a URL that may be opened.
func address(text string) (string, error) {
	if !strings.Contains(text, "://") && !strings.HasPrefix(text, "about:") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return "", agent.Failf("invalid URL: %v", err)
	case text == "about:blank":
		return text, nil
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return "", agent.Failf("expected an http or https URL, not %s", u.Scheme)
	}
	return u.String(), nil
}
