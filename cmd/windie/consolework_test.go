package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"

	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/internal/testkit"
)

// saves has the browser keep what pages save, and returns the folder.
func (b *tab) saves() string {
	b.t.Helper()
	dir := b.t.TempDir()
	call(b, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir})
	return dir
}

// saved returns a file that a page has saved.
func (b *tab) saved(pattern string) []byte {
	b.t.Helper()
	return testkit.Eventually(b.t, "the page saves "+pattern, func() ([]byte, bool) {
		found, _ := filepath.Glob(pattern)
		if len(found) != 1 {
			return nil, false
		}
		content, err := os.ReadFile(found[0])
		return content, err == nil && len(content) > 0
	})
}

// unpack unpacks an archive into a folder.
func unpack(t *testing.T, archive []byte, dir string) {
	t.Helper()
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, filepath.FromSlash(h.Name))
		content, err := io.ReadAll(r)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(name), 0o700)
		}
		if err == nil {
			err = os.WriteFile(name, content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A screen that a person labelled is a case that eval takes, with the corrections and the questions.
func TestConsoleKeepsCases(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	g := startForConsole(t)
	b := newTab(t, g.url)
	dir := b.saves()
	b.open(g.url + "/console/#/screens")
	b.give("Open a picture", shopScreen(t))
	b.sees("List (")
	for _, q := range [][2]string{{"the Add to cart button below $42.00", "Click at"}, {"the Add to cart button", "Several are meant"}, {"a purple elephant", "Nothing is like that"}} {
		b.write(".ask input[type=search]", q[0])
		b.click(".ask button.primary", "Where would you click?")
		b.sees(q[1])
	}
	b.click("[role=tab]", "Case")
	b.sees("Questions (3)", "means one place", "means several places", "means no place")
	b.wellFormed("a case")
	b.picture("screens-case")
	b.write(".label input[required]", "shop")
	b.write(`.truth input[aria-label="Text 1"]`, "A corrected text")
	b.click(".label button.primary", "Save the case")
	to := t.TempDir()
	unpack(t, b.saved(filepath.Join(dir, "*.tar")), to)
	var out, complaint output
	if code := run(t.Context(), []string{"eval", "--json", filepath.Join(to, "shop")}, g.environ, nil, &out, &complaint); code != 0 {
		t.Fatalf("eval: %d %s", code, complaint.String())
	}
	var measured struct {
		Screens []struct {
			Words           int
			Missed          []struct{ Text string }
			MissedElements  []any `json:"missed_elements"`
			MissedQuestions []any `json:"missed_questions"`
		}
	}
	if err := json.Unmarshal([]byte(out.String()), &measured); err != nil || len(measured.Screens) != 1 {
		t.Fatalf("%v\n%s", err, out.String())
	}
	s := measured.Screens[0]
	if s.Words < 20 || len(s.Missed) != 3 || s.Missed[0].Text != "A" || len(s.MissedElements) > 0 || len(s.MissedQuestions) > 0 {
		t.Errorf("eval misses more than what was corrected: %+v", s)
	}
}

// A person asks for a run, watches it, pauses it, goes on, says who may act, and stops all; and sees it afterwards.
func TestConsoleRuns(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	g := startForConsole(t, "WINDIE_RUNS_API_KEY="+runsKey, "WINDIE_RUNS_LEASE=6s")
	b := newTab(t, g.url)
	b.open(g.url + "/console/#/gateway/runs")
	b.sees("Sign in to see this")
	b.wellFormed("runs for a stranger")
	b.open(g.link())
	b.sees("Signed in")
	b.view("gateway/runs")
	b.sees("Nobody has asked for a run", "No worker has said anything yet")
	b.wellFormed("no runs")
	dir := t.TempDir()
	query := script(t, dir, "while ! test -e go; do sleep 0.05; done; echo it went on")
	b.click("summary", "Ask for a run")
	b.write("form.card textarea", query)
	b.click("form.card button.primary", "Ask for it")
	b.sees("awaiting worker", "run-created", "Pause")
	workForTest(t, g.url, dir, "--unattended")
	b.sees("tool-call", "running")
	b.wellFormed("a run")
	b.click("button", "Pause")
	b.sees("paused", "Resume", "run-control-applied")
	b.click("button.primary", "Resume")
	b.sees("running", "Pause")
	b.run(`(() => { const e = document.querySelector('.split-main select, section select'); e.value = 'shared_control'; e.dispatchEvent(new Event('change', { bubbles: true })) })()`)
	b.sees("shared_control")
	b.click(".call summary", "run-control")
	b.picture("run")
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.sees("it went on", "completed", "run-ended")
	b.wellFormed("a run that is over")
	b.do(chromedp.Reload()) // afterwards, by the same numbers
	b.sees("it went on", "run-created", "run-ended")
	b.write(".bar input[type=search]", "it went on")
	b.sees("events have")
	b.view("gateway/runs")
	b.sees("completed", "worker")
	b.size(360, 740)
	b.wellFormed("runs on a phone")
	b.picture("runs-phone")
	b.size(1280, 800)
	g.asksForRun(t, dir)
	b.sees("running")
	b.click("button", "Stop all")
	b.click(".sure button", "Yes")
	b.sees("1 runs are stopped", "stopped")
	b.wellFormed("all runs are stopped")
	b.view("gateway/runs/run_aaaaaaaaaaaaaaaaaaaaaaaaaa")
	b.sees("RUN_NOT_FOUND")
	b.wellFormed("a run that is not there")
}

// asksForRun asks for a run that does not end by itself.
func (g *consoleGateway) asksForRun(t *testing.T, dir string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, "go")); err != nil {
		t.Fatal(err)
	}
	asked(t, runsOf(t, g.url), `run process_run {"program":"sh","args":["job.sh"]}`)
}
