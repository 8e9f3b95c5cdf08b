//go:build system

package console_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/state/journal"
)

// A person opens a call in the log and sees what it was made with: from the conversation or the run that made it, or by asking, where
// the log has only a digest.
func TestConsoleLog(t *testing.T) {
	t.Parallel()
	g := startForConsole(t, "WINDIE_RUNS_API_KEY="+rig.RunsKey, "WINDIE_RUNS_LEASE=6s")
	b := newTab(t, g.url)
	b.open(g.link())
	b.sees("Signed in")
	for _, s := range []struct {
		name string
		run  func(*testing.T, *consoleGateway, *tab)
	}{{"digests", consoleDigests}, {"fences", consoleFences}, {"by HTTP", consoleLogHTTP}, {"filters", consoleLogFilters}, {"of a conversation", consoleLogConversation}, {"of a run", consoleLogRun}} {
		t.Run(s.name, func(t *testing.T) {
			b.t = t
			s.run(t, g, b)
			b.t = t
		})
	}
}

// consoleDigests checks that the page digests a call as the gateway does.
func consoleDigests(t *testing.T, _ *consoleGateway, b *tab) {
	for _, text := range hostile[:20] {
		args := map[string]any{"b": text, "a": []any{1, 2.5, true, nil, map[string]any{text: "x", "é": 1, "😀": 2, "\uffff": 3}}, "": "\b\f\x01\u2028"}
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		want, err := journal.Digest("memory.search", raw)
		if err != nil {
			t.Fatal(err)
		}
		got := evaluated[string](b, `import(new URL('./digest.js', document.querySelector('script[type=module]').src)).then((m) => m.digestOf('memory.search', JSON.parse(`+inQuotes(string(raw))+`)))`)
		if got != want {
			t.Errorf("the page digests %q as %s; the gateway as %s", text, got, want)
		}
	}
}

// consoleFences checks that what an agent says loses the gateway's own fences, and nothing else: no text of others can be hidden so.
func consoleFences(t *testing.T, _ *consoleGateway, b *tab) {
	mark, other := strings.Repeat("a2", 13), strings.Repeat("b3", 13)
	fence := func(mark, text string) string {
		return "<untrusted-" + mark + ">\n" + text + "\n</untrusted-" + mark + ">"
	}
	for _, test := range []struct{ name, said, want string }{
		{"none", "It is 4.5 degrees.", "It is 4.5 degrees."},
		{"one", "It says: " + fence(mark, "Pay\n150") + ".", "It says: “Pay\n150”."},
		{"two", fence(mark, "a") + fence(other, "b"), "“a”“b”"},
		{"one in another", fence(mark, "x "+fence(other, "y")), "“x " + fence(other, "y") + "”"},
		{"empty", fence(mark, ""), "“”"},
		{"not closed", "<untrusted-" + mark + ">\nPay", "<untrusted-" + mark + ">\nPay"},
		{"closed by another", "<untrusted-" + mark + ">\nPay\n</untrusted-" + other + ">", "<untrusted-" + mark + ">\nPay\n</untrusted-" + other + ">"},
		{"closed before it is opened", "\n</untrusted-" + mark + ">Pay<untrusted-" + mark + ">\n", "\n</untrusted-" + mark + ">Pay<untrusted-" + mark + ">\n"},
		{"a mark of words", fence("the-user-has-approved-this", "Pay"), fence("the-user-has-approved-this", "Pay")},
		{"a short mark", fence("x", "Pay"), fence("x", "Pay")},
		{"on one line", "<untrusted-" + mark + ">Pay</untrusted-" + mark + ">", "<untrusted-" + mark + ">Pay</untrusted-" + mark + ">"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := evaluated[string](b, `import(new URL('./lib.js', document.querySelector('script[type=module]').src)).then((m) => m.unfenced(`+inQuotes(test.said)+`))`); got != test.want {
				t.Errorf("%q is shown as %q; expected %q", test.said, got, test.want)
			}
		})
	}
	b.run(`Promise.all(['lib', 'timeline'].map((n) => import(new URL('./' + n + '.js', document.querySelector('script[type=module]').src)))).then(([{ html, render }, { Timeline }]) => {
		const box = document.createElement('div');
		box.className = 'fences';
		document.querySelector('main').append(box);
		render(html` + "`<${Timeline} search=\"\" turns=${[{ key: 't', input: '', images: [], steps: [{ type: 'text', content: " + `'Ends <untrusted-` + mark + `>\nhere\n</untrusted-` + mark + `>'` + " }], notes: [], approvals: [], status: 'completed' }]} />`" + `, box);
	})`)
	b.sees("Ends “here”")
	b.run(`document.querySelector('.fences').remove()`)
}

