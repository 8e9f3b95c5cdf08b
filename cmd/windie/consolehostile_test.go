package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/internal/gatewaytest"
	"github.com/windieos/windie/internal/testkit"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/wasmtest"
)

// hostileAll is all of them in one text, a line each.
var hostileAll = strings.Join(hostile, "\n")

// hostileShort are those that fit where a text has at most that many bytes.
func hostileShort(most int) (list []string) {
	for _, text := range hostile {
		if len(text) <= most {
			list = append(list, text)
		}
	}
	return list
}

// showsAsText checks that the page has each of the texts as text, in what stands there or in its fields, and nothing that they would
// make. What nobody would see of a text is escaped, and of a long one the start is enough.
func (b *tab) showsAsText(what string, texts []string) {
	b.t.Helper()
	raw, err := json.Marshal(texts)
	if err != nil {
		b.t.Fatal(err)
	}
	look := `(() => {
		const plain = (t) => t.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
		const bare = (t) => t.replace(/\s+/g, '');
		const fields = [...document.querySelectorAll('input, textarea')].map((e) => e.value);
		const page = bare(document.body.textContent), typed = bare(fields.join('\n'));
		const escaped = bare(JSON.stringify(page)).slice(1, -1);
		return {
			missing: (` + string(raw) + ` ?? []).filter((t) => { const s = bare(plain(t)).slice(0, 300), q = bare(JSON.stringify(plain(t)).slice(1, -1)).slice(0, 300); return !page.includes(s) && !page.includes(q) && !typed.includes(bare(t).slice(0, 300)) && !typed.includes(bare(JSON.stringify(t).slice(1, -1)).slice(0, 300)) && !escaped.includes(s); }).slice(0, 3).map((t) => t.slice(0, 100)),
			made: [...document.querySelectorAll(':is(main, section) :is(iframe, script, style, base, meta, math, img[src="x"], form[action], [onload], [onerror], a[href^="javascript"])')].map((e) => e.outerHTML.slice(0, 100)),
			asked: performance.getEntriesByType('resource').map((e) => e.name).filter((n) => n.includes('evil')),
		}; })()`
	seen := evaluated[struct{ Missing, Made, Asked []string }](b, look)
	for range 40 { // the page may be about to show it
		if len(seen.Missing) == 0 {
			break
		}
		b.do(chromedp.Sleep(browserTime / 80))
		seen = evaluated[struct{ Missing, Made, Asked []string }](b, look)
	}
	if len(seen.Missing)+len(seen.Made)+len(seen.Asked) > 0 {
		b.t.Errorf("%s: not shown as text: %q; made of texts: %q; asked for: %q\n%s", what, seen.Missing, seen.Made, seen.Asked, b.seen())
	}
	b.t.Logf("%s: %d texts", what, len(texts))
	b.run(`scrollTo(0, 0)`) // nothing lies below the bar at the top
	b.wellFormed(what)
}

// unfolds shows all of the long texts of the page.
func (b *tab) unfolds() {
	b.t.Helper()
	b.run(`document.querySelectorAll('main button.link').forEach((e) => e.textContent.startsWith('show all') && e.click())`)
}

