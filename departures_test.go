package windie_test

import (
	"bufio"
	"encoding/json"
	"go/constant"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// departures is the page that lists where the gateway differs from the documents
// that it implements.
const departures = "docs/departures.md"

// documented are the routes of these documents that the gateway serves.
var documented = []string{
	// The desktop reference.
	"GET /ws", "POST /api/install/register", "POST /api/artifacts/", "GET /api/artifacts/{artifact_id}",
	"POST /api/sdk/ocr/run", "POST /api/sdk/ocr/inspect", "POST /api/sdk/ocr/find-text", "POST /api/sdk/ocr/find-text-candidates",
	"POST /api/sdk/ocr/resolve-text", "POST /api/sdk/ocr/resolve-candidate", "POST /api/sdk/ocr/overlay",
	"POST /api/sdk/vision/locate", "POST /api/sdk/vision/locate-all", "POST /api/sdk/vision/describe", "POST /api/sdk/vision/overlay",
	"GET /api/sdk/models", "GET /api/sdk/tool-schemas", "GET /api/sdk/tool-capabilities/{tool_name}", "GET /api/sdk/system-prompt",
	"POST /api/sdk/prompt-preview", "POST /api/sdk/query-plan",
	"POST /api/embeddings/", "GET /api/embeddings/health",
	"POST /api/runs/", "GET /api/runs/{run_id}", "GET /api/runs/{run_id}/events", "POST /api/runs/{run_id}/events", "POST /api/runs/{run_id}/control",
	"POST /api/runs/{run_id}/worker-dispatched", "POST /api/runs/workers/heartbeat", "POST /api/runs/stop-all",
	"POST /api/semantic/summarize", "POST /api/semantic/title", "GET /api/semantic/health",
	// The tools and prompts service.
	"GET /api/capabilities", "GET /api/tools", "POST /api/tools/{tool_id}/invoke", "POST /api/prompt",
	"POST /api/prompts/{prompt_id}/approve", "POST /api/prompts/{prompt_id}/reject",
	// The general agent service.
	"GET /health", "POST /v1/sessions", "POST /v1/chat", "GET /v1/stream", "POST /v1/tools/result", "POST /v1/memory/write", "GET /v1/memory/search",
	// The remote tool host.
	"POST /api/agent/sessions", "GET /api/agent/sessions/{id}/stream",
}

// unbuilt are those that it does not serve yet.
var unbuilt = []string{}

// documentedEvents are the messages of /ws and the events of streams that the
// documents have and the gateway sends or takes.
var documentedEvents = []string{
	// The desktop reference: what a client sends, and what it is sent.
	"query", "rehydrate-conversation", "load-settings", "update-settings", "list-models", "tool-result", "tool-bundle-result", "wakeword-detected",
	"streaming-response", "tool-call", "tool-bundle", "tool-output", "llm-thought", "error", "streaming-complete", "settings-loaded", "settings-updated",
	"models-listed", "wakeword-activated", "wakeword-greeting", "system-prompt", "user-message-full", "assistant-message-full", "tool-schemas",
	"token-count", "client-tool-manifest", "audio-chunk", "handshake",
	// The tools and prompts service.
	"prompt.created", "prompt.output", "prompt.approval", "prompt.completed",
	// The general agent service.
	"assistant.delta", "assistant.final", "tool.request", "tool.result", "tool.result.ack",
}

// unbuiltEvents are those that it does not send.
var unbuiltEvents = []string{"remote-tool-catalog"}

var (
	routeSpan = regexp.MustCompile("`((?:GET|HEAD|POST|PUT|DELETE) /[^` ]*)`")
	inBraces  = regexp.MustCompile(`{\w+}`)
	ofOneTool = regexp.MustCompile(`^POST /api/tools/[\w.]+/invoke$`)
	readyAt   = regexp.MustCompile(`Windie is ready at (http://\S+)`)
)

// sectionOf returns the text of a page below a heading, up to the next of the
// same depth.
func sectionOf(t *testing.T, page, heading string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, below, found := strings.Cut(string(text), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("%s has no section %q", page, heading)
	}
	below, _, _ = strings.Cut(below, "\n## ")
	return below
}

// routesIn lists the routes that a text names.
func routesIn(text string) (routes []string) {
	for _, span := range routeSpan.FindAllStringSubmatch(text, -1) {
		routes = append(routes, span[1])
	}
	return routes
}

// checkIn reports what of a list another one, called where, has not.
func checkIn(t *testing.T, list []string, where string, other []string) {
	t.Helper()
	for _, r := range list {
		if !slices.Contains(other, r) {
			t.Errorf("%s should be in %s, and is not", r, where)
		}
	}
}

// The routes that the gateway serves are those of the documents and those that
// the page lists; those that the page calls not built yet are answered as any
// other that does not exist.
func TestDeparturesOfRoutes(t *testing.T) {
	t.Parallel()
	beyond, notYet := routesIn(sectionOf(t, departures, "Routes beyond the documents")), routesIn(sectionOf(t, departures, "Not built yet"))
	notYet = slices.DeleteFunc(notYet, func(r string) bool { return r == "GET /health" }) // which the section says is there
	checkIn(t, unbuilt, departures+", not built yet", notYet)
	checkIn(t, notYet, "unbuilt of this test", unbuilt)
	url := serveWindie(t)
	served := routesServed(t, url)
	checkIn(t, served, departures+", routes beyond the documents, or documented of this test", slices.Concat(documented, beyond))
	checkIn(t, slices.Concat(documented, beyond), "the API document", served)
	for _, r := range unbuilt {
		method, at, _ := strings.Cut(r, " ")
		status, body := exchange(t, method, url+inBraces.ReplaceAllString(at, "x"))
		if status != http.StatusNotFound || !strings.Contains(body, `"NOT_FOUND"`) {
			t.Errorf("%s is answered with %d %s; want 404 NOT_FOUND, as it is not built yet", r, status, body)
		}
	}
}

// The messages of /ws and the events of streams that no document has stand on
// the page, and so do those of the documents that are not sent.
func TestDeparturesOfEvents(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(departures)
	if err != nil {
		t.Fatal(err)
	}
	events := eventsOf(t)
	for _, e := range documentedEvents {
		if !slices.Contains(events, e) {
			t.Errorf("sdkapi has no message or event %s, which a document has", e)
		}
	}
	for _, e := range slices.Concat(events, unbuiltEvents) {
		if !slices.Contains(documentedEvents, e) && !strings.Contains(string(text), "`"+e+"`") {
			t.Errorf("%s does not tell of %s", departures, e)
		}
	}
	for _, e := range unbuiltEvents {
		if slices.Contains(events, e) {
			t.Errorf("sdkapi has %s, which %s calls not built yet", e, departures)
		}
	}
}

// eventsOf lists the messages of /ws and the events of streams, by the constants
// of sdkapi.
func eventsOf(t *testing.T) (events []string) {
	t.Helper()
	source := sources{}
	for name, e := range source.constants("sdkapi") {
		if !strings.HasPrefix(name, "WS") && !strings.HasPrefix(name, "Event") {
			continue
		}
		value, err := source.eval("sdkapi", e)
		if err == nil && value.Kind() == constant.String && !strings.HasPrefix(constant.StringVal(value), "/") {
			events = append(events, constant.StringVal(value))
		}
	}
	if len(events) < 40 {
		t.Fatalf("sdkapi has only %d messages and events", len(events))
	}
	slices.Sort(events)
	return slices.Compact(events)
}

// serveWindie runs the whole program, with no settings of whoever runs the test,
// until the test ends, and returns its URL.
func serveWindie(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "windie")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./cmd/windie").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), program, "serve")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "WINDIE_DATA_DIR=" + t.TempDir(), "WINDIE_LISTEN=127.0.0.1:0"}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() })
	var said strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if m := readyAt.FindStringSubmatch(lines.Text()); m != nil {
			go func() { _, _ = io.Copy(io.Discard, out) }() // or its pipe would be full
			return m[1]
		}
		said.WriteString(lines.Text() + "\n")
	}
	t.Fatalf("windie serve does not say that it is ready:\n%s", said.String())
	return ""
}

