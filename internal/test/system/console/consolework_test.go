//go:build system

package console_test

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
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
		if errors.Is(err, io.EOF) {
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
	g := startForConsole(t)
	b := newTab(t, g.url)
	dir := b.saves()
	b.open(g.url + "/console/#/screens")
	b.give("Open image", shopScreen(t))
	b.sees("List (")
	for _, q := range [][2]string{{"the Add to cart button below $42.00", "Click at"}, {"the Add to cart button", "Several matches"}, {"a purple elephant", "No match"}} {
		b.write(".ask input[type=search]", q[0])
		b.click(".ask button.primary", "Find click point")
		b.sees(q[1])
	}
	b.click("[role=tab]", "Test case")
	b.sees("Searches (3)", ": 1 match", ": several matches", ": no match")
	b.wellFormed("a case")
	b.picture("screens-case")
	b.write(".label input[required]", "shop")
	b.write(`.truth input[aria-label="Text 1"]`, "A corrected text")
	b.click(".label button.primary", "Save test case")
	to := t.TempDir()
	unpack(t, b.saved(filepath.Join(dir, "*.tar")), to)
	var out, complaint rig.Output
	if code := rig.Run(t.Context(), []string{"eval", "--json", filepath.Join(to, "shop")}, g.environ, nil, &out, &complaint); code != 0 {
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
	g := startForConsole(t, "WINDIE_RUNS_API_KEY="+rig.RunsKey, "WINDIE_RUNS_LEASE=6s")
	b := newTab(t, g.url)
	b.open(g.url + "/console/#/gateway/runs")
	b.sees("Sign in to continue")
	b.wellFormed("runs for a stranger")
	b.open(g.link())
	b.sees("Signed in")
	b.view("gateway/runs")
	b.sees("No runs yet", "No workers connected")
	b.wellFormed("no runs")
	dir := t.TempDir()
	query := rig.Script(t, dir, "while ! test -e go; do sleep 0.05; done; echo it went on")
	b.click("summary", "New run")
	b.write("form.card textarea", query)
	b.click("form.card button.primary", "Start run")
	b.sees("awaiting worker", "Created", "Pause")
	rig.Work(t, g.url, dir, "--unattended")
	b.sees("Call", "running")
	b.sees("Now: calling process_run")
	b.wellFormed("a run")
	b.click("button", "Pause")
	b.sees("paused", "Resume", "Control applied")
	b.click("button.primary", "Resume")
	b.sees("running", "Pause")
	b.run(`(() => { const e = document.querySelector('.split-main select, section select'); e.value = 'shared_control'; e.dispatchEvent(new Event('change', { bubbles: true })) })()`)
	b.sees("shared control")
	b.click(".call summary", "Control requested")
	b.picture("run")
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.sees("it went on", "completed", "Ended")
	b.wellFormed("a run that is over")
	b.do(chromedp.Reload()) // afterwards, by the same numbers
	b.sees("it went on", "Created", "Ended")
	b.showsEachOnce()
	b.write(".bar input[type=search]", "it went on")
	b.sees("events with")
	b.view("gateway/runs")
	b.sees("completed", "worker")
	b.size(360, 740)
	b.wellFormed("runs on a phone")
	b.picture("runs-phone")
	b.size(1280, 800)
	failing := rig.AskRun(t, rig.RunsOf(t, g.url), `run file_read {"path":"no-such-file.md"}`).RunID
	b.view("gateway/runs/" + failing)
	b.sees("completed with errors", "1 of 1 call failed")
	b.wellFormed("a run whose call failed")
	b.view("gateway/runs")
	b.sees("completed with errors", "1 call failed")
	consoleRunFilters(b)
	g.asksForRun(t, dir)
	b.sees("running")
	b.click("button", "Stop all")
	b.click(".sure button", "Yes")
	b.sees("1 run stopped", "stopped")
	b.wellFormed("all runs are stopped")
	b.view("gateway/runs/run_aaaaaaaaaaaaaaaaaaaaaaaaaa")
	b.sees("RUN_NOT_FOUND")
	b.wellFormed("a run that is not there")
}

// consoleRunFilters filters the list of runs, which all are completed, by status and time.
func consoleRunFilters(b *tab) {
	b.t.Helper()
	b.choose(".filters select[name=status]", "failed")
	b.at("gateway/runs?status=failed")
	b.sees("No matching runs", "Clear filters", "even if calls failed", "Show completed runs")
	b.wellFormed("no runs of a status")
	b.choose(".filters select[name=range]", "hour")
	b.at("gateway/runs?status=failed&range=hour")
	b.sees("No matching runs in the last hour")
	b.later(2)
	b.view("gateway/runs?range=hour")
	b.sees("No runs in the last hour")
	b.size(360, 740)
	b.wellFormed("an empty time range of runs on a phone")
	b.picture("runs-empty-phone")
	b.size(1280, 800)
	b.click("a", "Show the last day")
	b.at("gateway/runs?range=day")
	b.sees("completed with errors")
	b.later(-2)
	b.click("button[role=tab]", "Runs")
	b.at("gateway/runs")
}

// showsEachOnce checks that a run's timeline has each sentence of the agent once, the newest first, and what only programs need on demand.
func (b *tab) showsEachOnce() {
	b.t.Helper()
	kinds := func() string {
		return evaluated[string](b, `[...document.querySelectorAll('.timeline [data-kind]')].map((e) => e.dataset.kind).join(' ')`)
	}
	b.sees("Started")
	all := kinds()
	if strings.Contains(all, "token-count") || strings.Contains(all, "streaming-response") || strings.Count(all, "assistant-message-full") != 1 {
		b.t.Errorf("the timeline has the events %s", all)
	}
	if strings.Index(all, "run-ended") > strings.Index(all, "run-created") {
		b.t.Errorf("the newest event is not the first: %s", all)
	}
	if shown := b.text(); strings.Contains(shown, "streaming-complete") || strings.Contains(shown, "<user_query>") {
		b.t.Errorf("the timeline has names or tags that only programs know:\n%s", shown)
	}
	b.sees("Turn ended", "User message")
	b.click("label.check", "Show all events")
	testkit.Eventually(b.t, "the timeline has all events", func() (string, bool) {
		return kinds(), strings.Contains(kinds(), "token-count") && strings.Contains(kinds(), "streaming-response")
	})
	b.click("label.check", "Show all events")
	says := func(kind, field, text string) string {
		return `{event_type:'` + kind + `',payload:{payload:{` + field + `:` + inQuotes(text) + `}}}`
	}
	for _, test := range []struct{ name, events, want string }{
		{"in pieces", says("streaming-response", "text", "I sort ") + `,` + says("streaming-response", "text", "the folders."), "I sort the folders."},
		{"whole, and a call", says("streaming-response", "text", "I sort.") + `,` + says("assistant-message-full", "content", "I sort.") + `,` + says("tool-call", "toolName", "process_run"), "I sort. process_run"},
		{"after a call", says("tool-call", "toolName", "process_run") + `,` + says("tool-output", "toolName", "process_run") + `,` + says("streaming-response", "text", "Now I"), "Now I"},
		{"a control", says("assistant-message-full", "content", "I sort.") + `,` + says("run-control-applied", "action", "resume"), "I sort."},
	} {
		got := evaluated[string](b, `import(new URL('./happened.js', document.querySelector('script[type=module]').src)).then((m) => { const n = m.nowOf([`+test.events+`]); return (n.said + ' ' + (n.call ? m.lineOf(n.call) : '')).trim(); })`)
		if got != test.want {
			b.t.Errorf("%s: a run does %q; expected %q", test.name, got, test.want)
		}
	}
}

// asksForRun asks for a run that does not end by itself.
func (g *consoleGateway) asksForRun(t *testing.T, dir string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, "go")); err != nil {
		t.Fatal(err)
	}
	rig.AskRun(t, rig.RunsOf(t, g.url), `run process_run {"program":"sh","args":["job.sh"]}`)
}