// trickster is an MCP server whose tool says and gives what is hostile.
func trickster(t *testing.T) (file string) {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "trickster", Version: "1"}, nil)
	schema := json.RawMessage(`{"type":"object","properties":{"trick":{"type":"string","title":` + inQuotes(hostile[0]) + `,"description":` + inQuotes(strings.Join(hostileShort(400), "\n")) + `,"enum":[` + inQuotes(hostile[2]) + `,` + inQuotes(hostile[16]) + `]}}}`)
	s.AddTool(&mcp.Tool{Name: "trick", Title: hostile[1], Description: strings.Join(hostileShort(400), "\n"), InputSchema: schema, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: hostileAll}}, StructuredContent: map[string]any{hostile[3]: hostile}}, nil
	})
	server := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	file = filepath.Join(t.TempDir(), "mcp.json")
	liar := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call struct{ ID json.RawMessage }
		if err := json.NewDecoder(r.Body).Decode(&call); err != nil || call.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":%s}}`, call.ID, inQuotes(hostile[0]+hostile[2]))
	}))
	t.Cleanup(liar.Close)
	if err := os.WriteFile(file, fmt.Appendf(nil, `{"mcpServers": {"trickster": {"url": %q}, "liar": {"url": %q}}}`, server.URL, liar.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Whatever others write is text in each view that shows it: 200 texts that a careless page would act on, in each.
func TestConsoleHostile(t *testing.T) {
	t.Parallel()
	gatewaytest.Scenes(t)
	if len(hostile) != 200 {
		t.Fatalf("%d texts", len(hostile))
	}
	g := startForConsole(t, "WINDIE_RUNS_API_KEY="+runsKey, "WINDIE_RUNS_LEASE=6s", "WINDIE_MCP_FILE="+trickster(t), "WINDIE_OPERATOR_TOKEN=the-operators-own-token",
		"WINDIE_SYSTEM_PROMPT="+strings.Join(hostileSettings(), "\n"))
	b := newTab(t, g.url)
	b.open(g.link())
	b.sees("Signed in")
	for _, s := range []struct {
		name string
		run  func(*testing.T, *consoleGateway, *tab)
	}{
		{"approvals", hostileApprovals}, {"rules", hostileRules}, {"conversations", hostileConversations}, {"memory", hostileMemory}, {"tools", hostileTools}, {"the log", hostileLog},
		{"runs", hostileRuns}, {"browsers", hostileBrowsers}, {"plugins", hostilePlugins}, {"screens and cases", hostileScreens}, {"names", hostileNames},
		{"settings and servers", hostileOperators}, // who looked at the browsers is an operator
	} {
		t.Run(s.name, func(t *testing.T) {
			b.t = t
			s.run(t, g, b)
			b.t = t
		})
	}
}

// hostileSettings are those that a variable of the environment can have.
func hostileSettings() []string {
	return slices.DeleteFunc(hostileShort(2000), func(text string) bool { return strings.Contains(text, "\x00") })
}

func hostileOperators(_ *testing.T, _ *consoleGateway, b *tab) {
	b.view("gateway/settings")
	b.sees("WINDIE_LISTEN")
	b.unfolds()
	b.showsAsText("settings", hostileSettings())
	b.view("gateway/servers")
	b.sees("trickster", "liar", "broken")
	b.showsAsText("MCP servers", []string{hostile[0], hostile[2]})
}

// commandOf returns the plain command that calls a tool, with its texts as they are.
func commandOf(tool string, args any) string {
	var out strings.Builder
	write := json.NewEncoder(&out)
	write.SetEscapeHTML(false)
	_ = write.Encode(args)                                                       // of texts
	return "run " + tool + " " + strings.ReplaceAll(out.String(), ";", `\u003b`) // which is between two commands
}

func hostileApprovals(_ *testing.T, g *consoleGateway, b *tab) {
	b.view("approvals")
	for i := 0; i < len(hostile); i += 50 {
		heard := g.ask(commandOf("memory_write", map[string]string{"kind": "long_term", "text": strings.Join(hostile[i:i+50], "\n")}))
		b.sees("Allow once")
		b.unfolds()
		b.showsAsText("a call that waits", hostile[i:i+50])
		b.click("button", "Edit")
		b.showsAsText("a call that is edited", hostile[i:i+50])
		b.click("button.primary", "Allow with these arguments")
		<-heard
		b.sees("Nothing waits for you")
	}
	b.click("[role=tab]", "All")
	b.sees("approved")
	b.wellFormed("past calls")
	b.click("[role=tab]", "Waiting")
}

func hostileRules(t *testing.T, g *consoleGateway, b *tab) {
	key, err := os.ReadFile(filepath.Join(strings.TrimPrefix(g.environ[0], "WINDIE_DATA_DIR="), "approval.key"))
	if err != nil {
		t.Fatal(err)
	}
	var rules sdkapi.Rules
	texts := hostileShort(400)
	for i, text := range texts {
		rules.Rules = append(rules.Rules, sdkapi.WSPolicyRule{Tool: fmt.Sprintf("tool_%d", i), Verdict: "ask", Reason: text})
	}
	raw, _ := json.Marshal(rules) // of texts
	put := func(body []byte) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, g.url+sdkapi.RulesPath, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = http.Header{"Content-Type": {"application/json"}, sdkapi.UserHeader: {"local"}, sdkapi.KeyHeader: {strings.TrimSpace(string(key))}}
		resp, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusNoContent {
			t.Fatalf("the rules are not kept: %d", resp.StatusCode)
		}
	}
	put(raw)
	b.click("[role=tab]", "Rules")
	b.sees("tool_1 ")
	b.showsAsText("rules with reasons", texts)
	b.write("form.card input", "<img src=x onerror=acted++>")
	b.sees("Calls of the tool <img src=x onerror=acted++>")
	b.run(`scrollTo(0, 0)`) // nothing lies below the bar at the top
	b.wellFormed("a rule about a hostile name")
	put([]byte(`{"rules":[]}`))
}

func hostileConversations(t *testing.T, g *consoleGateway, b *tab) {
	dir := b.saves()
	b.view("conversations")
	b.click("button.primary", "New")
	b.sees("Send")
	b.write(".composer textarea", hostileAll)
	b.click(".composer button", "Send")
	b.sees("completed")
	b.unfolds()
	b.showsAsText("a conversation", hostile)
	b.write(".talk input[type=search]", "<img src=x")
	b.sees("steps have")
	b.wellFormed("a search in a hostile conversation")
	b.click("button", "Save as a file")
	file := b.saved(filepath.Join(dir, "*.html"))
	name := filepath.Join(dir, "hostile.html")
	if err := os.WriteFile(name, file, 0o600); err != nil {
		t.Fatal(err)
	}
	where := evaluated[string](b, `location.href`)
	b.open("file://" + name)
	b.sees("<script>acted++</script>")
	b.mu.Lock()
	b.faults = nil // the file itself is of no host
	b.mu.Unlock()
	b.showsAsText("a conversation in a file", hostile)
	b.open(where)
	b.sees("completed")
	listed := hostileShort(120)[:90] // of a longer one, and of more, the list shows no more
	for _, input := range listed {
		g.post("/api/prompt", map[string]any{"input": input})
	}
	b.view("conversations")
	b.sees("onerror")
	b.showsAsText("the list of conversations", listed)
}

func hostileMemory(t *testing.T, g *consoleGateway, b *tab) {
	file := filepath.Join(strings.TrimPrefix(g.environ[0], "WINDIE_DATA_DIR="), "memory", "local", "memory", "MEMORY.md")
	if err := os.WriteFile(file, []byte("# Memory\n\n"+hostileAll+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.view("gateway/memory")
	b.click(".split-list button.row", "memory/MEMORY.md")
	b.sees("onerror")
	b.unfolds()
	b.showsAsText("a file of the memory", hostile)
	b.click(".split-main button", "Edit")
	b.showsAsText("a file that is edited", hostile)
	b.run(`(() => { const e = document.querySelector('.split-main textarea'); e.value += '\n<b>more</b>'; e.dispatchEvent(new Event('input', { bubbles: true })) })()`)
	b.click("button.primary", "Keep the change")
	b.sees("The file is changed")
	b.unfolds()
	b.sees("<b>more</b>")
	b.showsAsText("a file that was edited", hostile)
	b.click(".split-main button", "Edit")
	b.write(".split-main textarea", "All of it is gone.\n")
	b.click("button.primary", "Keep the change")
	b.sees("The file is changed", "All of it is gone.")
	b.click("details.history summary", "What it said before")
	b.sees("Since then")
	b.unfolds()
	b.showsAsText("what a file said before", hostile)
	if err := os.WriteFile(file, []byte("# Memory\n\n"+hostileAll+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.write(".split-list input[type=search]", "onerror acted")
	b.click(".split-list button", "Search")
	b.sees("line")
	b.wellFormed("a search in a hostile memory")
}

func hostileTools(t *testing.T, g *consoleGateway, b *tab) {
	client, err := sdk.New(g.url, sdk.WithUser("local"))
	if err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the gateway has the tool", func() (string, bool) {
		_, err := client.Tools.Get(t.Context(), "trickster.trick")
		return fmt.Sprint(err), err == nil
	})
	b.view("tools/trickster.trick")
	b.sees("Form", "trick")
	b.unfolds()
	b.showsAsText("a tool with a hostile description", hostileShort(400))
	b.click(".split-main button.primary", "Call")
	b.sees("Result")
	b.unfolds()
	b.showsAsText("the result of a hostile tool", hostile)
	b.click("[role=tab]", "Schema")
	b.unfolds()
	b.showsAsText("a hostile schema", hostileShort(400))
}

func hostileLog(t *testing.T, g *consoleGateway, b *tab) {
	var users []string
	for _, user := range hostileShort(128) {
		if strings.IndexFunc(user, func(r rune) bool { return r > '~' || r < ' ' }) >= 0 {
			continue // nobody is called so
		}
		client, err := sdk.New(g.url, sdk.WithUser(user))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Tools.Invoke(t.Context(), "memory.search", map[string]any{"query": user}); err != nil {
			t.Fatal(err)
		}
		users = append(users, user)
	}
	operator, err := sdk.New(g.url, sdk.WithToken("the-operators-own-token"))
	if err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the last call is in the log", func() (string, bool) { // which is written beside
		page, err := operator.Audit(t.Context(), sdk.AuditQuery{User: users[len(users)-1]})
		return fmt.Sprint(err), err == nil && len(page.Records) > 0
	})
	b.view("gateway/audit")
	b.sees("The operator's token does too")
	b.write(".signin input", "the-operators-own-token")
	b.click(".signin button", "Sign in")
	b.sees("Operator", "onerror")
	b.showsAsText("the log of calls", users[len(users)-90:])
	b.write(".filters label:nth-child(2) input", "<img src=x onerror=acted++>")
	b.click(".filters button", "Search")
	b.sees("No calls pass these filters")
	b.showsAsText("the log of calls, asked for a hostile name", []string{"<img src=x onerror=acted++>"})
}

func hostileRuns(t *testing.T, g *consoleGateway, b *tab) {
	workForTest(t, g.url, t.TempDir(), "--unattended")
	client := runsOf(t, g.url)
	answer, err := client.Runs.Create(t.Context(), sdkapi.RunRequest{
		WorkspaceID: "<b>home</b>", AgentID: hostile[0], RequestedBy: hostile[2], Query: hostileAll,
	})
	if err != nil {
		t.Fatal(err)
	}
	b.view("gateway/runs")
	b.sees("awaiting worker")
	b.showsAsText("the list of runs", hostile[:1])
	b.view("gateway/runs/" + answer.Run.RunID)
	b.sees("run-created")
	b.unfolds()
	b.showsAsText("a run", hostile)
	if _, err := client.Runs.Control(t.Context(), answer.Run.RunID, sdkapi.RunControlRequest{Action: "stop", RequestedBy: hostile[1]}); err != nil {
		t.Fatal(err)
	}
	b.sees("stopped")
	run := asked(t, client, commandOf("memory_search", map[string]string{"query": strings.Join(hostileShort(400)[:60], "\n")}))
	b.view("gateway/runs/" + run.RunID)
	b.sees("run-ended")
	b.run(`document.querySelectorAll('.timeline details').forEach((d) => { d.open = true })`)
	b.sees("Event 1")
	b.unfolds()
	b.showsAsText("what happened in a run", hostileShort(400)[:60])
}

func hostileBrowsers(t *testing.T, g *consoleGateway, b *tab) {
	for _, text := range hostile[:95] {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.url+sdkapi.ConsoleVisitPath, strings.NewReader(`{"token":"the-operators-own-token"}`))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = http.Header{sdkapi.ConsoleHeader: {"1"}, "User-Agent": {text}}
		resp, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("a browser that calls itself %q: %d", text, resp.StatusCode)
		}
	}
	b.view("gateway/browsers")
	b.sees("This browser", "onerror")
	b.showsAsText("browsers", append(hostile[:16:16], hostile[20:36]...))
}

