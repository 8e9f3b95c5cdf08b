//go:build system

package desktop_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer"
	"github.com/windieos/windie/client/computer/desktop"
	"github.com/windieos/windie/client/worker"
	"github.com/windieos/windie/internal/test/system/rig"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/perception/reader"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// Doors of a desk.
const (
	doorDesktop  = "/ws"
	doorToolHost = "tool host"
	doorMCP      = "mcp"
)

// deskDoor says a step in its way, and reports where its time went, and why it was refused, if it was.
type deskDoor interface {
	say(t *testing.T, words string) (took stepTime, refused string)
}

// stepTime is where the time of a step went: from its beginning until the click or the keys were sent, in parts, in
// milliseconds.
type stepTime map[string]float64

// sent returns the time until the click or the keys were sent.
func (s stepTime) sent() time.Duration {
	all := 0.0
	for part, ms := range s {
		if part != "settle" && part != "compare" {
			all += ms
		}
	}
	return time.Duration(all * float64(time.Millisecond))
}

// addTook adds what a tool of the screen says of its time.
func (s stepTime) addTook(structured any) {
	raw, err := json.Marshal(structured)
	var answer struct {
		Took map[string]float64 `json:"took_ms"`
	}
	if err != nil || json.Unmarshal(raw, &answer) != nil {
		return
	}
	for part, ms := range answer.Took {
		s[part] += ms
	}
}

// openDoor opens a door to a desk. url is the gateway of the doors that need one; looks sees the desk.
func openDoor(t *testing.T, door, url string, desk *testkit.Desk, looks *mcpDoor) deskDoor {
	t.Helper()
	if door == doorMCP {
		return looks
	}
	scenes := perception.NewScenes(reader.New(reader.Config{Kernel: testkit.Kernel()}), perception.Options{})
	opts := computer.Options{Root: desk.Home, Screen: true, Finder: query.New(scenes, nil), Display: desk.Display}
	machine, err := computer.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = machine.Close() })
	if door == doorToolHost {
		return openToolHost(t, url, machine)
	}
	d := &wsDoor{}
	d.talk, err = worker.NewTalk(worker.Options{
		URL: url, Tools: timedTools(t, &d.step, append(desktop.Tools(machine, opts), machine.Tools()...)), Log: slog.New(slog.DiscardHandler),
		Desk: &worker.Desk{Names: desktop.Names(), State: func() any { return desktop.State(machine) }},
	}, worker.TalkOptions{
		Conversation: uuid.NewString(), Hear: d.hear,
		Look: func(ctx context.Context) ([]byte, error) {
			began := time.Now()
			png, err := desktop.Look(ctx, machine)
			d.step.add("look", time.Since(began))
			return png, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// step is a step under way.
type step struct {
	mu     sync.Mutex
	began  time.Time
	took   stepTime
	failed string
}

func (s *step) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.began, s.took, s.failed = time.Now(), stepTime{}, ""
}

func (s *step) add(part string, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.took[part] += float64(took.Microseconds()) / 1000
}

// called notes that the first call has come: what is not named until then took the gateway.
func (s *step) called() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, again := s.took["gateway"]; again {
		return
	}
	until := float64(time.Since(s.began).Microseconds()) / 1000
	s.took["gateway"] = until - s.took["look"] - s.took["upload"]
}

func (s *step) end() (stepTime, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.took, s.failed
}

// timedTool notes where the time of its calls went.
type timedTool struct {
	agent.Tool

	step *step
}

func (d timedTool) Call(ctx context.Context, call agent.Call) (agent.Result, error) {
	result, err := d.Tool.Call(ctx, call)
	d.step.mu.Lock()
	defer d.step.mu.Unlock()
	d.step.took.addTook(result.Structured)
	return result, err
}

func timedTools(t *testing.T, s *step, list []agent.Tool) agent.View {
	t.Helper()
	tools := agent.NewRegistry()
	for _, tool := range list {
		if err := tools.Register(timedTool{tool, s}); err != nil {
			t.Fatal(err)
		}
	}
	return tools.View()
}

// wsDoor says steps to the agent of a gateway.
type wsDoor struct {
	talk *worker.Talk
	step step
}

func (d *wsDoor) hear(m sdkapi.WSMessage) {
	switch m.Type {
	case sdkapi.WSToolCall, sdkapi.WSToolBundle:
		d.step.called()
	case sdkapi.WSToolOutput:
		var p sdkapi.WSToolOutputPayload
		if json.Unmarshal(m.Payload, &p) == nil && !p.Success {
			d.step.mu.Lock()
			d.step.failed = p.Output
			d.step.mu.Unlock()
		}
	}
}

func (d *wsDoor) say(t *testing.T, words string) (stepTime, string) {
	t.Helper()
	d.step.begin()
	var asked time.Time // to keep a picture
	uploaded := false
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		GetConn: func(string) { asked = time.Now() },
		WroteHeaderField: func(key string, _ []string) {
			uploaded = uploaded || key == "Upgrade" // the socket: the picture is there already
		},
		GotFirstResponseByte: func() {
			if !uploaded {
				uploaded = true
				d.step.add("upload", time.Since(asked))
			}
		},
	})
	if _, err := d.talk.Ask(ctx, words); err != nil && !errors.Is(err, worker.ErrNotDone) {
		t.Fatal(err)
	}
	return d.step.end()
}