// A person says yes once and for all: the next such call asks nobody, until the rule is forgotten. What was called
// can be called again, and what was said is saved as a file that opens without a gateway.
func TestConsoleRemembers(t *testing.T) {
	t.Parallel()
	g := startForConsole(t)
	b := newTab(t, g.url)
	b.open(g.link())
	b.sees("Signed in")
	for _, s := range []struct {
		name string
		run  func(*testing.T, *consoleGateway, *tab)
	}{{"rules", consoleRules}, {"calls again", consoleCallsAgain}, {"the memory", consoleMemory}, {"sharing", consoleShares}} {
		t.Run(s.name, func(t *testing.T) {
			b.t = t
			s.run(t, g, b)
			b.t = t
		})
	}
}

func consoleRules(t *testing.T, g *consoleGateway, b *tab) {
	const write = `run memory_write {"kind":"long_term","text":"Ada likes tea"}`
	b.view("approvals")
	b.click("[role=tab]", "Rules")
	b.sees("No rules yet")
	b.wellFormed("no rules")
	b.click("[role=tab]", "Pending")
	heard := g.ask(write)
	b.sees("Save as a rule")
	b.click(".question label.check", "Save as a rule")
	b.sees("If you approve:", "run without approval", "If you deny:", "are always denied", "its calls still need approval")
	b.wellFormed("a rule in words")
	b.picture("approval-rule")
	b.click("button.primary", "Always approve")
	if said := <-heard; !bytes.Contains(said, []byte(`"success"`)) {
		t.Errorf("what was allowed: %s", said)
	}
	if said := <-g.ask(write); !bytes.Contains(said, []byte(`"success"`)) || bytes.Contains(said, []byte("prompt.approval")) {
		t.Errorf("what the rule allows: %s", said)
	}
	b.click("[role=tab]", "Rules")
	b.sees("Calls of the tool memory")
	b.wellFormed("a rule")
	b.picture("rules")
	b.click(".rule button", "Delete")
	b.click(".sure button", "Yes")
	b.sees("No rules yet")
	b.write("form.card input", "memory_*")
	b.run(`(() => { const e = document.querySelector('form.card select'); e.value = 'deny'; e.dispatchEvent(new Event('change', { bubbles: true })) })()`)
	b.click("form.card button", "Save rule")
	b.sees("tools that match memory_* are always denied")
	if said := <-g.ask(write); !bytes.Contains(said, []byte(`"error"`)) {
		t.Errorf("what the rule forbids: %s", said)
	}
	b.write("form.card input", "[")
	b.click("form.card button", "Save rule")
	b.sees("VALIDATION_ERROR")
	b.wellFormed("a rule that was refused")
	b.click(".rule button", "Delete")
	b.click(".sure button", "Yes")
	b.sees("No rules yet")
	consoleExactly(t, g, b)
}