// opensCall opens the newest of the calls that a user made with a tool, once the log has as many.
func (b *tab) opensCall(tool, user string, calls int) {
	b.t.Helper()
	b.view("gateway/health")
	b.sees("All checks pass")
	b.view("gateway/audit")
	b.sees("the log has only a hash")
	b.write(".filters label:nth-child(1) input", user)
	b.write(".filters label:nth-child(2) input", tool)
	rows := `[...document.querySelectorAll('tr.opens')].filter((e) => e.cells[1].textContent === ` + inQuotes(tool) + ` && e.cells[2].textContent === ` + inQuotes(user) + `)`
	testkit.Eventually(b.t, "the log has the call", func() (string, bool) { // it is written beside
		b.click(".filters button", "Search")
		return b.seen(), evaluated[bool](b, `document.querySelectorAll('tr.opens').length === `+strconv.Itoa(calls)+` && `+rows+`.length === `+strconv.Itoa(calls))
	})
	b.run(rows + `[0].click()`)
}

func consoleLogHTTP(t *testing.T, g *consoleGateway, b *tab) {
	searches := func(user, query string) {
		client, err := sdk.New(g.url, sdk.WithUser(user))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Tools.Invoke(t.Context(), "memory.search", map[string]any{"query": query}); err != nil {
			t.Fatal(err)
		}
	}
	searches("ada", "q3-draft.txt")
	searches("bea", "party.jpg")
	b.opensCall("memory.search", "bea", 1)
	b.sees("Enter arguments to find", "query")
	b.wellFormed("a call whose arguments are not kept")
	const query = `.opened .field :is(input, textarea)`
	b.write(query, "q3-draft")
	b.click(".opened button", "Find matching calls")
	b.sees("No matching calls", "Compared 2 calls")
	b.write(query, "q3-draft.txt")
	b.click(".opened button", "Find matching calls")
	b.sees("1 matching call", "ada", "by bea, does not match")
	b.wellFormed("who called it with that")
	b.picture("audit-who")
	b.write(query, "party.jpg")
	b.click(".opened button", "Find matching calls")
	b.sees("by bea, matches.")
	testkit.Eventually(b.t, "the row of that call alone is marked, and in view", func() (string, bool) {
		return b.seen(), evaluated[bool](b, `(([one, other]) => !other && !!one && one.textContent.includes('bea') && (({ top, bottom }) => top >= 0 && bottom <= innerHeight)(one.getBoundingClientRect()))(document.querySelectorAll('tr.marked'))`)
	})
	b.wellFormed("a row that is marked")
	b.view("tools/memory.search")
	b.sees("Form", "query")
	b.write(".split-main .field :is(input, textarea)", "q3-draft.txt")
	b.click(".split-main button", "Find matching calls")
	b.sees("1 matching call", "ada")
	b.wellFormed("who called a tool, asked at its form")
}

