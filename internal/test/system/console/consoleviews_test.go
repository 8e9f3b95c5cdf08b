//go:build system

package console_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
)

// consoleGateway is a gateway with a folder that the command console shares.
type consoleGateway struct {
	t       *testing.T
	url     string
	environ []string
	stop    func()
}

func startForConsole(t *testing.T, variables ...string) *consoleGateway {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var out, complaint rig.Output
	ended := make(chan int, 1)
	g := &consoleGateway{t: t, environ: append([]string{"WINDIE_DATA_DIR=" + t.TempDir(), "WINDIE_LISTEN=127.0.0.1:0", "PATH=" + os.Getenv("PATH")}, variables...)}
	go func() { ended <- rig.Run(ctx, []string{"serve"}, g.environ, nil, &out, &complaint) }()
	stopped := false
	g.stop = func() {
		if stopped {
			return
		}
		stopped = true
		stop()
		if code := <-ended; code != 0 {
			t.Errorf("serve ended with %d:\n%s", code, complaint.String())
		}
	}
	t.Cleanup(g.stop)
	said := testkit.Eventually(t, "serve says that it is ready", func() (string, bool) {
		said := out.String()
		return said + complaint.String(), rig.ReadyLine.MatchString(said)
	})
	g.url = rig.ReadyLine.FindStringSubmatch(said)[1]
	if strings.Contains(said, "#code=") {
		t.Error("a link that signs somebody in was printed where no terminal is")
	}
	return g
}

// link returns what `windie console` prints.
func (g *consoleGateway) link() string {
	g.t.Helper()
	var out, complaint rig.Output
	if code := rig.Run(g.t.Context(), []string{"console", "--at", g.url}, g.environ, nil, &out, &complaint); code != 0 {
		g.t.Fatalf("console: %d %s", code, complaint.String())
	}
	return strings.TrimSpace(out.String())
}

// post sends JSON as the user local.
func (g *consoleGateway) post(path string, body any) []byte {
	g.t.Helper()
	raw, _ := json.Marshal(body) // of texts and maps
	request, err := http.NewRequestWithContext(g.t.Context(), http.MethodPost, g.url+path, bytes.NewReader(raw))
	if err != nil {
		g.t.Error(err)
		return nil
	}
	request.Header = http.Header{"Content-Type": {"application/json"}, "X-User-Id": {"local"}}
	resp, err := http.DefaultClient.Do(request)
	if err != nil {
		g.t.Error(err)
		return nil
	}
	defer resp.Body.Close()
	var answer bytes.Buffer
	_, _ = answer.ReadFrom(resp.Body)
	if resp.StatusCode >= 500 || resp.StatusCode == http.StatusUnprocessableEntity {
		g.t.Errorf("POST %s: %d %s", path, resp.StatusCode, answer.String())
	}
	return answer.Bytes()
}

// ask begins a prompt of the user local, and returns what is heard once it has ended.
func (g *consoleGateway) ask(input string) <-chan []byte {
	heard := make(chan []byte, 1)
	go func() { heard <- g.post("/api/prompt", map[string]any{"input": input}) }()
	return heard
}

func shopScreen(t *testing.T) string {
	return filepath.Join(testkit.RepoRoot(t), "examples", "click-target", "screen.png")
}