// consoleExactly shows numbers as they were written, where the page would round them, and sends them so: those that a person leaves as
// they were, and those that a person types.
func consoleExactly(t *testing.T, g *consoleGateway, b *tab) {
	type read struct{ Text any }
	b.run(`window.exact = import(document.querySelector('script[src]').src.replace('main.js', 'exact.js'))`)
	for text, want := range map[string]any{
		`{"a": 9007199254740993, "b": "9007199254740993"}`: "{\n  \"a\": 9007199254740993,\n  \"b\": \"9007199254740993\"\n}", `[0.1000000000000000055]`: "[\n  0.1000000000000000055\n]",
		`[1e400]`: "[\n  1e400\n]", `[-1e-400]`: "[\n  -1e-400\n]", `[1` + strings.Repeat("0", 200_000) + `1]`: "[\n  1" + strings.Repeat("0", 200_000) + "1\n]",
		`[9007199254740992, -0.10, 1.0, 1e2, 100e-2, 1E+21, 0, -0, 0e5, 5e-324, 0.30000000000000004, "\"9007199254740993\\"]`: nil, `"9007199254740993"`: nil, `[123456789012345]`: nil,
	} {
		t.Run(text[:min(len(text), 40)], func(t *testing.T) {
			if got := evaluated[read](b, `exact.then(({ parse, exactOf }) => ({ text: exactOf(parse(`+inQuotes(text)+`)) ?? null }))`); got.Text != want {
				t.Errorf("it is shown as %.200v; expected %.200v", got.Text, want)
			}
		})
	}
	b.write("form.card input", "memory_get")
	b.run(`(() => { const e = document.querySelector('form.card select'); e.value = 'ask'; e.dispatchEvent(new Event('change', { bubbles: true })) })()`)
	b.click("form.card button", "Save rule")
	b.sees("memory.get")
	b.click("[role=tab]", "Pending")
	heard := g.ask(`run memory_get {"path":"memory/MEMORY.md","line_start":9007199254740993}`)
	b.sees("Approve once", "9007199254740993")
	b.wellFormed("a call with a long number")
	b.click("button", "Edit")
	b.sees("Fields")
	b.write(".question input", "memory/other.md")
	b.click("[role=tab]", "JSON")
	b.click("[role=tab]", "Fields")
	b.click("button.primary", "Approve with edits")
	<-heard
	b.called("memory.get", `{"path":"memory/other.md","line_start":9007199254740993}`)
	b.click(".answered summary", "Arguments")
	b.sees("No pending approvals", "9007199254740993")
	b.click("[role=tab]", "All")
	b.click(".rows summary", "memory.get")
	b.sees("9007199254740993")
	b.click("[role=tab]", "Rules")
	b.click(".rule button", "Delete")
	b.click(".sure button", "Yes")
	b.sees("No rules yet")
	consoleFormsExactly(t, b)
}