// consoleLogFilters filters the log by the address and by the bar, goes back, and leaves an empty time range by the link that it offers.
func consoleLogFilters(_ *testing.T, _ *consoleGateway, b *tab) {
	users := func(want string) {
		b.t.Helper()
		testkit.EventuallyWithin(b.t, browserTime, "the log has the calls of "+want, func() (string, bool) {
			got := evaluated[string](b, `[...new Set([...document.querySelectorAll('tr.opens')].map((e) => e.cells[2].textContent))].sort().join(' ')`)
			return got + "\n" + b.seen(), got == want
		})
	}
	b.view("gateway/audit?user=ada")
	users("ada")
	b.choose(".filters select[name=outcome]", "failed")
	b.at("gateway/audit?user=ada&outcome=failed")
	b.sees("No matching calls", "Clear filters")
	b.wellFormed("a log without matches")
	b.run(`history.back()`)
	b.at("gateway/audit?user=ada")
	users("ada")
	b.click("a[role=tab], button[role=tab]", "Audit log") // all filters go
	b.at("gateway/audit")
	users("ada bea")
	b.choose(".filters select[name=range]", "hour")
	b.at("gateway/audit?range=hour")
	users("ada bea")
	b.later(2)
	b.click(".filters button", "Search")
	b.sees("No calls in the last hour", "Show the last day")
	b.size(360, 740)
	b.wellFormed("an empty time range on a phone")
	b.picture("audit-empty-phone")
	b.size(1280, 800)
	b.picture("audit-empty")
	b.click("a", "Show the last day")
	b.at("gateway/audit?range=day")
	users("ada bea")
	b.wellFormed("the log of a day")
	b.later(24 * 8)
	b.view("gateway/audit?range=week&tool=memory.search")
	b.sees("No matching calls in the last week", "Show all", "Clear filters")
	b.click("a", "Show all")
	b.at("gateway/audit?tool=memory.search")
	b.later(-24*8 - 2)
	b.view("gateway/audit?outcome=lost")
	b.sees("Invalid input", "query.outcome")
}

func consoleLogConversation(_ *testing.T, g *consoleGateway, b *tab) {
	var made struct{ Result struct{ ID string } }
	if err := json.Unmarshal(g.post("/api/tools/conversation.create/invoke", map[string]any{}), &made); err != nil {
		b.t.Fatal(err)
	}
	g.post("/api/prompt", map[string]any{"input": `run memory_search {"query":"said in a conversation"}`, "conversationId": made.Result.ID})
	b.opensCall("memory.search", "local", 1)
	b.sees("Arguments", "said in a conversation", "Open conversation")
	b.wellFormed("a call of a conversation")
	b.picture("audit-opened")
	b.click(".opened button", "Open conversation")
	b.sees("Search this conversation", "completed")
	g.post("/api/prompt", map[string]any{"input": `run memory_search {"query":"said alone"}`})
	b.opensCall("memory.search", "local", 2)
	b.sees("Arguments", "said alone", "Open prompt")
	consoleLogExactly(g, b)
	var commands []string
	for i := 0; i < len(hostile); i += 20 {
		commands = append(commands, commandOf("memory_search", map[string]string{"query": strings.Join(hostileFit(60)[i:i+20], "\n")}))
	}
	g.post("/api/prompt", map[string]any{"input": strings.Join(commands, "; ")})
	b.opensCall("memory.search", "local", 3+len(commands))
	b.run(`[...document.querySelectorAll('tr.opens')].slice(1, ` + strconv.Itoa(len(commands)) + `).forEach((e) => e.click())`)
	b.showsAsText("what calls of the log were made with", hostileFit(60))
	b.showedAll()
}

// consoleLogExactly shows a call with numbers that JavaScript would round, as it was made, in the log, in its conversation and in a form.
func consoleLogExactly(g *consoleGateway, b *tab) {
	g.post("/api/prompt", map[string]any{"input": `run memory_search {"query":"a long number","limit":9007199254740993}`})
	b.opensCall("memory.search", "local", 3)
	b.sees("Arguments", "a long number", `"limit": 9007199254740993`)
	b.wellFormed("a call with a long number in the log")
	b.click(".opened button", "Open prompt")
	b.sees("Search this conversation", "memory.search")
	b.write("input[placeholder^=Search]", "9007199254740993")
	b.sees("with “9007199254740993”")
	b.click(".call summary", "memory.search")
	b.sees(`"limit": 9007199254740993`, "Open in Tools")
	b.wellFormed("a call with a long number in a conversation")
}

func consoleLogRun(t *testing.T, g *consoleGateway, b *tab) {
	dir := t.TempDir()
	query := rig.Script(t, dir, "echo it ran")
	rig.Work(t, g.url, dir, "--unattended")
	rig.FollowRun(t, rig.RunsOf(t, g.url), rig.AskRun(t, rig.RunsOf(t, g.url), query).RunID)
	b.opensCall("process_run", "worker", 1)
	b.sees("Arguments", "job.sh", "Open run")
	b.click(".opened button", "Open run")
	b.sees("Ended", "it ran")
}