// routesServed lists the routes of a gateway's API document: one for the calls
// of all tools.
func routesServed(t *testing.T, url string) (routes []string) {
	t.Helper()
	_, body := exchange(t, http.MethodGet, url+"/openapi.json")
	var doc struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		t.Fatal(err)
	}
	for at, methods := range doc.Paths {
		for method := range methods {
			if r := strings.ToUpper(method) + " " + at; !ofOneTool.MatchString(r) {
				routes = append(routes, r)
			}
		}
	}
	return routes
}

// exchange sends a request without a body.
func exchange(t *testing.T, method, url string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

var (
	linkSpan    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headingLine = regexp.MustCompile(`(?m)^#+ (.*)$`)
	codeBlock   = regexp.MustCompile("(?ms)^```.*?^```$")
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// anchors lists the anchors of a page in Markdown.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for _, h := range headingLine.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		found[anchorOf(h[1])] = true
	}
	return found
}

// anchorOf returns the anchor of a heading in Markdown.
func anchorOf(heading string) string {
	return strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// The links of the README and the guides lead to files, and to headings, that
// there are.
func TestLinksOfGuides(t *testing.T) {
	t.Parallel()
	guides, err := filepath.Glob("docs/*.md")
	if err != nil || len(guides) < 10 {
		t.Fatalf("docs has %d guides, %v", len(guides), err)
	}
	for _, guide := range append(guides, "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "RATIONALE.md", "RELEASE.md", "SECURITY.md") {
		guide = filepath.ToSlash(guide)
		text, err := os.ReadFile(guide)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range linkSpan.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(text), ""), -1) {
			checkLink(t, guide, link[1])
		}
	}
}

// checkLink reports a link of a guide that leads nowhere in the repository.
func checkLink(t *testing.T, guide, link string) {
	t.Helper()
	if strings.Contains(link, "://") {
		return
	}
	name, anchor, anchored := strings.Cut(link, "#")
	at := path.Join(path.Dir(guide), name)
	if name == "" {
		at = guide
	}
	info, err := os.Stat(at)
	if err != nil {
		t.Errorf("%s: the link %s leads to no file", guide, link)
		return
	}
	if !anchored || info.IsDir() {
		return
	}
	text, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	if !anchors(string(text))[anchor] {
		t.Errorf("%s: the link %s leads to no heading", guide, link)
	}
}

// The page is found from the README and from the guide of each protocol.
func TestDeparturesAreLinked(t *testing.T) {
	t.Parallel()
	for guide, link := range map[string]string{
		"README.md": "(docs/departures.md", "docs/ws.md": "(departures.md", "docs/prompts.md": "(departures.md", "docs/general.md": "(departures.md",
		"docs/mcp.md": "(departures.md", "docs/tools.md": "(departures.md",
	} {
		t.Run(guide, func(t *testing.T) {
			text, err := os.ReadFile(guide)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), link) {
				t.Errorf("%s does not link to %s", guide, departures)
			}
		})
	}
}
