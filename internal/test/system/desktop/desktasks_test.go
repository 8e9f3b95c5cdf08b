//go:build system && !race

package desktop_test

import (
	"cmp"
	"fmt"
	"image"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/windieos/windie/client/computer/x11"
	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
)

// deskTask is a task of testdata/desk/tasks.yaml.
type deskTask struct {
	Name   string            `yaml:"name"`
	Sample bool              `yaml:"sample"` // whether each run of the tests carries the task out
	Held   bool              `yaml:"held"`   // whether nobody looks at the task to tune what carries it out
	Start  []string          `yaml:"start"`
	Shows  string            `yaml:"shows"` // once the program has begun
	File   map[string]string `yaml:"file"`
	From   map[string]string `yaml:"from"` // copies of files of testdata/desk
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
	There     string `yaml:"there"`
	Gone      string `yaml:"gone"`
	Setting   string `yaml:"setting"`
	Clipboard string `yaml:"clipboard"`
	Site      string `yaml:"site"`
}

// deskResult is what came of a task through a door.
type deskResult struct {
	held, done    bool
	clicks, wrong int
	refused       []string
	clicked       []stepTime // steps that clicked
	keyed         []stepTime // those that typed or pressed keys alone
	why           string
}

// TestDeskTasks carries out tasks on a real desktop through /ws, as a remote tool host and through MCP, and prints what came
// of them. A few run in every test, and all with WINDIE_DESK=1, as `make test-system PART=desk` does; WINDIE_DESK=NAME chooses those whose
// name has that. WINDIE_DESK_TASKS is another folder with tasks. With WINDIE_DESK_TREE=off the programs have no accessibility bus.
func TestDeskTasks(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(deskFolder(), "tasks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var tasks []deskTask
	if err := yaml.Unmarshal(text, &tasks); err != nil {
		t.Fatal(err)
	}
	chosen := os.Getenv("WINDIE_DESK")
	tasks = slices.DeleteFunc(tasks, func(task deskTask) bool {
		return chosen == "" && !task.Sample || len(chosen) > 1 && !strings.Contains(task.Name, chosen)
	})
	url := rig.Serve(t)
	for _, door := range []string{doorDesktop, doorToolHost, doorMCP} {
		var results []deskResult
		for _, task := range tasks {
			t.Run(door+" "+task.Name, func(t *testing.T) {
				r := carryOutTask(t, door, url, task)
				results = append(results, r)
				t.Logf("done: %v", r.done)
				if !r.held {
					t.Logf("refused: %q; %s", r.refused, r.why)
				}
				if !r.done && chosen == "" {
					t.Error("a simple task is not done")
				}
			})
		}
		printDesk(t, door, "", results, func(deskResult) bool { return true })
		if door == doorDesktop {
			t.Logf("%s: the gateway read a screen in %s, and wrote a batch of events in %s", door, meanOf(t, url, "windie_ocr_read_duration_seconds"), meanOf(t, url, "windie_journal_append_duration_seconds"))
		}
		if chosen == "1" {
			printDesk(t, door, ", open", results, func(r deskResult) bool { return !r.held })
			printDesk(t, door, ", held", results, func(r deskResult) bool { return r.held })
		}
	}
}

// deskFolder returns the folder with the tasks and their files.
func deskFolder() string { return cmp.Or(os.Getenv("WINDIE_DESK_TASKS"), "testdata/desk") }

// printDesk counts what came of tasks through a door.
func printDesk(t *testing.T, door, which string, results []deskResult, counts func(deskResult) bool) {
	t.Helper()
	var done, tasks, clicks, wrong, refused int
	var clicked, keyed []stepTime
	for _, r := range results {
		if !counts(r) {
			continue
		}
		if tasks++; r.done {
			done++
		}
		clicks, wrong, refused = clicks+r.clicks, wrong+r.wrong, refused+len(r.refused)
		clicked, keyed = append(clicked, r.clicked...), append(keyed, r.keyed...)
	}
	all := slices.Concat(clicked, keyed)
	t.Logf("%s%s: %d of %d tasks done; %d steps done and %d refused; %d clicks, of which %d were wrong; until it was sent, a step took %v at the median and %v at the ninth of ten, a click %v and %v",
		door, which, done, tasks, len(all), refused, clicks, wrong, sentWithin(all, .5), sentWithin(all, .9), sentWithin(clicked, .5), sentWithin(clicked, .9))
	t.Logf("%s%s: a click: %s", door, which, partsOf(clicked))
}

// meanOf returns the mean of a histogram of a gateway's metrics, and of how many times.
func meanOf(t *testing.T, url, name string) string {
	t.Helper()
	figure := map[string]float64{}
	for line := range strings.Lines(textAt(t, url+"/metrics")) {
		for _, part := range []string{"_sum", "_count"} {
			if rest, ok := strings.CutPrefix(line, name+part); ok {
				n, _ := strconv.ParseFloat(rest[strings.LastIndexByte(rest[:len(rest)-1], ' ')+1:len(rest)-1], 64) // what is no number counts nothing
				figure[part] += n
			}
		}
	}
	return fmt.Sprintf("%.0f ms (%.0f times)", 1000*figure["_sum"]/max(figure["_count"], 1), figure["_count"])
}

// sentWithin returns a quantile of the times until a click or keys were sent.
func sentWithin(steps []stepTime, q float64) time.Duration {
	var list []time.Duration
	for _, s := range steps {
		list = append(list, s.sent())
	}
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[min(int(float64(len(list))*q), len(list)-1)].Round(time.Millisecond)
}

// partsOf returns the median of each part of steps.
func partsOf(steps []stepTime) string {
	var parts []string
	for _, part := range []string{"protocol", "look", "upload", "gateway", "find", "check", "act", "settle", "compare"} {
		var list []float64
		for _, s := range steps {
			if ms, ok := s[part]; ok {
				list = append(list, ms)
			}
		}
		if slices.Sort(list); len(list) > 0 {
			parts = append(parts, fmt.Sprintf("%s %.0f ms", part, list[len(list)/2]))
		}
	}
	return strings.Join(parts, ", ")
}

// carryOutTask carries out a task on a desk of its own.
func carryOutTask(t *testing.T, door, url string, task deskTask) (r deskResult) {
	r.held = task.Held
	desk := testkit.NewDesk(t, 1280, 800)
	if os.Getenv("WINDIE_DESK_TREE") != "off" {
		desk.WithAccess()
	}
	site, orders := deskSite(t)
	fill := strings.NewReplacer("{home}", desk.Home, "{site}", site)
	layOut(t, desk, task)
	display, err := x11.Open(desk.Display)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(display.Close)
	if err := display.Move(t.Context(), image.Pt(2, 2)); err != nil { // no tooltip comes up
		t.Fatal(err)
	}
	startTask(t, desk, display, task, fill)
	looks := mcpComputer(t, desk)
	d := openDoor(t, door, url, desk, looks)
	if task.Shows != "" && !looks.shows(t, task.Shows, 45*time.Second) {
		r.why = fmt.Sprintf("the program does not show %q", task.Shows)
		return r
	}
	if _, err := display.Settle(t.Context(), 500*time.Millisecond, 10*time.Second); err != nil { // its layout may still change
		t.Fatal(err)
	}
	for _, step := range task.Steps {
		step.Say = fill.Replace(step.Say)
		if !r.carryOut(t, d, looks, step) {
			break // an agent would not go on either
		}
	}
	for began := time.Now(); time.Since(began) < 4*time.Second && !r.done; {
		r.done = holds(t, desk, display, task.Check, orders)
	}
	if !r.done {
		text, _ := os.ReadFile(filepath.Join(desk.Home, cmp.Or(task.Check.File, ".config/glib-2.0/settings/keyfile"))) // if there is one
		r.why += fmt.Sprintf("the check %+v does not hold: …%q", task.Check, text[max(0, len(text)-3000):])
		if !r.held {
			keepScreen(t, display, door+" "+task.Name)
		}
	}
	return r
}

// carryOut carries out a step, and reports whether it was not refused.
func (r *deskResult) carryOut(t *testing.T, d deskDoor, looks *mcpDoor, step deskStep) bool {
	t.Helper()
	took, refused := d.say(t, step.Say)
	click := strings.Contains(step.Say, "click ") || strings.Contains(step.Say, " into ")
	switch {
	case refused != "":
		r.refused = append(r.refused, step.Say+": "+refused)
		return false
	case click:
		r.clicks++
		r.clicked = append(r.clicked, took)
	default:
		r.keyed = append(r.keyed, took)
	}
	if step.Shows != "" && !looks.shows(t, step.Shows, 3*time.Second) {
		r.why += fmt.Sprintf("%q does not show after %q; ", step.Shows, step.Say)
		if click {
			r.wrong++
		}
	}
	return true
}

// keepScreen writes a picture of the screen into the folder of WINDIE_DESK_PICTURES, if that is set.
func keepScreen(t *testing.T, display *x11.Display, name string) {
	t.Helper()
	dir := os.Getenv("WINDIE_DESK_PICTURES")
	if dir == "" {
		return
	}
	frame, err := display.Capture(image.Rectangle{})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, strings.NewReplacer("/", "", " ", "-").Replace(name)+".png"), frame.PNG(), 0o600)
	}
	if err != nil {
		t.Log(err)
	}
}

