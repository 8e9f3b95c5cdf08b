//go:build system

package console_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/wasmtest"
)

// fewer has the views that cannot show all of the texts: how many they show, and why no more.
var fewer = map[string]struct {
	texts int
	why   string
}{
	"the log of calls":                  {180, "a user's name is printable ASCII: the gateway refuses the others, which is checked"},
	"what all users spent":              {180, "likewise"},
	"the list of users":                 {180, "likewise"},
	"whose approvals":                   {180, "likewise"},
	"a tool with a hostile description": {180, "characters that nobody sees are taken out of what servers say"},
	"a hostile schema":                  {180, "likewise"},
}

// notes keeps which texts a view has shown.
func (b *tab) notes(what string, texts []string) {
	if b.shown == nil {
		b.shown = map[string]map[string]bool{}
	}
	for _, text := range texts {
		if b.shown[what] == nil {
			b.shown[what] = map[string]bool{}
		}
		b.shown[what][text] = true
	}
}

// showedAll checks that each view that showed hostile texts has shown all of them, in as many rounds as it took.
func (b *tab) showedAll() {
	b.t.Helper()
	for what, texts := range b.shown {
		want := len(hostile)
		if less, ok := fewer[what]; ok {
			want = less.texts
		}
		if len(texts) != want {
			b.t.Errorf("%s has shown %d of the texts; expected %d", what, len(texts), want)
		}
	}
	b.t.Logf("%d views have shown the texts", len(b.shown))
}

// typesEach types each of the texts into a field, and checks that the page says it at once, as text.
func (b *tab) typesEach(what, selector string, texts []string) {
	b.t.Helper()
	ways := [][]string{} // of each text: as it is, and as it is shown
	for _, text := range texts {
		ways = append(ways, []string{text, shown(text)})
	}
	raw, err := json.Marshal(ways)
	if err != nil {
		b.t.Fatal(err)
	}
	wrong := evaluated[[]string](b, `(async () => {
		const field = document.querySelector(`+inQuotes(selector)+`), set = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value').set;
		const wrong = [];
		for (const [text, plain] of `+string(raw)+`) {
			set.call(field, text);
			field.dispatchEvent(new Event('input', { bubbles: true }));
			field.dispatchEvent(new Event('change', { bubbles: true }));
			const shown = () => document.querySelector('main').textContent.includes(plain.slice(0, 300));
			for (let i = 0; i < 400 && !shown(); i++) await new Promise((done) => setTimeout(done, i && 5));
			if (!shown()) wrong.push('not shown: ' + text.slice(0, 100));
			const made = document.querySelector('main :is(iframe, script, style, base, meta, math, img[src="x"], form[action], [onload], [onerror], a[href^="javascript"])');
			if (made) wrong.push('made of ' + text.slice(0, 100));
		}
		return wrong.slice(0, 3);
	})()`)
	if len(wrong) > 0 {
		b.t.Errorf("%s: %q", what, wrong)
	}
	b.notes(what, texts)
	b.run(`scrollTo(0, 0)`) // nothing lies below the bar at the top
	b.wellFormed(what)
}

// atOnce calls f with each of the texts, several at once.
func atOnce(texts []string, f func(text string)) {
	var work sync.WaitGroup
	next := make(chan string)
	for range 8 {
		work.Go(func() {
			for text := range next {
				f(text)
			}
		})
	}
	for _, text := range texts {
		next <- text
	}
	close(next)
	work.Wait()
}

// inPrint returns the texts without what is not printed, which the gateway leaves out of what others say in passing.
func inPrint(texts []string) []string { return only(texts, unicode.IsPrint) }

// inASCII returns the texts in printable ASCII, all that the gateway keeps of what a browser calls itself.
func inASCII(texts []string) []string {
	return only(texts, func(r rune) bool { return ' ' <= r && r <= '~' })
}

// only returns the texts with those of their characters alone that stay.
func only(texts []string, stays func(rune) bool) []string {
	list := slices.Clone(texts)
	for i, text := range list {
		list[i] = strings.Map(func(r rune) rune {
			if !stays(r) {
				return -1
			}
			return r
		}, text)
	}
	return list
}

// hostileUsers are the texts that a user's name can be, and those that no user's can.
func hostileUsers() (names, no []string) {
	for _, text := range hostileFit(128) {
		if strings.IndexFunc(text, func(r rune) bool { return r > '~' || r < ' ' }) >= 0 {
			no = append(no, text)
		} else {
			names = append(names, text)
		}
	}
	return names, no
}