// shopWithoutHead is the sample with its upper part painted over.
func shopWithoutHead(t *testing.T) []byte {
	t.Helper()
	file, err := os.Open(shopScreen(t))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	shop, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	img := image.NewRGBA(shop.Bounds())
	draw.Draw(img, img.Bounds(), shop, image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(0, 0, 900, 200), image.White, image.Point{}, draw.Src)
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// whitePicture returns a white picture of side pixels by side pixels.
func whitePicture(t *testing.T, side int) []byte {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, side, side), color.Palette{color.White})
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// hostile are texts that a careless page would act on.
var hostile = func() (list []string) {
	seeds := []string{
		`<img src=x onerror="acted++">`, `<svg onload="acted++"></svg>`, `<script>acted++</script>`, `"><script>acted++</script>`, `<a href="javascript:acted++">x</a>`,
		`[x](javascript:acted++)`, `<iframe srcdoc="<script>parent.acted++</script>"></iframe>`, `<style>*{display:none}</style>`, `{{acted++}}`, "${acted++}",
		`</bdi></pre><script>acted++</script>`, `<math><mi xlink:href="javascript:acted++">`, `<base href="http://evil.example/">`, `<meta http-equiv=refresh content="0;url=http://evil.example">`,
		`<form action="http://evil.example"><button>Approve once</button></form>`, `![x](http://evil.example/x.png)`, "\u202egnp.exe\u202c\u00ad", "a\u200bb\u2066\u3164c\ufe0f\U000e0041", `&lt;b&gt;&#x3c;script&#x3e;`, strings.Repeat("W", 3000),
	}
	for i := range 10 {
		for _, s := range seeds {
			list = append(list, strings.Repeat("<", i)+s+strings.Repeat(">", i%3))
		}
	}
	return list
}()

// A person uses every view of a local gateway: what works, what is empty and what fails.
func TestConsole(t *testing.T) {
	t.Parallel()
	g := startForConsole(t)
	b := newTab(t, g.url)
	steps := []struct {
		name string
		run  func(*testing.T, *consoleGateway, *tab)
	}{
		{"the tour", consoleTour}, {"screens", consoleScreens}, {"what asks for a person", consoleStrangers}, {"coming in", consoleComingIn},
		{"approvals", consoleApprovals}, {"conversations", consoleConversations}, {"tools", consoleTools}, {"the gateway's own", consoleOperators},
		{"signing out", consoleLeaving}, {"a gateway that is gone", consoleLost},
	}
	b.open(g.url + "/console/")
	for _, s := range steps {
		t.Run(s.name, func(t *testing.T) {
			b.t = t
			s.run(t, g, b)
			b.t = t
		})
	}
}

func consoleTour(_ *testing.T, _ *consoleGateway, b *tab) {
	b.sees("Upload a screen", "Step 1 of 5")
	for _, shown := range []string{"rows", "candidates", "Click at", "Check out"} {
		b.click("button.primary", "Next")
		b.sees(shown)
	}
	b.sees("Step 5 of 5", `"text": "Check out"`)
	b.wellFormed("the end of the tour")
	b.picture("tour")
	b.click("a.primary", "Open my screens")
	b.sees("Screens")
}