// consoleFormsExactly calls a tool by its form with numbers that JavaScript would round: as it was called before, as typed, and as JSON.
func consoleFormsExactly(t *testing.T, b *tab) {
	b.click("[role=tab]", "All")
	b.click(".rows summary", "memory.get")
	b.click(".rows button", "Open in Tools")
	call := func(want string) {
		b.click(".split-main button.primary", "Call")
		b.called("memory.get", `{"path":"memory/other.md","line_start":`+want+`}`)
	}
	b.sees("line_start", "Find matching calls")
	b.click(".split-main button", "Find matching calls")
	b.sees("1 matching call")
	call("9007199254740993")
	field := func() string {
		return "#" + evaluated[string](b, `[...document.querySelectorAll('.split-main label')].find((e) => e.textContent.startsWith('line_start')).htmlFor`)
	}
	b.write(field(), "+009007199254740995")
	call("9007199254740995")
	b.click("[role=tab]", "JSON")
	b.write(".split-main textarea", `{"path":"memory/other.md","line_start":9007199254740997}`)
	call("9007199254740997")
	b.click("[role=tab]", "Form")
	if got := evaluated[string](b, `document.querySelector('`+field()+`').value`); got != "9007199254740997" {
		t.Errorf("the form has %s", got)
	}
	for text, want := range map[string]string{
		"9007199254740993": "9007199254740993", " 12 ": "12", "007": "7", "26.": "26", "-.5": "-0.5", "1.e2": "100", "0x10": "16", "1e400": "1e400",
		"0.1000000000000000055": "0.1000000000000000055", "1..2": `"1..2"`, "12.3.": `"12.3."`, "0x20000000000001": `"0x20000000000001"`, "-": `"-"`, "Infinity": `"Infinity"`,
	} {
		t.Run(text, func(t *testing.T) {
			if got := evaluated[string](b, `exact.then(({ numberOf }) => JSON.stringify(numberOf(`+inQuotes(text)+`)))`); got != want {
				t.Errorf("it is sent as %s; expected %s", got, want)
			}
		})
	}
	b.view("approvals")
}

// called waits until the newest call of a tool in the log was made with exactly these arguments.
func (b *tab) called(tool, args string) {
	b.t.Helper()
	want, err := journal.Digest(tool, json.RawMessage(args))
	if err != nil {
		b.t.Fatal(err)
	}
	testkit.EventuallyWithin(b.t, browserTime, "the log has the call with "+args, func() (string, bool) {
		return b.seen(), evaluated[string](b, `import(new URL('./state.js', document.querySelector('script[type=module]').src)).then(({ windie }) => windie.value.audit.list({ tool: `+inQuotes(tool)+`, limit: 1 })).then((p) => p.items[0]?.digest ?? '')`) == want
	})
}