func hostileLog(t *testing.T, g *consoleGateway, b *tab) {
	users, no := hostileUsers()
	search := func(user string) error {
		client, err := sdk.New(g.url, sdk.WithUser(user))
		if err == nil {
			_, err = client.Tools.Invoke(t.Context(), "memory.search", map[string]any{"query": user})
		}
		return err
	}
	atOnce(users, func(user string) {
		if err := search(user); err != nil {
			t.Error(err)
		}
	})
	for _, user := range no {
		if err := search(user); err == nil {
			t.Errorf("a user may be called %q", user)
		}
	}
	operator, err := sdk.New(g.url, sdk.WithToken("the-operators-own-token"))
	if err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the calls are in the log", func() (string, bool) { // which is written beside
		page, err := operator.Audit(t.Context(), sdk.AuditQuery{Tool: "memory.search", Limit: 500})
		return fmt.Sprint(err), err == nil && len(page.Records) >= len(users)
	})
	b.view("gateway/audit")
	b.sees("The operator token")
	b.write(".signin input", "the-operators-own-token")
	b.click(".signin button", "Sign in")
	b.sees("Operator", "onerror")
	b.click("button", "Load more")
	b.showsAsText("the log of calls", users)
	b.write(".filters label:nth-child(2) input", "<img src=x onerror=acted++>")
	b.click(".filters button", "Search")
	b.sees("No matching calls")
	b.wellFormed("the log of calls, asked for a hostile name")
}

func hostileRuns(t *testing.T, g *consoleGateway, b *tab) {
	rig.Work(t, g.url, t.TempDir(), "--unattended")
	client := rig.RunsOf(t, g.url)
	answer, err := client.Runs.Create(t.Context(), sdkapi.RunRequest{
		WorkspaceID: "<b>home</b>", AgentID: hostile[0], RequestedBy: hostile[2], Query: hostileAll,
	})
	if err != nil {
		t.Fatal(err)
	}
	b.view("gateway/runs/" + answer.Run.RunID)
	b.sees("Created")
	b.unfolds()
	b.showsAsText("a run", hostile)
	if _, err := client.Runs.Control(t.Context(), answer.Run.RunID, sdkapi.RunControlRequest{Action: "stop", RequestedBy: hostile[1]}); err != nil {
		t.Fatal(err)
	}
	b.sees("stopped")
	var commands []string
	for i := 0; i < len(hostile); i += 20 {
		commands = append(commands, commandOf("memory_search", map[string]string{"query": strings.Join(hostileFit(60)[i:i+20], "\n")}))
	}
	run := rig.AskRun(t, client, strings.Join(commands, "; "))
	b.view("gateway/runs/" + run.RunID)
	b.sees("Ended")
	b.run(`document.querySelectorAll('.timeline details').forEach((d) => { d.open = true })`)
	b.sees("Event 1")
	b.unfolds()
	b.showsAsText("what happened in a run", hostileFit(60))
	hostileRunList(t, client, b)
}

// hostileRunList shows runs, each with hostile texts in its line, and workers of hostile names.
func hostileRunList(t *testing.T, client *sdk.Client, b *tab) {
	texts := hostileFit(120)
	for i := 0; i < len(texts); i += 100 { // the list has the newest 100
		round := texts[i:min(i+100, len(texts))]
		atOnce(round, func(text string) {
			if _, err := client.Runs.Create(t.Context(), sdkapi.RunRequest{WorkspaceID: text, AgentID: text, RequestedBy: text, Query: "Do " + text}); err != nil {
				t.Error(err)
			}
			if _, err := client.Runs.Heartbeat(t.Context(), sdkapi.RunHeartbeat{WorkspaceID: "away", WorkerID: text, SessionID: "1", Status: "draining"}); err != nil {
				t.Error(err)
			}
		})
		b.view("gateway/health")
		b.sees("All checks pass")
		b.view("gateway/runs")
		b.sees("Do ")
		b.showsTexts("the list of runs", round)
	}
	b.showsAsText("workers", texts)
}