// deskSite serves the pages of testdata/desk/site, and notes which forms are sent.
func deskSite(t *testing.T) (url string, orders chan string) {
	t.Helper()
	orders = make(chan string, 10)
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir("testdata/desk/site")))
	mux.HandleFunc("/order", func(w http.ResponseWriter, r *http.Request) {
		orders <- r.URL.RawQuery
		fmt.Fprint(w, "<h1>Thank you</h1>")
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	return site.URL, orders
}

// layOut writes the task's files.
func layOut(t *testing.T, desk *testkit.Desk, task deskTask) {
	t.Helper()
	files := map[string]string{}
	for name, content := range task.File {
		files[name] = content
	}
	for name, from := range task.From {
		content, err := os.ReadFile(filepath.Join(deskFolder(), from))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(content)
	}
	for name, content := range files {
		path := filepath.Join(desk.Home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// startTask starts the task's program and gives it the keyboard focus.
func startTask(t *testing.T, desk *testkit.Desk, display *x11.Display, task deskTask, fill *strings.Replacer) {
	t.Helper()
	if _, err := exec.LookPath(task.Start[0]); err != nil {
		testkit.Skip(t, "the program "+task.Start[0], "make deps-system, or scripts/deps.sh desk")
	}
	var args []string
	for _, arg := range task.Start[1:] {
		args = append(args, fill.Replace(arg))
	}
	desk.Start(task.Start[0], args...)
	w := testkit.EventuallyWithin(t, time.Minute, "the program's window", func() (x11.Window, bool) {
		list, err := display.Windows()
		return slices.Concat(list, []x11.Window{{}})[0], err == nil && len(list) > 0
	})
	if err := display.Activate(t.Context(), w.ID); err != nil {
		t.Log(err) // LibreOffice opens a window that goes away again
	}
	if _, err := display.Settle(t.Context(), 300*time.Millisecond, 10*time.Second); err != nil {
		t.Fatal(err)
	}
}

// holds reports whether a task has left what it should.
func holds(t *testing.T, desk *testkit.Desk, display *x11.Display, c deskCheck, orders chan string) bool {
	t.Helper()
	there := func(name string) bool {
		_, err := os.Stat(filepath.Join(desk.Home, name))
		return err == nil
	}
	switch {
	case c.File != "":
		text, err := os.ReadFile(filepath.Join(desk.Home, c.File))
		return err == nil && strings.Contains(string(text), c.Has) && (c.Not == "" || !strings.Contains(string(text), c.Not))
	case c.There != "":
		return there(c.There) && (c.Gone == "" || !there(c.Gone))
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