func consoleCallsAgain(_ *testing.T, _ *consoleGateway, b *tab) {
	b.view("conversations")
	b.click("button.primary", "New")
	b.sees("Send")
	b.write(".composer textarea", `run memory_search {"query":"tea"}`)
	b.click(".composer button", "Send")
	b.sees("memory.search", "completed")
	b.click(".call summary", "memory.search")
	b.click(".call a", "Open memory/MEMORY.md, line")
	b.marks("Ada likes tea")
	b.wellFormed("a place of the memory")
	b.picture("memory-place")
	b.run(`history.back()`)
	b.click(".call summary", "memory.search")
	b.click(".call button", "Open in Tools")
	b.sees("Form", "query")
	b.click(".split-main button.primary", "Call")
	b.sees("Ada likes tea", "Recent calls")
	b.click(".split-main .rows summary", "success")
	b.sees("Reuse arguments")
	b.wellFormed("a call that can be made again")
	b.picture("tools-again")
	b.view("tools/memory.get")
	b.sees("line_start")
	b.view("tools/memory.search")
	b.sees("Recent calls") // they are kept while the page is open
}

// marks waits until a line of the memory is marked, and in view.
func (b *tab) marks(line string) {
	b.t.Helper()
	testkit.Eventually(b.t, "the line is marked, and in view", func() (string, bool) {
		return b.seen(), evaluated[bool](b, `[...document.querySelectorAll('.split-main mark')].some((m) => m.textContent.includes(`+inQuotes(line)+`) && m.getBoundingClientRect().top >= 0 && m.getBoundingClientRect().bottom <= innerHeight)`)
	})
}

// turnEnds waits until the conversation's turn has ended: until then the view scrolls to each new event.
func (b *tab) turnEnds() {
	b.t.Helper()
	testkit.Eventually(b.t, "the turn ends", func() (string, bool) {
		return b.seen(), evaluated[bool](b, `![...document.querySelectorAll('button.danger')].some((e) => e.textContent === 'Stop')`)
	})
}

func consoleShares(t *testing.T, g *consoleGateway, b *tab) {
	dir := b.saves()
	b.view("screens")
	b.give("Open image", shopScreen(t))
	b.sees("screen.png", "List (") // the tour's sample has a list too
	id := evaluated[string](b, `location.hash.split('/').pop()`)
	b.view("conversations")
	b.click("button.primary", "New")
	b.sees("Send")
	question, _ := json.Marshal(map[string]any{"image": map[string]string{"artifact_id": id}, "text": "Check out"})
	b.write(".composer textarea", "run ocr_resolve_text "+string(question))
	b.click(".composer button", "Send")
	b.sees("ocr.resolve_text", "completed")
	b.turnEnds()
	b.click(".call summary", "ocr.resolve_text")
	b.sees("Before, click point")
	b.wellFormed("a call with its screen")
	b.picture("conversation-before")
	locate, _ := json.Marshal(map[string]any{"image": map[string]string{"artifact_id": id}, "description": "the Add to cart button below $42.00"})
	b.write(".composer textarea", "run vision_locate "+string(locate))
	b.click(".composer button", "Send")
	b.click(".call summary", "vision.locate")
	b.sees("Evidence", "below $42.00")
	b.turnEnds()
	b.wellFormed("a call that says why it found a place")
	b.click("[role=tab]", "Watch")
	b.sees("Step 2 of 2", "Point 792, 564", "vision.locate")
	b.wellFormed("the steps on a screen")
	b.picture("watch")
	b.click(".watch button", "Back")
	b.sees("Step 1 of 2", "ocr.resolve_text")
	b.click(".watch button", "Play")
	b.sees("Step 2 of 2")
	b.size(390, 844)
	b.wellFormed("the steps on a screen, on a phone")
	b.picture("watch-phone")
	b.size(1280, 800)
	b.click("[role=tab]", "Timeline")
	b.write(".composer textarea", "<img src=x onerror=acted++> & <script>acted++</script>")
	b.click(".composer button", "Send")
	b.sees("<script>")
	b.sees("Export")
	b.click("button", "Export")
	file := b.saved(filepath.Join(dir, "*.html"))
	for _, has := range []string{"ocr.resolve_text", "data:image/png;base64,", "<circle cx=", "&#60;script&#62;acted++"} {
		if !bytes.Contains(file, []byte(has)) {
			t.Errorf("the file lacks %s", has)
		}
	}
	name := filepath.Join(dir, "shared.html")
	if err := os.WriteFile(name, file, 0o600); err != nil {
		t.Fatal(err)
	}
	g.stop()
	b.open("file://" + name)
	b.sees("Before, with click point", "ocr.resolve_text", "<script>acted++</script>")
	if loaded := evaluated[int](b, `[...document.images].filter((i) => i.naturalWidth > 0).length`); loaded != 2 {
		t.Errorf("%d pictures are seen; expected 2", loaded)
	}
	b.picture("shared")
}