func hostileBrowsers(t *testing.T, g *consoleGateway, b *tab) {
	const most = 90 // a gateway lets in 100 at once
	texts := hostileFit(200)
	for i := 0; i < len(texts); i += most {
		round := texts[i:min(i+most, len(texts))]
		atOnce(round, func(text string) {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.url+sdkapi.ConsoleVisitPath, strings.NewReader(`{"token":"the-operators-own-token"}`))
			if err != nil {
				t.Error(err)
				return
			}
			request.Header = http.Header{sdkapi.ConsoleHeader: {"1"}, "User-Agent": {text}}
			resp, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Error(err)
				return
			}
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				t.Errorf("a browser that calls itself %q: %d", text, resp.StatusCode)
			}
		})
		b.view("gateway/health")
		b.sees("All checks pass")
		b.view("gateway/browsers")
		b.sees("This browser", "onerror")
		b.showsTexts("browsers", inASCII(round))
		if i+most >= len(texts) {
			b.showsAsText("browsers", nil)
		}
		if left := evaluated[int](b, `fetch('visits', { headers: { 'x-windie-console': '1' } }).then((r) => r.json()).then(async ({ visits }) => {
			for (const v of visits) if (!v.here) await fetch('visits/' + v.id, { method: 'DELETE', headers: { 'x-windie-console': '1' } });
			return (await (await fetch('visits', { headers: { 'x-windie-console': '1' } })).json()).visits.length })`); left != 1 {
			t.Fatalf("%d browsers are left", left)
		}
	}
}

func hostilePlugins(t *testing.T, g *consoleGateway, b *tab) {
	dir := filepath.Join(strings.TrimPrefix(g.environ[0], "WINDIE_DATA_DIR="), "plugins")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	const each = 50 // wishes of a plugin
	for i := 0; i < len(hostile); i += each {
		name := fmt.Sprintf("evil%d", i/each)
		manifest, _ := json.Marshal(map[string]any{"name": name, "description": strings.Join(hostile[i:i+20], " ")[:1000], "permissions": map[string]any{"tools": hostileFit(400)[i : i+each]}}) // of texts
		err := os.WriteFile(filepath.Join(dir, name+".json"), manifest, 0o600)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name+".wasm"), wasmtest.Echo(), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	manifest, _ := json.Marshal(map[string]any{hostile[0]: hostile[1]}) // which no manifest has
	err := os.WriteFile(filepath.Join(dir, "wrong.json"), manifest, 0o600)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "wrong.wasm"), wasmtest.Echo(), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the console has the plugins", func() (string, bool) {
		b.view("gateway/health")
		b.sees("All checks pass")
		b.view("gateway/plugins")
		b.sees("Plugins")
		text := b.text()
		return b.seen(), strings.Count(text, "missing permissions") == len(hostile)/each && strings.Contains(text, "broken")
	})
	b.unfolds()
	b.showsAsText("what plugins ask for", hostileFit(400))
}

func hostileNames(t *testing.T, g *consoleGateway, b *tab) {
	users, _ := hostileUsers()
	atOnce(users, func(user string) {
		client, err := sdk.New(g.url, sdk.WithUser(user))
		if err == nil {
			for _, err = range client.Prompts.Start(t.Context(), sdkapi.PromptStart{Input: "Hello"}) {
				if err != nil {
					break
				}
			}
		}
		if err != nil {
			t.Error(err)
		}
	})
	b.view("gateway/usage")
	b.sees("All users today")
	b.showsAsText("what all users spent", users)
	b.view("gateway/users")
	b.sees("Spend today:")
	for names := map[string]bool{}; ; { // the list has pages
		seen := evaluated[[]string](b, `[...document.querySelectorAll('.talk-list li .text')].map((e) => e.textContent)`)
		var here []string
		for _, user := range users {
			for _, shown := range seen {
				if shown == user && !names[user] {
					here, names[user] = append(here, user), true
				}
			}
		}
		b.showsTexts("the list of users", here)
		if len(names) == len(users) || len(here) == 0 {
			break
		}
		b.click(".talk-list button", "Next")
		testkit.Eventually(t, "the next page of users is there", func() (string, bool) {
			return b.seen(), evaluated[string](b, `document.querySelector('.talk-list li .text')?.textContent ?? ''`) != seen[0]
		})
	}
	b.showsAsText("the list of users", nil)
	b.view("approvals") // where the name stands, and nothing is loaded for it
	b.sees("No pending approvals")
	b.click(".who > button", "Operator")
	b.typesEach("whose approvals", ".menu input", users)
	for _, view := range []string{"gateway/usage", "conversations", "approvals", "gateway/memory", "<img src=x onerror=acted++>", "tools/%3Cimg%20src=x%20onerror=acted++%3E", "gateway/runs/%3Cscript%3Eacted++%3C%2Fscript%3E"} {
		b.view(view)
		b.showsAsText("the view "+view+" of a user with a hostile name", nil)
	}
}
