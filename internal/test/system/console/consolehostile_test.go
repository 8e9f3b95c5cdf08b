//go:build system

package console_test

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
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/chromedp/chromedp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// hostileAll is all of them in one text, a line each.
var hostileAll = strings.Join(hostile, "\n")

// hostileFit are all of them for a place that holds at most that many bytes: of a longer one, its beginning.
func hostileFit(most int) []string {
	list := slices.Clone(hostile)
	for i, text := range list {
		list[i] = plain.Cut(text, most)
	}
	return list
}

// shown is how the console shows a text: what nobody would see of it is escaped, by the rule of the command line but for spaces, tabs and
// ends of lines, which are seen for what they are.
func shown(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case !plain.IsHidden(r) || r == '\n' || r == '\t' || r == utf8.RuneError || unicode.Is(unicode.Zs, r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// inJSON is a text within the quotes of its JSON, as browsers write it.
func inJSON(text string) string {
	raw, _ := json.Marshal(text)
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(raw[1 : len(raw)-1]))
}

// hostileCharacters has the page show every character there is, and such as no text of Go holds.
func hostileCharacters(t *testing.T, _ *consoleGateway, b *tab) {
	if !evaluated[bool](b, `import(document.querySelector('script[src]').src.replace('main.js', 'lib.js')).then((lib) => !!(window.plain = lib.plain))`) {
		t.Fatal("the console has no rule")
	}
	escaped := map[rune]string{}
	for _, c := range evaluated[[]struct {
		Of    rune
		Shown string
	}](b, `Array.from({ length: 0x110000 }, (_, of) => String.fromCodePoint(of)).filter((c) => plain(c) !== c && !/(?!\p{Default_Ignorable_Code_Point})[\p{Cs}\p{Co}\p{Cn}]/u.test(c)).map((c) => ({ of: c.codePointAt(0), shown: plain(c) }))`) {
		escaped[c.Of] = c.Shown
	}
	known := []*unicode.RangeTable{unicode.Cc, unicode.Cf, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Other_Default_Ignorable_Code_Point}
	wrong := 0
	for r := range unicode.MaxRune {
		if want, is := shown(string(r)), string(r); unicode.In(r, known...) { // browsers know newer ones besides
			if got, ok := escaped[r]; ok {
				is = got
			}
			if is != want && wrong < 20 {
				wrong++
				t.Errorf("%U is shown as %q, not as %q", r, is, want)
			}
		}
	}
	for raw, want := range map[string]string{
		`'a\ud800b'`: `a\ud800b`, `'\udc00'`: `\udc00`, `'\ue000\uffff\u{10ffff}'`: `\ue000\uffff\U0010ffff`, `'1\ufe0f\u20e3 \u{1f469}\u{1f3fd}\u200d\u{1f4bb} \u26a0\ufe0f'`: "1\ufe0f\u20e3 \U0001f469\U0001f3fd\u200d\U0001f4bb \u26a0\ufe0f",
		`'1\ufe0f a\ufe0f'`: `1\ufe0f a\ufe0f`, `'\u{1f469}\u200d b\u200d\u{1f469}'`: "\U0001f469" + `\u200d b\u200d` + "\U0001f469", `'\u26a0\ufe0f\ufe0f'`: "\u26a0\ufe0f" + `\ufe0f`,
	} {
		t.Run(raw, func(t *testing.T) {
			if got := evaluated[string](b, `plain(`+raw+`)`); got != want {
				t.Errorf("it is shown as %q, not as %q", got, want)
			}
		})
	}
}

// showsAsText checks that the page has each of the texts as text, and is well-formed.
func (b *tab) showsAsText(what string, texts []string) {
	b.t.Helper()
	b.showsTexts(what, texts)
	b.run(`scrollTo(0, 0)`) // nothing lies below the bar at the top
	b.wellFormed(what)
}

// showsTexts checks that the page has each of the texts as text, in what stands there or in its fields, and nothing that they would
// make. What nobody would see of a text is escaped, and of a long one the start is enough. It is for the first rounds of a view
// that shows a part of the texts at once.
func (b *tab) showsTexts(what string, texts []string) {
	b.t.Helper()
	ways := [][]string{} // of each text: as it is, as it is shown, and how its JSON is
	for _, text := range texts {
		ways = append(ways, []string{text, shown(text), inJSON(text), shown(inJSON(text))})
	}
	raw, err := json.Marshal(ways)
	if err != nil {
		b.t.Fatal(err)
	}
	look := `(() => {
		const bare = (t) => t.replace(/\s+/g, '');
		const fields = [...document.querySelectorAll('input, textarea')].map((e) => e.value);
		const page = bare(document.body.textContent), typed = bare(fields.join('\n'));
		const escaped = bare(JSON.stringify(page)).slice(1, -1);
		return {
			missing: ` + string(raw) + `.filter((ways) => { const [t, s, j, q] = ways.map((w) => bare(w).slice(0, 300)); return !page.includes(s) && !page.includes(q) && !typed.includes(t) && !typed.includes(j) && !escaped.includes(s); }).slice(0, 3).map(([t]) => t.slice(0, 100)),
			made: [...document.querySelectorAll(':is(main, section) :is(iframe, script, style, base, meta, math, img[src="x"], form[action], [onload], [onerror], a[href^="javascript"])')].map((e) => e.outerHTML.slice(0, 100)),
			asked: performance.getEntriesByType('resource').map((e) => e.name).filter((n) => n.includes('evil')),
		}; })()`
	seen := evaluated[struct{ Missing, Made, Asked []string }](b, look)
	for range 100 { // the page may be about to show it
		if len(seen.Missing) == 0 {
			break
		}
		b.do(chromedp.Sleep(browserTime / 100))
		seen = evaluated[struct{ Missing, Made, Asked []string }](b, look)
	}
	if len(seen.Missing)+len(seen.Made)+len(seen.Asked) > 0 {
		b.t.Errorf("%s: not shown as text: %q; made of texts: %q; asked for: %q\n%s", what, seen.Missing, seen.Made, seen.Asked, b.seen())
	}
	b.notes(what, texts)
}

// unfolds shows all of the long texts of the page.
func (b *tab) unfolds() {
	b.t.Helper()
	b.run(`document.querySelectorAll('main button.link').forEach((e) => e.textContent.startsWith('Show all') && e.click())`)
}

// trickster is an MCP server whose tool says and gives what is hostile.
func trickster(t *testing.T) (file string) {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "trickster", Version: "1"}, nil)
	schema := json.RawMessage(`{"type":"object","properties":{"trick":{"type":"string","title":` + inQuotes(hostile[0]) + `,"description":` + inQuotes(strings.Join(hostileFit(400), "\n")) + `,"enum":[` + inQuotes(hostile[2]) + `,` + inQuotes(hostile[16]) + `]}}}`)
	s.AddTool(&mcp.Tool{Name: "trick", Title: hostile[1], Description: strings.Join(hostileFit(400), "\n"), InputSchema: schema, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
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
		part, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":%s}}`, call.ID, inQuotes(strings.Join(hostileFit(20)[50*part:50*part+50], " ")))
	}))
	t.Cleanup(liar.Close)
	if err := os.WriteFile(file, fmt.Appendf(nil, `{"mcpServers": {"trickster": {"url": %q}, "liar": {"url": "%[2]s/0"}, "liar1": {"url": "%[2]s/1"}, "liar2": {"url": "%[2]s/2"}, "liar3": {"url": "%[2]s/3"}}}`, server.URL, liar.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Whatever others write is text in each view that shows it: 200 texts that a careless page would act on, in each.
func TestConsoleHostile(t *testing.T) {
	t.Parallel()
	if len(hostile) != 200 {
		t.Fatalf("%d texts", len(hostile))
	}
	g := startForConsole(t, "WINDIE_RUNS_API_KEY="+rig.RunsKey, "WINDIE_RUNS_LEASE=6s", "WINDIE_MCP_FILE="+trickster(t), "WINDIE_OPERATOR_TOKEN=the-operators-own-token",
		"WINDIE_SYSTEM_PROMPT="+strings.Join(hostileFit(2000), "\n"))
	b := newTab(t, g.url)
	b.open(g.link())
	b.sees("Signed in")
	for _, s := range []struct {
		name string
		run  func(*testing.T, *consoleGateway, *tab)
	}{
		{"characters", hostileCharacters}, {"approvals", hostileApprovals}, {"rules", hostileRules}, {"conversations", hostileConversations}, {"memory", hostileMemory}, {"tools", hostileTools}, {"the log", hostileLog},
		{"runs", hostileRuns}, {"browsers", hostileBrowsers}, {"plugins", hostilePlugins}, {"screens and cases", hostileScreens}, {"names", hostileNames},
		{"settings and servers", hostileOperators}, // who looked at the browsers is an operator
	} {
		t.Run(s.name, func(t *testing.T) {
			b.t = t
			s.run(t, g, b)
			b.t = t
		})
	}
	b.t = t
	b.showedAll()
}

func hostileOperators(_ *testing.T, _ *consoleGateway, b *tab) {
	b.view("gateway/settings")
	b.sees("WINDIE_LISTEN")
	b.unfolds()
	b.showsAsText("settings", hostileFit(2000))
	b.view("gateway/servers")
	b.sees("trickster", "liar", "broken")
	b.unfolds()
	b.showsAsText("an MCP server that fails", inPrint(hostileFit(20)))
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
	for i := 0; i < len(hostile); i += 100 {
		heard := g.ask(commandOf("memory_write", map[string]string{"kind": "long_term", "text": strings.Join(hostile[i:i+100], "\n")}))
		b.sees("Approve once")
		b.unfolds()
		b.showsTexts("a call that waits", hostile[i:i+100])
		b.click("button", "Edit")
		b.showsAsText("a call that is edited", hostile[i:i+100])
		b.click("button.primary", "Approve with edits")
		<-heard
		b.sees("No pending approvals")
	}
	b.click("[role=tab]", "All")
	b.sees("approved")
	b.unfolds()
	b.showsAsText("past calls", hostile)
	b.click("[role=tab]", "Pending")
}

func hostileRules(t *testing.T, g *consoleGateway, b *tab) {
	key, err := os.ReadFile(filepath.Join(strings.TrimPrefix(g.environ[0], "WINDIE_DATA_DIR="), "approval.key"))
	if err != nil {
		t.Fatal(err)
	}
	var rules sdkapi.Rules
	texts := hostileFit(400)
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
	b.typesEach("a rule about a hostile name", "form.card input", hostile)
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
	b.sees("with “<img src=x”")
	b.wellFormed("a search in a hostile conversation")
	b.click("button", "Export")
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
	listed := hostileFit(120) // the list shows no more of each, and the newest 100
	for len(listed) > 0 {
		round := listed[:min(100, len(listed))]
		listed = listed[len(round):]
		atOnce(round, func(input string) { g.post("/api/prompt", map[string]any{"input": input}) })
		b.view("gateway/health")
		b.sees("All checks pass")
		b.view("conversations")
		b.sees("onerror")
		b.showsTexts("the list of conversations", round)
	}
	b.showsAsText("the list of conversations", nil)
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
	b.click("button.primary", "Save")
	b.sees("File saved")
	b.unfolds()
	b.sees("<b>more</b>")
	b.showsAsText("a file that was edited", hostile)
	b.click(".split-main button", "Edit")
	b.write(".split-main textarea", "All of it is gone.\n")
	b.click("button.primary", "Save")
	b.sees("File saved", "All of it is gone.")
	b.click("details.history summary", "History")
	b.sees("After")
	b.unfolds()
	b.showsAsText("what a file said before", hostile)
	if err := os.WriteFile(file, []byte("# Memory\n\n"+hostileAll+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	hostileFiles(t, filepath.Dir(file), b)
}

// hostileFiles shows files of hostile names, and finds what they hold.
func hostileFiles(t *testing.T, dir string, b *tab) {
	names := hostileFit(200)
	for i, text := range names {
		names[i] = strings.ReplaceAll(text, "/", `\`) + ".md" // no name has a /
		if err := os.WriteFile(filepath.Join(dir, names[i]), fmt.Appendf(nil, "zebra%d\n%s\n", i/25, hostileFit(100)[i]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.view("gateway/health")
	b.sees("All checks pass")
	b.view("gateway/memory")
	b.sees("onerror")
	b.showsAsText("files of the memory", names)
	for i := 0; i < len(hostile); i += 25 { // the page asks for 30 results
		b.write(".split-list input[type=search]", fmt.Sprintf("zebra%d", i/25))
		b.click(".split-list button", "Search")
		b.showsTexts("what was found in the memory", hostileFit(100)[i:i+25])
	}
	b.showsAsText("what was found in the memory", nil)
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
	visible := slices.DeleteFunc(hostileFit(400), func(text string) bool { // others are taken out of what servers say
		return strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && unicode.Is(unicode.C, r) })
	})
	b.showsAsText("a tool with a hostile description", visible)
	b.click(".split-main button.primary", "Call")
	b.sees("Result")
	b.unfolds()
	b.showsAsText("the result of a hostile tool", hostile)
	b.click("[role=tab]", "Schema")
	b.unfolds()
	b.showsAsText("a hostile schema", visible)
}

func hostileScreens(t *testing.T, g *consoleGateway, b *tab) {
	dir := b.saves()
	file := filepath.Join(t.TempDir(), "<img src=x onerror=acted++>.png")
	if err := os.WriteFile(file, gatewaytest.Screen("<img src=x onerror=acted++>", "<b>Check out</b>", "<script>acted++</script>"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.view("screens")
	b.give("Open image", file)
	b.sees("List (")
	b.click("[role=tab]", "List")
	b.sees("onerror")
	b.wellFormed("a hostile screen")
	b.click("[role=tab]", "Find")
	questions := hostileFit(60)
	for i := 0; i < len(questions); i += 14 {
		b.write(".ask input[type=search]", strings.Join(questions[i:min(i+14, len(questions))], " "))
		b.click(".ask button.primary", "Find click point")
		testkit.Eventually(t, "the question is answered", func() (string, bool) {
			seen := b.text()
			return b.seen(), strings.Contains(seen, "No match") || strings.Contains(seen, "Click at") || strings.Contains(seen, "Several matches") || strings.Contains(seen, "VALIDATION")
		})
	}
	b.wellFormed("a hostile question")
	b.click("[role=tab]", "Test case")
	b.sees("Searches (")
	b.unfolds()
	b.showsAsText("a case with hostile questions", questions)
	b.write(".label input[required]", "hostile")
	rows := evaluated[int](b, `document.querySelectorAll('.truth input[aria-label^="Text"]').length`)
	for i := range rows {
		b.write(fmt.Sprintf(`.truth input[aria-label="Text %d"]`, i+1), strings.Join(strings.Fields(strings.Join(hostile[i*len(hostile)/rows:(i+1)*len(hostile)/rows], " ")), " "))
	}
	b.showsAsText("a case with hostile corrections", hostile)
	b.click(".label button.primary", "Save test case")
	to := t.TempDir()
	unpack(t, b.saved(filepath.Join(dir, "*.tar")), to)
	raw, err := os.ReadFile(filepath.Join(to, "hostile", "hostile.json"))
	if err != nil || !bytes.Contains(raw, []byte(`onerror=`)) {
		t.Errorf("the case: %v\n%.300s", err, raw)
	}
	b.view("tools")
	b.sees("Select a tool")
}