func consoleScreens(t *testing.T, g *consoleGateway, b *tab) {
	b.run(`location.hash = ''`)
	b.do(chromedp.Reload())
	b.sees("Open a screenshot")
	b.wellFormed("no screen")
	b.give("Open image", filepath.Join(testkit.RepoRoot(t), "go.mod"))
	b.sees("The browser cannot display this image")
	b.give("Open image", shopScreen(t))
	b.sees("1280 × 800", "List (")
	b.write(".ask input[type=search]", "the blue button")
	b.give("Open image", filepath.Join(testkit.RepoRoot(t), "go.mod")) // which changes nothing else
	b.sees("The browser cannot display this image")
	if kept := evaluated[string](b, `document.querySelector('.ask input[type=search]')?.value ?? ''`); kept != "the blue button" {
		t.Errorf("a file that is no picture made the question %q", kept)
	}
	large := filepath.Join(t.TempDir(), "large.png")
	if err := os.WriteFile(large, whitePicture(t, 9000), 0o600); err != nil {
		t.Fatal(err)
	}
	b.give("Open image", large)
	b.sees("9000 × 9000", "INVALID_IMAGE")
	if at := evaluated[float64](b, `document.querySelector('.failure').getBoundingClientRect().top`); at > 400 {
		t.Errorf("why the picture is not read begins at %v, where nobody looks", at)
	}
	b.give("Open image", shopScreen(t))
	b.sees("1280 × 800", "List (")
	b.click("[role=tab]", "List")
	b.sees("Check out")
	b.wellFormed("the list of a screen")
	b.click(".found button", "Check out")
	b.picture("screens-list")
	b.click("[role=tab]", "Find")
	look := func(text string) {
		b.write(".ask input[type=search]", text)
		b.click(".ask button.primary", "Find click point")
	}
	look("the Add to cart button below $42.00")
	b.sees("Click at", "Evidence for each term")
	b.wellFormed("a place that was found")
	b.picture("screens-light")
	look("the Add to cart button")
	b.sees("Several matches", "Use this one")
	b.wellFormed("a refusal")
	b.click(".candidates .small", "Use this one")
	b.sees("Click at")
	look("a purple elephant")
	b.sees("No match")
	b.click(".ask [role=tab]", "Text")
	look("Check out")
	b.sees("Click at")
	b.click("[role=tab]", "Code")
	for language, has := range map[string]string{"curl": "curl --json", "Python": "urllib.request", "Go": "client.OCR.ResolveText", "TypeScript": "await fetch"} {
		b.click("[role=tab]", language)
		b.sees(has)
	}
	b.wellFormed("code")
	b.click("[role=tab]", "Compare")
	other := filepath.Join(t.TempDir(), "other.png")
	if err := os.WriteFile(other, shopWithoutHead(t), 0o600); err != nil {
		t.Fatal(err)
	}
	b.give("Later image", shopScreen(t))
	b.sees("No changes")
	b.give("Later image", other)
	b.sees("of the image differs", "Removed")
	b.wellFormed("two screens")
	b.view("screens/0b0f3c1e-7d1c-4e0a-9a53-6f3f5d5a0a11.png")
	b.sees("ARTIFACT_NOT_FOUND")
	b.wellFormed("a screen that is not there")
}

func consoleStrangers(_ *testing.T, _ *consoleGateway, b *tab) {
	for _, view := range []string{"approvals", "conversations", "gateway/memory", "gateway/browsers"} {
		b.view(view)
		b.sees("Sign in to continue", "windie console")
		if said := b.text(); strings.Contains(said, "windie approvals") || strings.Contains(said, "`") {
			b.t.Errorf("%s names two ways to sign in:\n%s", view, said)
		}
		b.wellFormed(view + " for a stranger")
	}
	b.write(".signin input", "wrong")
	b.click(".signin button", "Sign in")
	b.sees("wrong token")
}

func consoleComingIn(t *testing.T, g *consoleGateway, b *tab) {
	link := g.link()
	b.open(link)
	b.sees("Signed in")
	if where := evaluated[string](b, `location.href`); strings.Contains(where, "code=") {
		t.Errorf("the code stays in the address: %s", where)
	}
	if cookies := evaluated[string](b, `document.cookie`); cookies != "" {
		t.Errorf("a script reads the cookie: %s", cookies)
	}
	b.view("gateway/browsers")
	b.sees("This browser")
	b.wellFormed("browsers")
}

