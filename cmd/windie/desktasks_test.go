package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.yaml.in/yaml/v3"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/computer"
	"github.com/windieos/windie/computer/desktop"
	"github.com/windieos/windie/computer/x11"
	"github.com/windieos/windie/internal/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/worker"
)

// deskTask is a task of testdata/desk/tasks.yaml.
type deskTask struct {
	Name   string            `yaml:"name"`
	Sample bool              `yaml:"sample"` // whether each run of the tests carries the task out
	Start  []string          `yaml:"start"`
	Shows  string            `yaml:"shows"` // once the program has begun
	File   map[string]string `yaml:"file"`
	Steps  []deskStep        `yaml:"steps"`
	Check  deskCheck         `yaml:"check"`
}

type deskStep struct {
	Say   string `yaml:"say"`
	Shows string `yaml:"shows"`
}

// UnmarshalYAML reads a step, which may be its words alone.
func (s *deskStep) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		return node.Decode(&s.Say)
	}
	type plainStep deskStep
	return node.Decode((*plainStep)(s))
}

type deskCheck struct {
	File      string `yaml:"file"`
	Has       string `yaml:"has"`
	Not       string `yaml:"not"`
	Setting   string `yaml:"setting"`
	Clipboard string `yaml:"clipboard"`
	Site      string `yaml:"site"`
}

// deskResult is what came of a task through a door.
type deskResult struct {
	done          bool
	clicks, wrong int
	refused       []string
	steps         []time.Duration // whole, until the answer
	until         []time.Duration // until the call comes to this machine; of /ws alone
	why           string
}

// deskDoor says a step in its way, and reports why it was refused, if it was.
type deskDoor interface {
	say(t *testing.T, words string) (refused string)
	shows(t *testing.T, text string, limit time.Duration) bool
}

// TestDeskTasks carries out tasks on a real desktop through /ws and MCP, and prints what came of them. A few run in every
// test, and all with WINDIE_DESK=1, as `make desk` does.
func TestDeskTasks(t *testing.T) {
	text, err := os.ReadFile("testdata/desk/tasks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var tasks []deskTask
	if err := yaml.Unmarshal(text, &tasks); err != nil {
		t.Fatal(err)
	}
	all := os.Getenv("WINDIE_DESK") != ""
	if !all {
		tasks = slices.DeleteFunc(tasks, func(task deskTask) bool { return !task.Sample })
	}
	results := map[string][]deskResult{}
	for _, door := range []string{"/ws", "mcp"} {
		for _, task := range tasks {
			t.Run(door+" "+task.Name, func(t *testing.T) {
				r := carryOutTask(t, door, task)
				results[door] = append(results[door], r)
				if !r.done {
					t.Logf("not done: %s; refused: %q", r.why, r.refused)
				}
				if !r.done && !all {
					t.Error("a simple task is not done")
				}
			})
		}
	}
	for _, door := range slices.Sorted(maps.Keys(results)) {
		t.Log(summary(door, results[door]))
	}
}

// summary counts what came of tasks.
func summary(door string, list []deskResult) string {
	var done, clicks, wrong, refused int
	var steps, until []time.Duration
	for _, r := range list {
		if r.done {
			done++
		}
		clicks, wrong, refused = clicks+r.clicks, wrong+r.wrong, refused+len(r.refused)
		steps, until = append(steps, r.steps...), append(until, r.until...)
	}
	line := fmt.Sprintf("%s: %d of %d tasks done; %d steps, %d of them clicks, of which %d were wrong; %d refused; a step takes %v at the median",
		door, done, len(list), len(steps), clicks, wrong, refused, median(steps))
	if len(until) > 0 {
		line += fmt.Sprintf(", %v of it until the call is here", median(until))
	}
	return line
}

func median(list []time.Duration) time.Duration {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)/2].Round(time.Millisecond)
}