func consoleMemory(t *testing.T, g *consoleGateway, b *tab) {
	b.view("gateway/memory")
	b.click(".split-list button.row", "memory/MEMORY.md")
	b.sees("Ada likes tea")
	b.click(".split-main button", "Edit")
	b.run(`(() => { const e = document.querySelector('.split-main textarea'); e.value = e.value.replaceAll('tea', 'zephyrs'); e.dispatchEvent(new Event('input', { bubbles: true })) })()`)
	b.wellFormed("a file that is edited")
	b.picture("memory-edit")
	b.click("button.primary", "Save")
	b.sees("File saved", "Ada likes zephyrs")
	b.click("details.history summary", "History")
	b.sees("in the console", "Before", "After")
	b.wellFormed("what a file said before")
	b.picture("memory-history")
	b.click("button", "Undo")
	b.click(".sure button", "Yes")
	b.sees("Change undone")
	testkit.Eventually(t, "the file is read again", func() (string, bool) {
		text := evaluated[string](b, `document.querySelector('.split-main pre.words').textContent`)
		return text, strings.Contains(text, "tea")
	})
	b.click("details.history summary", "History")
	b.sees("Ada likes tea", "Ada likes zephyrs") // it is a change too
	b.click(".split-main button", "Edit")
	b.write(".split-main textarea", "All of it is gone.")
	file := filepath.Join(strings.TrimPrefix(g.environ[0], "WINDIE_DATA_DIR="), "memory", "local", "memory", "MEMORY.md")
	if err := os.WriteFile(file, []byte("# Memory\n\nAda has a dog.\n"), 0o600); err != nil { // meanwhile
		t.Fatal(err)
	}
	b.click("button.primary", "Save")
	b.sees("MEMORY_CHANGED")
	b.wellFormed("a file that was changed meanwhile")
	b.click("button", "Retry")
	b.sees("Ada has a dog")
	if err := os.WriteFile(file, []byte(strings.Repeat("Ada has a cat.\n", 300)+"Ada has a horse.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.view("gateway/memory/memory%2FMEMORY.md/301-301")
	b.marks("Ada has a horse")
	b.wellFormed("a line of a long file")
}

// camera is an MCP server on a computer, whose tool takes a picture of its screen.
func camera(t *testing.T) (file string) {
	t.Helper()
	screen, err := os.ReadFile(shopScreen(t))
	if err != nil {
		t.Fatal(err)
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "laptop", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "screen_capture", Description: "Takes a picture.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{Data: screen, MIMEType: "image/png"}}}, nil, nil
	})
	server := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	file = filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(file, fmt.Appendf(nil, `{"mcpServers": {"laptop": {"url": %q}}}`, server.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A person takes a picture of a computer whose tools the gateway has.
func TestConsoleTakesScreens(t *testing.T) {
	t.Parallel()
	g := startForConsole(t, "WINDIE_MCP_FILE="+camera(t))
	client, err := sdk.New(g.url, sdk.WithUser("local"))
	if err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the gateway has the tool", func() (string, bool) {
		tools, err := client.Tools.List(t.Context())
		return fmt.Sprint(err), slices.ContainsFunc(tools, func(one sdkapi.Tool) bool { return one.ID == "laptop.screen_capture" })
	})
	b := newTab(t, g.url)
	b.open(g.url + "/console/#/screens")
	b.click("button", "Capture laptop")
	b.sees("1280 × 800", "List (")
	b.wellFormed("a screen that was taken")
	b.picture("screens-taken")
	b.view("tools/laptop.screen_capture") // the picture is shown there too, and not its letters
	b.click(".split-main button.primary", "Call")
	b.sees("Result")
	testkit.Eventually(t, "the picture is shown, and not its letters", func() (string, bool) {
		shown := evaluated[string](b, `String(document.querySelector('.answer img')?.alt) + document.querySelector('.answer')?.textContent.includes('iVBOR')`)
		return shown, shown == "Image from the toolfalse"
	})
	b.wellFormed("a picture of a tool")
}