func consoleApprovals(t *testing.T, g *consoleGateway, b *tab) {
	b.view("approvals")
	b.sees("No pending approvals")
	b.wellFormed("no approvals")
	waits := func(text string) <-chan []byte {
		return g.ask(`run memory_write {"kind":"long_term","text":"` + text + `"}`)
	}
	heard := waits("Ada likes tea")
	b.sees("memory.write", "Ada likes tea", "Approve once", "Denied automatically in 10 min")
	if fields := evaluated[string](b, `[...document.querySelectorAll('.question .args dt')].map((e) => e.textContent).join()`); fields != "kind,text" {
		t.Errorf("the arguments are shown as the fields %q", fields)
	}
	b.wellFormed("an approval")
	b.picture("approvals")
	b.size(360, 740)
	b.wellFormed("an approval on a phone")
	b.picture("approvals-phone")
	b.size(1280, 800)
	b.click("button.primary", "Approve once")
	if said := <-heard; !bytes.Contains(said, []byte(`"success"`)) {
		t.Errorf("what was allowed: %s", said)
	}
	b.sees("No pending approvals", "memory.write approved once", "Result: success", "Open prompt")
	b.wellFormed("what came of a call that was allowed")
	b.picture("approvals-answered")
	heard = waits("Ada likes coffee")
	b.sees("Ada likes coffee")
	b.click("button", "Deny")
	b.write(".question input", "she does not")
	b.click("button.danger", "Deny call")
	if said := <-heard; !bytes.Contains(said, []byte("she does not")) {
		t.Errorf("what was denied: %s", said)
	}
	heard = waits("Ada likes milk")
	b.sees("Ada likes milk")
	b.click("button", "Edit")
	b.sees("Fields")
	b.wellFormed("a call that is edited by fields")
	b.picture("approval-fields")
	b.click("[role=tab]", "JSON")
	b.write(".question textarea", "{")
	b.click("button.primary", "Approve with edits")
	b.sees("The arguments are invalid JSON")
	b.write(".question textarea", `{"kind":"long_term","text":"Ada likes water"}`)
	b.click("button.primary", "Approve with edits")
	if said := <-heard; !bytes.Contains(said, []byte("Ada likes water")) {
		t.Errorf("what was edited: %s", said)
	}
	b.sees("No pending approvals")
	b.click("[role=tab]", "All")
	b.sees("denied", "approved")
	b.wellFormed("past approvals")
	if strings.Contains(b.text(), "memory_write") {
		b.t.Error("the tool has two names")
	}
}

func consoleConversations(t *testing.T, g *consoleGateway, b *tab) {
	consoleAgents(t, g, b)
	b.view("conversations")
	b.sees("single prompt")
	b.click("button.primary", "New")
	b.sees("Send")
	b.write(".composer textarea", "what tools are there")
	b.click(".composer button", "Send")
	b.sees("vision_locate", "completed", "tokens")
	b.wellFormed("a conversation")
	b.write(".composer textarea", `run memory_search {"query":"tea"}`)
	b.click(".composer button", "Send")
	b.sees("memory.search", "success")
	b.click(".call summary", "memory.search")
	b.sees("Arguments", "Result", "Open memory")
	b.picture("conversation")
	b.wellFormed("a call in a conversation")
	b.write(".composer textarea", `run memory_write {"kind":"long_term","text":"Ada likes cake"}`)
	b.click(".composer button", "Send")
	b.sees("Waiting for approval")
	b.click("button", "Stop")
	b.sees("canceled")
	b.do(chromedp.Reload()) // afterwards, by the same cursor
	b.sees("memory.search", "canceled", "what tools are there")
	b.write(".talk input[type=search]", "memory.search")
	b.sees("step with")
	b.wellFormed("a search in a conversation")
	b.size(360, 740)
	b.wellFormed("a conversation on a phone")
	b.picture("conversation-phone")
	b.size(1280, 800)
	b.view("conversations/conversation/conv_aaaaaaaaaaaaaaaaaaaaaaaaaa")
	b.sees("CONVERSATION_NOT_FOUND")
	b.wellFormed("a conversation that is not there")
}

// consoleAgents shows what somebody says to `windie agent` among the conversations, with its calls, and removes it.
func consoleAgents(t *testing.T, g *consoleGateway, b *tab) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes.md"), []byte("Ada has a parrot."), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, complaint rig.Output
	if code := rig.Run(t.Context(), []string{"agent", "--gateway", g.url, "--root", dir, "--once", `run file_read {"path":"notes.md"}`}, g.environ, nil, &out, &complaint); code != 0 {
		t.Fatalf("windie agent: %d %s", code, complaint.String())
	}
	b.view("conversations")
	b.click(".row", "agent session")
	b.sees("file_read", "success", "completed", "windie agent --session as_")
	b.click(".call summary", "file_read")
	b.sees("notes.md", "Ada has a parrot.")
	b.wellFormed("a session of windie agent")
	b.click("button", "Delete")
	b.click(".sure button", "Yes")
	b.sees("Select a conversation")
}