// hostDoor says steps to the agent of a remote tool host.
type hostDoor struct {
	host  *sdk.Host
	tools agent.View
	step  step
	done  chan struct{}
}

// openToolHost serves a session with the tools that see what they click.
func openToolHost(t *testing.T, url string, machine *computer.Computer) *hostDoor {
	t.Helper()
	d := &hostDoor{done: make(chan struct{}, 1)}
	d.tools = timedTools(t, &d.step, machine.Tools())
	client, err := sdk.New(url)
	if err != nil {
		t.Fatal(err)
	}
	var manifest []sdk.HostTool
	list, _ := d.tools.List()
	for _, one := range list {
		manifest = append(manifest, sdk.HostTool{Name: agent.ModelName(one.Name), Description: one.Description, Parameters: one.Input, Risk: string(one.Risk)})
	}
	d.host, err = client.ToolHosts.Open(t.Context(), sdk.HostOptions{Tools: manifest, Run: d.run, Heard: d.hear, OS: "Linux"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- d.host.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	return d
}

func (d *hostDoor) run(ctx context.Context, call sdk.HostCall) sdk.HostResult {
	d.step.called()
	tool, _ := d.tools.Named(call.Name)
	result, err := d.tools.Invoke(ctx, tool.Name, agent.Call{ID: call.ID, Arguments: call.Arguments})
	if err != nil {
		result = agent.Result{IsError: true, Content: []agent.Part{agent.Text(err.Error())}}
	}
	text := ""
	for _, part := range result.Content {
		text += part.Text
	}
	if result.IsError {
		d.step.mu.Lock()
		d.step.failed = text
		d.step.mu.Unlock()
	}
	return sdk.HostResult{Output: text, IsError: result.IsError}
}

func (d *hostDoor) hear(m sdkapi.AgentMessage) {
	if _, ok := m.(*sdkapi.AgentDoneMessage); ok {
		d.done <- struct{}{}
	}
}

func (d *hostDoor) say(t *testing.T, words string) (stepTime, string) {
	t.Helper()
	d.step.begin()
	d.host.Say(words)
	select {
	case <-d.done:
	case <-time.After(time.Minute):
		t.Fatalf("nothing came of %q within a minute", words)
	}
	return d.step.end()
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
	var complaint rig.Output
	ended := make(chan int, 1)
	environ := []string{"WINDIE_DATA_DIR=" + t.TempDir(), "WINDIE_POLICY_FILE=" + rules}
	go func() {
		ended <- rig.Run(context.Background(), []string{"mcp", "--computer", "--dir", desk.Home, "--display", desk.Display}, environ, in, out, &complaint)
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

// call calls a tool, and returns where its time went: what the tool does not name is the protocol's.
func (d *mcpDoor) call(t *testing.T, name string, in map[string]any) (took stepTime, failed string) {
	t.Helper()
	began := time.Now()
	result, err := d.session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: in})
	if err != nil {
		t.Fatal(err)
	}
	whole := float64(time.Since(began).Microseconds()) / 1000
	took = stepTime{}
	took.addTook(result.StructuredContent)
	for _, ms := range took {
		whole -= ms
	}
	took["protocol"] = whole
	if !result.IsError {
		return took, ""
	}
	text, _ := result.Content[0].(*mcp.TextContent)
	return took, cmp.Or(text.Text, "failed")
}

func (d *mcpDoor) shows(t *testing.T, text string, limit time.Duration) bool {
	t.Helper()
	_, failed := d.call(t, "screen_wait", map[string]any{"text": text, "seconds": int(limit.Seconds())})
	return failed == ""
}

// say says plain words to the tool that carries them out.
func (d *mcpDoor) say(t *testing.T, words string) (stepTime, string) {
	t.Helper()
	return d.call(t, "screen_do", map[string]any{"say": words})
}