// carryOutTask carries out a task on a desk of its own.
func carryOutTask(t *testing.T, door string, task deskTask) (r deskResult) {
	desk := testkit.NewDesk(t, 1280, 800)
	orders := make(chan string, 10)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/order" {
			orders <- r.URL.RawQuery
			fmt.Fprint(w, "<h1>Thank you</h1>")
			return
		}
		fmt.Fprint(w, `<title>Shop</title><h1>Delivery address</h1><form action=/order><p><label>Your name <input name=name></label></p><p><label><input type=checkbox name=gift> Gift wrap</label></p><button>Place order</button></form>`)
	}))
	t.Cleanup(site.Close)
	fill := strings.NewReplacer("{home}", desk.Home, "{site}", site.URL)
	for name, content := range task.File {
		if err := os.WriteFile(filepath.Join(desk.Home, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	display, err := x11.Open(desk.Display)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(display.Close)
	startTask(t, desk, display, task, fill)
	d := openDoor(t, door, desk)
	if task.Shows != "" && !d.shows(t, task.Shows, 30*time.Second) {
		t.Fatalf("the program does not show %q", task.Shows)
	}
	for _, step := range task.Steps {
		click := strings.Contains(step.Say, "click")
		began := time.Now()
		refused := d.say(t, fill.Replace(step.Say))
		r.steps = append(r.steps, time.Since(began))
		if ws, ok := d.(*wsDoor); ok && ws.called > 0 {
			r.until = append(r.until, ws.called)
		}
		if refused != "" {
			r.refused = append(r.refused, step.Say+": "+refused)
		}
		if click && refused == "" {
			r.clicks++
		}
		if step.Shows != "" && refused == "" && !d.shows(t, step.Shows, 3*time.Second) {
			r.wrong++
			r.why += fmt.Sprintf("%q does not show after %q; ", step.Shows, step.Say)
		}
	}
	for began := time.Now(); time.Since(began) < 3*time.Second && !r.done; {
		r.done = holds(t, desk, display, task.Check, orders)
	}
	if !r.done {
		text, _ := os.ReadFile(filepath.Join(desk.Home, cmp.Or(task.Check.File, ".config/glib-2.0/settings/keyfile"))) // if there is one
		r.why += fmt.Sprintf("the check %+v does not hold: %q", task.Check, text)
	}
	return r
}

// startTask starts the task's program and gives it the keyboard.
func startTask(t *testing.T, desk *testkit.Desk, display *x11.Display, task deskTask, fill *strings.Replacer) {
	t.Helper()
	if _, err := exec.LookPath(task.Start[0]); err != nil {
		testkit.Skip(t, "the program "+task.Start[0], "make deps, or scripts/deps.sh desk")
	}
	var args []string
	for _, arg := range task.Start[1:] {
		args = append(args, fill.Replace(arg))
	}
	desk.Start(task.Start[0], args...)
	w := testkit.Eventually(t, "the program's window", func() (x11.Window, bool) {
		list, err := display.Windows()
		return slices.Concat(list, []x11.Window{{}})[0], err == nil && len(list) > 0
	})
	if err := display.Activate(t.Context(), w.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := display.Settle(t.Context(), 300*time.Millisecond, 10*time.Second); err != nil {
		t.Fatal(err)
	}
}

// holds reports whether a task has left what it should.
func holds(t *testing.T, desk *testkit.Desk, display *x11.Display, c deskCheck, orders chan string) bool {
	t.Helper()
	switch {
	case c.File != "":
		text, err := os.ReadFile(filepath.Join(desk.Home, c.File))
		return err == nil && strings.Contains(string(text), c.Has) && (c.Not == "" || !strings.Contains(string(text), c.Not))
	case c.Setting != "":
		text, err := os.ReadFile(filepath.Join(desk.Home, ".config/glib-2.0/settings/keyfile"))
		return err == nil && strings.Contains(string(text), c.Setting)
	case c.Clipboard != "":
		text, err := display.ReadClipboard(t.Context())
		return err == nil && strings.TrimSpace(text) == c.Clipboard
	}
	select {
	case order := <-orders:
		return strings.Contains(order, c.Site)
	case <-time.After(time.Second):
		return false
	}
}

// openDoor opens a door to a desk. Both read the screen with the gateway's settings.
func openDoor(t *testing.T, door string, desk *testkit.Desk) deskDoor {
	t.Helper()
	client := mcpComputer(t, desk)
	if door == "mcp" {
		return client
	}
	opts := computer.Options{Root: desk.Home, Screen: true, Display: desk.Display}
	machine, err := computer.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = machine.Close() })
	tools := agent.NewRegistry()
	for _, tool := range desktop.Tools(machine, opts) {
		if err := tools.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	d := &wsDoor{eyes: client}
	d.talk, err = worker.NewTalk(worker.Options{
		URL: serveForTest(t), Tools: tools.View(), Log: slog.New(slog.DiscardHandler),
		Desk: &worker.Desk{Names: desktop.Names(), State: func() any { return desktop.State(machine) }},
	}, worker.TalkOptions{
		Conversation: uuid.NewString(), Hear: d.hear,
		Look: func(context.Context) ([]byte, error) { return desktop.Look(machine) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// wsDoor says steps to the agent of a gateway.
type wsDoor struct {
	talk *worker.Talk
	eyes *mcpDoor // that look, and do nothing

	mu     sync.Mutex
	began  time.Time
	called time.Duration // until the first call of the step came
	failed string
}

func (d *wsDoor) hear(m sdkapi.WSMessage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch m.Type {
	case sdkapi.WSToolCall, sdkapi.WSToolBundle:
		if d.called == 0 {
			d.called = time.Since(d.began)
		}
	case sdkapi.WSToolOutput:
		var p sdkapi.WSToolOutputPayload
		if json.Unmarshal(m.Payload, &p) == nil && !p.Success {
			d.failed = p.Output
		}
	}
}

func (d *wsDoor) say(t *testing.T, words string) string {
	t.Helper()
	d.mu.Lock()
	d.began, d.called, d.failed = time.Now(), 0, ""
	d.mu.Unlock()
	if _, err := d.talk.Ask(t.Context(), words); err != nil {
		t.Fatal(err)
	}
	return d.failed
}

func (d *wsDoor) shows(t *testing.T, text string, limit time.Duration) bool {
	t.Helper()
	return d.eyes.shows(t, text, limit)
}

// mcpDoor calls the tools of `windie mcp --computer`.
type mcpDoor struct{ session *mcp.ClientSession }

func mcpComputer(t *testing.T, desk *testkit.Desk) *mcpDoor {
	t.Helper()
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(rules, []byte("- {tool: \"screen_*\", verdict: allow}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	in, toProgram := io.Pipe()
	fromProgram, out := io.Pipe()
	var complaint output
	ended := make(chan int, 1)
	environ := []string{"WINDIE_DATA_DIR=" + t.TempDir(), "WINDIE_POLICY_FILE=" + rules}
	go func() {
		ended <- run(context.Background(), []string{"mcp", "--computer", "--dir", desk.Home, "--display", desk.Display}, environ, in, out, &complaint)
		_ = out.Close()
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromProgram, Writer: toProgram}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		if code := <-ended; code != 0 {
			t.Errorf("%d: %s", code, complaint.String())
		}
	})
	return &mcpDoor{session}
}

func (d *mcpDoor) call(t *testing.T, name string, in map[string]any) (failed string) {
	t.Helper()
	result, err := d.session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: in})
	if err != nil {
		t.Fatal(err)
	}
	if !result.IsError {
		return ""
	}
	if text, ok := result.Content[0].(*mcp.TextContent); ok {
		return text.Text
	}
	return "failed"
}

func (d *mcpDoor) shows(t *testing.T, text string, limit time.Duration) bool {
	t.Helper()
	return d.call(t, "screen_wait", map[string]any{"text": text, "seconds": int(limit.Seconds())}) == ""
}

var deskWords = regexp.MustCompile(`^(?:(double |right )?click "?(.+?)"?|type "?(.+?)"? into (.+)|type "?(.+?)"?|press (.+))$`)

// say makes the call that a model would make of plain words.
func (d *mcpDoor) say(t *testing.T, words string) string {
	t.Helper()
	part := deskWords.FindStringSubmatch(words)
	switch {
	case part == nil:
		t.Fatalf("not understood: %s", words)
		return ""
	case part[2] != "":
		in := map[string]any{"text": part[2]}
		switch part[1] {
		case "double ":
			in["times"] = 2
		case "right ":
			in["button"] = "right"
		}
		return d.call(t, "screen_click", in)
	case part[3] != "":
		return d.call(t, "screen_type", map[string]any{"typed": part[3], "into": map[string]any{"text": part[4]}})
	case part[5] != "":
		return d.call(t, "screen_type", map[string]any{"typed": part[5]})
	}
	return d.call(t, "screen_press", map[string]any{"keys": strings.Split(part[6], "+")})
}