func consoleTools(t *testing.T, _ *consoleGateway, b *tab) {
	b.view("tools")
	b.sees("Select a tool", "ocr.find_text")
	b.wellFormed("the tools")
	b.write(".split-list input", "nothing like it")
	b.sees("No matching tools")
	b.view("tools/no.such")
	b.sees("Tool no.such not found")
	b.view("tools/ocr.find_text")
	b.sees("region", "optional")
	if order := evaluated[string](b, `[...document.querySelectorAll('.split-main form label')].map((e) => e.textContent.replace(' required', '')).join(' ')`); strings.Index(order, "text") > strings.Index(order, "languages") {
		t.Errorf("what must be there does not come first: %s", order)
	}
	const threshold = `[...document.querySelectorAll('.split-main .field')].find((e) => e.textContent.startsWith('threshold')).querySelector('input')`
	b.run(threshold + `.focus()`)
	b.do(chromedp.KeyEvent("0.85"))
	if typed := evaluated[string](b, threshold+`.value`); typed != "0.85" {
		t.Errorf("0.85 typed key by key is %q", typed)
	}
	b.view("tools/memory.search")
	b.sees("Form", "query")
	b.click(".split-main button.primary", "Call")
	b.sees("VALIDATION_ERROR")
	b.wellFormed("a call that was refused")
	b.click("[role=tab]", "JSON")
	b.write(".split-main textarea", `{"query":"tea"}`)
	b.click(".split-main button.primary", "Call")
	b.sees("Result", "Ada likes tea", "Audit log:", "done")
	b.click("[role=tab]", "Form")
	b.wellFormed("the result of a call")
	b.picture("tools")
	b.click("[role=tab]", "Schema")
	b.sees("Input")
	b.size(360, 740) // a phone shows the tool alone, and leads back to all
	b.view("tools")
	b.write(".split-list input", "memory")
	b.click(".split-list .row", "memory.search")
	b.sees("Form", "query")
	if at := evaluated[float64](b, `document.querySelector('.split-main form').getBoundingClientRect().top`); at > 740 {
		t.Errorf("the form of a tool begins at %v, below a phone's screen", at)
	}
	b.wellFormed("a tool on a phone")
	b.click("a", "All tools")
	b.sees("memory.get")
	b.view("gateway/audit")
	b.sees("memory.write")
	if wide := evaluated[float64](b, `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.wide'))`); wide > 0 {
		t.Errorf("a row of the log is cut off by %v pixels on a phone", wide)
	}
	b.wellFormed("the log of calls on a phone")
	b.picture("audit-phone")
	b.size(1280, 800)
}

func consoleOperators(_ *testing.T, _ *consoleGateway, b *tab) {
	for view, texts := range map[string][]string{
		"health": {"All checks pass", "Last day", "Reading time", "Server errors"}, "plugins": {"No plugins yet"}, "memory": {"memory/MEMORY.md"},
		"audit": {"memory.write", "person, with edits"}, "usage": {"All users today", "Open a user to set a daily budget", "Total", "User local", "model requests", "Set a budget"}, "browsers": {"This browser"},
	} {
		b.view("gateway/" + view)
		b.sees(texts...)
		b.wellFormed(view)
		b.picture("gateway-" + view)
	}
	b.view("gateway/memory")
	b.click(".split-list button", "memory/MEMORY.md")
	b.sees("Ada likes water")
	b.write(".split-list input[type=search]", "tea")
	b.click(".split-list button", "Search")
	b.sees("line")
	b.wellFormed("a search in the memory")
	b.size(360, 740) // a phone shows the file alone, and leads back to all
	b.sees("Ada likes water")
	b.wellFormed("a file of the memory on a phone")
	b.click(".back button", "All files")
	b.click(".split-list button", "Search")
	b.size(1280, 800)
	b.view("gateway/audit")
	b.sees("memory.write")
	b.write(".filters label:nth-child(2) input", "no.such")
	b.click(".filters button", "Search")
	b.sees("No matching calls")
	b.scheme("dark")
	b.view("gateway/health")
	b.sees("All checks pass")
	b.wellFormed("health in the dark")
	b.picture("health-dark")
	b.view("screens")
	b.give("Open image", shopScreen(b.t))
	b.sees("List (")
	b.write(".ask input[type=search]", "the Add to cart button below $42.00")
	b.click(".ask button.primary", "Find click point")
	b.sees("Click at")
	b.wellFormed("screens in the dark")
	b.picture("screens-dark")
	b.size(360, 740)
	b.wellFormed("screens on a phone")
	b.picture("screens-phone")
	b.size(3840, 2160)
	b.wellFormed("screens on a large display")
	b.picture("screens-4k")
	b.size(1280, 800)
	b.scheme("light")
}