func hostilePlugins(t *testing.T, g *consoleGateway, b *tab) {
	dir := filepath.Join(strings.TrimPrefix(g.environ[0], "WINDIE_DATA_DIR="), "plugins")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	manifest, _ := json.Marshal(map[string]any{"description": strings.Join(hostileShort(300), " ")[:4000], hostile[0]: hostile[1]})
	err := os.WriteFile(filepath.Join(dir, "evil.json"), manifest, 0o600)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "evil.wasm"), wasmtest.Echo(), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the console has the plugin", func() (string, bool) {
		b.view("gateway/health")
		b.sees("Everything works")
		b.view("gateway/plugins")
		b.sees("Plugins")
		return b.seen(), strings.Contains(b.text(), "evil")
	})
	b.showsAsText("a plugin with a hostile manifest", []string{"evil"})
}

func hostileScreens(t *testing.T, g *consoleGateway, b *tab) {
	dir := b.saves()
	file := filepath.Join(t.TempDir(), "<img src=x onerror=acted++>.png")
	if err := os.WriteFile(file, gatewaytest.Screen("<img src=x onerror=acted++>", "<b>Check out</b>", "<script>acted++</script>"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.view("screens")
	b.give("Open a picture", file)
	b.sees("List (")
	b.click("[role=tab]", "List")
	b.sees("onerror")
	b.wellFormed("a hostile screen")
	b.click("[role=tab]", "Find")
	questions := hostileShort(900)
	for i := 0; i < len(questions); i += 15 {
		b.write(".ask input[type=search]", strings.Join(questions[i:min(i+15, len(questions))], " ")[:min(900, len(strings.Join(questions[i:min(i+15, len(questions))], " ")))])
		b.click(".ask button.primary", "Where would you click?")
		testkit.Eventually(t, "the question is answered", func() (string, bool) {
			seen := b.text()
			return b.seen(), strings.Contains(seen, "Nothing is like that") || strings.Contains(seen, "Click at") || strings.Contains(seen, "Several are meant") || strings.Contains(seen, "VALIDATION")
		})
	}
	b.wellFormed("a hostile question")
	b.click("[role=tab]", "Case")
	b.sees("Questions (")
	b.showsAsText("a case with hostile questions", questions[:5])
	b.write(".label input[required]", "hostile")
	rows := evaluated[int](b, `document.querySelectorAll('.truth input[aria-label^="Text"]').length`)
	for i := range rows {
		b.write(fmt.Sprintf(`.truth input[aria-label="Text %d"]`, i+1), strings.Join(strings.Fields(strings.Join(hostile[i*len(hostile)/rows:(i+1)*len(hostile)/rows], " ")), " "))
	}
	b.showsAsText("a case with hostile corrections", hostile)
	b.click(".label button.primary", "Save the case")
	to := t.TempDir()
	unpack(t, b.saved(filepath.Join(dir, "*.tar")), to)
	raw, err := os.ReadFile(filepath.Join(to, "hostile", "hostile.json"))
	if err != nil || !bytes.Contains(raw, []byte(`onerror=`)) {
		t.Errorf("the case: %v\n%.300s", err, raw)
	}
	b.view("tools")
	b.sees("Choose a tool")
}

func hostileNames(_ *testing.T, _ *consoleGateway, b *tab) {
	b.click(".who > button", "Operator")
	b.run(`(() => { const e = document.querySelector('.menu input'); e.value = '<img src=x onerror=acted++>'; e.dispatchEvent(new Event('change', { bubbles: true })) })()`)
	for _, view := range []string{"gateway/usage", "conversations", "approvals", "gateway/memory", "<img src=x onerror=acted++>", "tools/%3Cimg%20src=x%20onerror=acted++%3E", "gateway/runs/%3Cscript%3Eacted++%3C%2Fscript%3E"} {
		b.view(view)
		b.showsAsText("the view "+view+" of a user with a hostile name", nil)
	}
	b.view("gateway/usage")
	b.sees("<img src=x onerror=acted++>")
}