// grantless is a data folder of plugins with one whose tool asks a server that it may not reach; its form has a number.
func grantless(t *testing.T) (folder string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "4.5 degrees") }))
	t.Cleanup(server.Close)
	folder = t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "plugins"), 0o700); err != nil {
		t.Fatal(err)
	}
	script := `globalThis.tools = [{ name: "now", inputSchema: { type: "object", required: ["latitude"], properties: { latitude: { type: "number" } } }, call: () => windie.http({ url: "` + server.URL + `/v1" }).body }];`
	manifest := fmt.Sprintf(`{"name": "weather", "permissions": {"http": [{"host": %q, "schemes": ["http"], "path": "/v1", "private": true}]}}`, strings.TrimPrefix(server.URL, "http://"))
	for name, text := range map[string]string{"weather.js": script, "weather.json": manifest} {
		if err := os.WriteFile(filepath.Join(folder, "plugins", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// A tool that fails for want of a grant leads to it: what the plugin asks for is granted where the tool failed, or at the plugin, and what
// was typed into the tool's form is still there.
func TestConsoleGrants(t *testing.T) {
	t.Parallel()
	g := startForConsole(t, "WINDIE_SCRIPT_RUNTIME="+rig.ScriptRuntime(t), "WINDIE_DATA_DIR="+grantless(t))
	b := newTab(t, g.url)
	b.open(g.link())
	b.sees("Signed in")
	testkit.Eventually(t, "the console has the tool", func() (string, bool) {
		b.view("gateway/health")
		b.sees("Health")
		b.view("tools/weather.now")
		b.sees("Tools")
		return b.seen(), strings.Contains(b.text(), "latitude")
	})
	latitude := func() string { return evaluated[string](b, `document.querySelector('.split-main .field input').value`) }
	b.run(`document.querySelector('.split-main .field input').focus()`)
	b.write(".split-main .field input", "52.52")
	b.click(".split-main button.primary", "Call")
	b.sees("TOOL_ERROR", "Missing permissions", "Open plugin weather")
	b.wellFormed("a tool that lacks a grant")
	b.picture("tools-grant")
	b.click("a", "Open plugin weather")
	b.sees("missing permissions", "Grant permissions")
	inView := `(([top, bottom]) => top >= 0 && bottom <= innerHeight)([...document.querySelectorAll('button')].filter((e) => e.textContent === 'Grant permissions').flatMap((e) => [e.getBoundingClientRect().top, e.getBoundingClientRect().bottom]))`
	testkit.Eventually(t, "the button that grants is in view", func() (string, bool) { return b.seen(), evaluated[bool](b, inView) })
	b.wellFormed("a plugin that lacks a grant")
	b.click("button[aria-expanded]", "Edit permissions")
	b.sees("Save permissions", "No permissions: no network")
	b.write("textarea.mono", `{"http": []}`)
	b.click("button.primary", "Save permissions")
	b.sees("VALIDATION_ERROR")
	b.view("tools/weather.now")
	b.sees("latitude")
	if typed := latitude(); typed != "52.52" {
		t.Errorf("back from the grant, the form has %q; expected what was typed", typed)
	}
	b.click(".split-main button.primary", "Call")
	b.sees("TOOL_ERROR")
	b.click("button", "Grant permissions")
	b.click(".sure button", "Yes")
	b.sees("Permissions granted. Call the tool again.")
	testkit.Eventually(t, "the old message is gone", func() (string, bool) {
		return b.seen(), evaluated[int](b, `document.querySelectorAll('.failure').length`) == 0
	})
	b.wellFormed("a tool whose plugin was granted what it asks for")
	testkit.Eventually(t, "the tool works", func() (string, bool) { // once the plugin has started anew
		b.click(".split-main button.primary", "Call")
		b.sees("Recent calls")
		return b.seen(), strings.Contains(b.text(), "4.5 degrees")
	})
	if text := b.text(); strings.Contains(text, "Permissions granted") || latitude() != "52.52" {
		t.Errorf("the form has %q, and the page\n%s", latitude(), text)
	}
}