func consoleLeaving(_ *testing.T, _ *consoleGateway, b *tab) {
	b.view("approvals")
	b.click(".who > button", "Signed in")
	b.click(".menu button", "Sign out")
	b.sees("Not signed in", "Sign in to continue")
	b.wellFormed("signed out")
}

func consoleLost(_ *testing.T, g *consoleGateway, b *tab) {
	b.view("tools")
	b.sees("Select a tool")
	g.stop()
	b.view("gateway/health")
	b.sees("The gateway does not respond", "CONNECTION")
	b.wellFormed("a gateway that is gone")
}

// A hosted gateway below a prefix shows nothing before a token comes, and then what the token is for.
func TestConsoleHosted(t *testing.T) {
	t.Parallel()
	g := startForConsole(t, "WINDIE_MODE=hosted", "WINDIE_PATH_PREFIX=/windie", "WINDIE_OPERATOR_TOKEN=the-operators-own-token")
	type installed struct {
		Token string `json:"install_token"`
		User  string `json:"user_id"`
	}
	register := func() (install installed) {
		t.Helper()
		if err := json.Unmarshal(g.post("/api/install/register", map[string]any{"operating_system": "Linux"}), &install); err != nil {
			t.Fatal(err)
		}
		return install
	}
	install := register()
	b := newTab(t, g.url)
	b.open(g.url + "/windie") // a browser is led on
	b.sees("Paste your access token")
	b.wellFormed("nobody is signed in")
	b.write(".signin input", "wnd_install_wrong")
	b.click(".signin button", "Sign in")
	b.sees("has no valid token")
	b.write(".signin input", install.Token)
	b.click(".signin button", "Sign in")
	b.sees("Upload a screen", install.User)
	b.sees("Step 1 of 5")
	b.click("button.primary", "Next")
	b.sees("rows")
	b.view("approvals")
	b.sees("No pending approvals")
	b.view("screens")
	b.give("Open image", shopScreen(t))
	b.sees(filepath.Base(shopScreen(t))+" · 1280 × 800", "List (")
	b.view("gateway/audit")
	b.sees("Sign in with another account")
	b.write(".signin input", register().Token)
	b.click(".signin button", "Sign in")
	b.view("screens")
	b.click("a", "Skip tour")
	b.sees("sample.png") // and not the screen that the other user opened
	b.view("gateway/audit")
	b.sees("Sign in with another account")
	b.wellFormed("an install at the audit log")
	b.write(".signin input", "the-operators-own-token")
	b.click(".signin button", "Sign in")
	b.sees("Operator")
	if views := evaluated[string](b, `[...document.querySelectorAll('.top nav a')].map((e) => e.textContent).join()`); views != "Gateway" {
		t.Errorf("an operator of a hosted gateway is led to %s", views)
	}
	b.view("tools") // which is a user's
	b.sees("All checks pass")
	b.wellFormed("an operator where users are")
	b.view("gateway/plugins")
	b.sees("No plugins yet")
	b.wellFormed("an operator")
	if path := evaluated[string](b, `location.pathname`); path != "/windie/console/" {
		t.Errorf("the console is at %s", path)
	}
}
