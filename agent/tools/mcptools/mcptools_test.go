package mcptools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/tools/mcptools"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
)

// served are servers that are being served.
type served struct {
	*mcptools.Servers
	t        testing.TB
	registry *agent.Registry
	log      *buffer
}

// buffer is a log that may be read while it is written.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// upstream is a server of the file that is this program in a role. More are
// fields of it.
func upstream(role string, more ...string) string {
	self, _ := json.Marshal(os.Args[0])
	fields := append([]string{fmt.Sprintf(`"command":%s,"env":{%q:%q,"TOKEN":"swordfish-1234"}`, self, roleEnv, role)}, more...)
	return "{" + strings.Join(fields, ",") + "}"
}

func file(servers map[string]string) []byte {
	var entries []string
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		entries = append(entries, fmt.Sprintf("%q:%s", name, servers[name]))
	}
	return []byte(`{"mcpServers":{` + strings.Join(entries, ",") + `}}`)
}

func parse(t testing.TB, servers map[string]string) []mcptools.Spec {
	t.Helper()
	specs, err := mcptools.Parse(file(servers), os.LookupEnv)
	if err != nil {
		t.Fatalf("%v %+v", err, fault.From(err).Details)
	}
	return specs
}

// serve serves servers until the test ends.
func serve(t testing.TB, dir string, servers map[string]string, builtin ...agent.Tool) served {
	t.Helper()
	s := served{t: t, registry: agent.NewRegistry(), log: &buffer{}}
	for _, b := range builtin {
		if err := s.registry.Register(b); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	s.Servers, err = mcptools.New(mcptools.Config{
		Specs: parse(t, servers), Dir: dir, Version: "test", Log: slog.New(slog.NewTextHandler(s.log, nil)),
		StartTimeout: 20 * time.Second, Backoff: 20 * time.Millisecond, Every: 10 * time.Millisecond,
	}, s.registry)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		s.Close()
	})
	return s
}

func (s served) status(name string) mcptools.Status {
	for _, st := range s.List() {
		if st.Name == name {
			return st
		}
	}
	return mcptools.Status{}
}

// until waits for a server to be as wanted.
func (s served) until(what, name string, wanted func(mcptools.Status) bool) mcptools.Status {
	s.t.Helper()
	defer func() {
		if s.t.Failed() {
			s.t.Logf("the log:\n%s", s.log)
		}
	}()
	return testkit.Eventually(s.t, what, func() (mcptools.Status, bool) {
		st := s.status(name)
		return st, wanted(st)
	})
}

func ready(st mcptools.Status) bool { return st.State == mcptools.Ready }

func broken(st mcptools.Status) bool { return st.State == mcptools.Broken && st.Problem != "" }

func (s served) invoke(name, arguments string) (agent.Result, error) {
	s.t.Helper()
	return s.registry.Invoke(s.t.Context(), name, agent.Call{User: "ada", Arguments: json.RawMessage(arguments)})
}

func words(res agent.Result) string {
	var all []string
	for _, p := range res.Content {
		all = append(all, p.Text+p.MediaType+string(p.Data))
	}
	return strings.Join(all, "|")
}

func wantCode(t testing.TB, err error, code sdkapi.Code, told string) {
	t.Helper()
	if fault.CodeOf(err) != code || !strings.Contains(err.Error(), told) {
		t.Errorf("%v, want %s with %q", err, code, told)
	}
}

func TestToolsOfAServer(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), map[string]string{"My Files": upstream("good", `"risk":{"echo":"safe"}`)})
	st := s.until("a server", "my_files", ready)
	if len(st.Tools) < 10 || len(st.Notes) != 0 {
		t.Errorf("%+v", st)
	}
	res, err := s.invoke("my_files.echo", `{"text":"x"}`)
	if err != nil || string(res.Structured) != `{"text":"x"}` {
		t.Errorf("%+v, %v", res, err)
	}
	if res, err = s.invoke("my_files.fail", `{"n":1}`); err != nil || !res.IsError || words(res) != "there is no such thing" {
		t.Errorf("%+v, %v", res, err)
	}
	want := "words|for people|image/pngpng|[a file of 3 bytes, \"audio/wav\" , which cannot be shown]|[resource file:///a: a ]|embedded|image/pngblob"
	if res, err = s.invoke("my_files.mixed_parts", `{"n":1}`); err != nil || words(res) != want {
		t.Errorf("%s, %v", words(res), err)
	}
	_, err = s.invoke("my_files.echo", `{"text":7}`)
	wantCode(t, err, sdkapi.ValidationError, "")
	for name, risk := range map[string]agent.Risk{"my_files.echo": agent.Safe, "my_files.fail": agent.Risky} {
		t.Run(name, func(t *testing.T) {
			if d, _ := s.registry.Get(name); d.Risk != risk || d.Origin != (agent.Origin{Kind: agent.MCP, Owner: "my_files"}) {
				t.Errorf("%+v", d)
			}
		})
	}
}

// What a server says stays as it is, for clients that know it: kinds of content, annotations, metadata.
func TestContentOfServersIsPreserved(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), map[string]string{"up": upstream("good")})
	s.until("a server", "up", ready)
	res, err := s.invoke("up.mixed_parts", `{"n":1}`)
	if err != nil || string(res.Meta) != `{"trace":"t1"}` {
		t.Fatalf("%s, %v", res.Meta, err)
	}
	for i, want := range []string{
		"", `"annotations":{"audience":["user"]}`, "", `{"type":"audio","mimeType":"audio/wav","data":"d2F2"}`, `{"type":"resource_link","uri":"file:///a","name":"a"}`,
		`"resource":{"uri":"file:///b","mimeType":"text/plain","text":"embedded"}`, `"blob":"YmxvYg=="`,
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			if got := string(res.Content[i].MCP); (want == "") != (got == "") || !strings.Contains(got, want) {
				t.Errorf("part %d is %s, want %s", i, got, want)
			}
		})
	}
}

// What a server reports reaches whoever watches the call; without a watcher it is not asked for.
func TestProgressOfServers(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), map[string]string{"up": upstream("good")})
	s.until("a server", "up", ready)
	if res, err := s.invoke("up.slow", `{"n":1}`); err != nil || words(res) != "<nil>" {
		t.Errorf("nobody watches: %s, %v", words(res), err)
	}
	heard := make(chan agent.Report, 10)
	ctx := agent.WithProgress(t.Context(), func(r agent.Report) { heard <- r })
	if res, err := s.registry.Invoke(ctx, "up.slow", agent.Call{User: "ada", Arguments: json.RawMessage(`{"n":1}`)}); err != nil || words(res) != "1" {
		t.Errorf("watched: %s, %v", words(res), err)
	}
	for i, want := range []agent.Report{{Line: "1 of 4", Done: 1, Total: 4}, {Line: "2", Done: 2}, {Line: "three[2J", Done: 3}, {Output: "a\tpiece\n"}} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			select {
			case got := <-heard:
				if got != want {
					t.Errorf("heard %+v, want %+v", got, want)
				}
			default:
				t.Errorf("heard nothing, want %+v", want)
			}
		})
	}
}

// A field that a server fills in itself may be left out, though the server says that the field is required.
func TestFieldsThatServersFillIn(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), map[string]string{"up": upstream("good")})
	s.until("a server", "up", ready)
	if res, err := s.invoke("up.filled", `{}`); err != nil || string(res.Structured) != `{"text":"by itself"}` {
		t.Errorf("%+v, %v", res, err)
	}
}

// A server that says of a tool that it only reads is not believed.
func TestHintsAreNotBelieved(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), map[string]string{"up": upstream("good")})
	s.until("a server", "up", ready)
	if d, _ := s.registry.Get("up.echo"); d.Risk != agent.Risky {
		t.Errorf("%+v", d)
	}
}

func TestServersGetNoSecretsOfTheGateway(t *testing.T) {
	t.Setenv("WINDIE_OPERATOR_TOKEN", "of the gateway")
	s := serve(t, t.TempDir(), map[string]string{"up": upstream("good")})
	s.until("a server", "up", ready)
	res, err := s.invoke("up.environment", `{"n":1}`)
	if got := words(res); err != nil || strings.Contains(got, "of the gateway") || !strings.Contains(got, "swordfish-1234") || !strings.Contains(got, "PATH=") {
		t.Errorf("%v, %v", got, err)
	}
}

func TestAllowAndDeny(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), map[string]string{
		"up": upstream("good", `"allow":["m*","Mixed-Parts","echo","gone"],"deny":["many"],"risk":{"echo":"forbidden","ecko":"safe"},"autoApprove":["echo"]`),
	})
	st := s.until("a server", "up", ready)
	var names []string
	for _, tool := range st.Tools {
		names = append(names, tool.Name)
	}
	if !slices.Equal(names, []string{"up.echo", "up.mixed_parts"}) {
		t.Errorf("%q", names)
	}
	for _, note := range []string{`allow lists "gone"`, `risk lists "ecko"`, `unknown field "autoApprove"`} {
		if !slices.ContainsFunc(st.Notes, func(n string) bool { return strings.Contains(n, note) }) {
			t.Errorf("no note has %s: %q", note, st.Notes)
		}
	}
	_, err := s.invoke("up.echo", `{"text":"x"}`)
	wantCode(t, err, sdkapi.ToolForbidden, "")
	_, err = s.invoke("up.many", `{"n":1}`)
	wantCode(t, err, sdkapi.ToolNotFound, "")
}

// What the file says against a tool holds for another spelling of its name, and what it says for a tool does not.
func TestSpellingsOfNames(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), map[string]string{
		"denied":    upstream("respelled", `"deny":["echo","mixed_*"]`),
		"forbidden": upstream("respelled", `"risk":{"echo":"forbidden"}`),
		"believed":  upstream("respelled", `"risk":{"echo":"safe","Mixed-Parts":"safe","MIXED-PARTS":"risky"}`),
		"allowed":   upstream("respelled", `"allow":["echo"]`),
	})
	for name := range map[string]bool{"denied": true, "forbidden": true, "believed": true, "allowed": true} {
		s.until("a server", name, ready)
	}
	for name, want := range map[string]agent.Risk{
		"denied.echo": "", "denied.mixed_parts": "", "forbidden.echo": agent.Forbidden, "believed.echo": agent.Risky, "believed.mixed_parts": agent.Risky, "allowed.echo": "",
	} {
		t.Run(name, func(t *testing.T) {
			if d, _ := s.registry.Get(name); d.Risk != want {
				t.Errorf("%q, want %q", d.Risk, want)
			}
		})
	}
}

// A tool that takes the name of one that is known, by another spelling, is no new tool.
func TestRespelledToolsAreChanged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := serve(t, dir, map[string]string{"up": upstream("good")})
	first.until("a server", "up", ready)
	first.Close()
	second := serve(t, dir, map[string]string{"up": upstream("respelled")})
	st := second.until("a changed server", "up", func(st mcptools.Status) bool { return ready(st) && st.Changed() == 1 })
	if d, _ := second.registry.Get("up.echo"); d.Risk != agent.Forbidden {
		t.Errorf("%+v", d)
	}
	if changed, err := second.Accept("up", st.Changes); err != nil || !slices.Equal(changed, []string{"Echo"}) {
		t.Fatalf("%q, %v", changed, err)
	}
	if d, _ := second.registry.Get("up.echo"); d.Risk != agent.Risky {
		t.Errorf("accepted: %+v", d)
	}
}

// A second start has the tools at once, and starts the server with a call.
func TestKnownServersAreStartedByACall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := serve(t, dir, map[string]string{"up": upstream("good")})
	_, err := first.invoke("up.echo", `{"text":"x"}`)
	wantCode(t, err, sdkapi.ToolStarting, "up.echo")
	first.until("a server", "up", ready)
	first.Close()

	second := serve(t, dir, map[string]string{"up": upstream("good")})
	if st := second.status("up"); st.State != mcptools.Known || len(st.Tools) < 10 {
		t.Errorf("%+v", st)
	}
	if _, err := second.invoke("up.echo", `{"text":"x"}`); err != nil {
		t.Error(err)
	}
	second.until("a server that was called", "up", ready)

	// The list of another program is not this one's.
	third := serve(t, dir, map[string]string{"up": upstream("gone")})
	if st := third.status("up"); len(st.Tools) != 0 {
		t.Errorf("%+v", st)
	}
}

func TestListsChange(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), map[string]string{"up": upstream("good")})
	s.until("a server", "up", ready)
	if _, err := s.invoke("up.grow", `{"n":1}`); err != nil {
		t.Fatal(err)
	}
	s.until("a new tool", "up", func(mcptools.Status) bool { _, ok := s.registry.Get("up.grown"); return ok })
	if res, err := s.invoke("up.grown", `{}`); err != nil || !strings.HasPrefix(words(res), "words") {
		t.Errorf("%+v, %v", res, err)
	}
}

// A tool that is not what it was is refused, and nothing new of it is shown,
// until the operator accepts it.
func TestChangedToolsAreRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := serve(t, dir, map[string]string{"up": upstream("good")})
	first.until("a server", "up", ready)
	first.Close()

	safe := `"risk":{"echo":"safe"}`
	second := serve(t, dir, map[string]string{"up": upstream("changed", safe)})
	st := second.until("a changed server", "up", ready)
	if st.Changed() != 1 {
		t.Errorf("%+v", st)
	}
	if d, _ := second.registry.Get("up.echo"); d.Risk != agent.Forbidden || strings.Contains(d.Description, "passwords") {
		t.Errorf("%+v", d)
	}
	_, err := second.invoke("up.echo", `{"text":"x"}`)
	wantCode(t, err, sdkapi.ToolForbidden, "")
	if _, err := second.invoke("up.mixed_parts", `{"n":1}`); err != nil {
		t.Errorf("a tool that did not change: %v", err)
	}
	if !strings.Contains(second.log.String(), "windie mcp accept up") {
		t.Error("the log does not say what to do")
	}

	_, err = second.Accept("up", "of others")
	wantCode(t, err, sdkapi.DecisionConflict, "")
	if st := second.status("up"); st.Changed() != 1 || st.Changes == "" {
		t.Errorf("after others were accepted: %+v", st)
	}
	changed, err := second.Accept("up", st.Changes)
	if err != nil || !slices.Equal(changed, []string{"echo"}) {
		t.Fatalf("%q, %v", changed, err)
	}
	if again, err := second.Accept("up", st.Changes); err != nil || len(again) != 0 {
		t.Errorf("accepted again: %q, %v", again, err)
	}
	if st := second.status("up"); st.Changed() != 0 || st.Changes != "" {
		t.Errorf("accepted: %+v", st)
	}
	if d, _ := second.registry.Get("up.echo"); d.Risk != agent.Safe || !strings.Contains(d.Description, "passwords") {
		t.Errorf("%+v", d)
	}
	second.Close()

	// And back: what it was first is not accepted any more.
	third := serve(t, dir, map[string]string{"up": upstream("good")})
	third.until("the first server", "up", func(st mcptools.Status) bool { return ready(st) && st.Changed() == 1 })
}

// The log says once that a tool has changed, however often the server lists it as it is now.
func TestChangedToolsAreLoggedOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := serve(t, dir, map[string]string{"up": upstream("good")})
	first.until("a server", "up", ready)
	first.Close()
	second := serve(t, dir, map[string]string{"up": upstream("changed")})
	second.until("a changed server", "up", ready)
	if _, err := second.invoke("up.grow", `{"n":1}`); err != nil {
		t.Fatal(err)
	}
	second.until("another listing", "up", func(st mcptools.Status) bool {
		return slices.ContainsFunc(st.Tools, func(t mcptools.ToolStatus) bool { return t.Name == "up.grown" })
	})
	if said := strings.Count(second.log.String(), "windie mcp accept up"); said != 1 {
		t.Errorf("it says so %d times", said)
	}
}

// A file of accepted tools that cannot be read is an error, not an empty one.
func TestUnreadablePinsAreNotTakenForNone(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"half an object": "{", "null": "null\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := dir + "/up.accepted.json"
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			s := serve(t, dir, map[string]string{"up": upstream("good")})
			st := s.until("a problem", "up", broken)
			if !strings.Contains(st.Problem, path) || len(st.Tools) != 0 {
				t.Errorf("%+v", st)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			s.until("a server", "up", ready)
		})
	}
}

// A server whose file of accepted tools is repaired has no problem any more, also if nobody has called it since.
func TestRepairedPinsAreNoProblem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := serve(t, dir, map[string]string{"up": upstream("good")})
	first.until("a server", "up", ready)
	first.Close()
	path := dir + "/up.accepted.json"
	pins, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, []byte("{"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	second := serve(t, dir, map[string]string{"up": upstream("good")})
	second.until("a problem", "up", broken)
	if err := os.WriteFile(path, pins, 0o600); err != nil {
		t.Fatal(err)
	}
	st := second.until("its tools", "up", func(st mcptools.Status) bool { return len(st.Tools) > 0 })
	if st.State != mcptools.Known || st.Problem != "" {
		t.Errorf("it is %s: %q", st.State, st.Problem)
	}
}

type nothing struct{}

// A server has a group of its own, and no tool of another owner's.
func TestNamesOfOthersAreNotTaken(t *testing.T) {
	t.Parallel()
	clock := agent.Func(agent.Descriptor{Name: "clock.now", Risk: agent.Safe}, func(context.Context, agent.Call, nothing) (nothing, error) { return nothing{}, nil })
	plugin := plugged{agent.Descriptor{Name: "up.echo", Risk: agent.Safe, Origin: agent.Origin{Kind: agent.Wasm, Owner: "up"}}}
	s := serve(t, t.TempDir(), map[string]string{"up": upstream("good"), "Clock": upstream("good")}, clock, plugin)
	st := s.until("a server", "up", ready)
	if d, _ := s.registry.Get("up.echo"); d.Origin.Kind != agent.Wasm {
		t.Errorf("%+v", d)
	}
	if !strings.Contains(strings.Join(st.Notes, "\n"), `wasm "up" has the tool up.echo`) {
		t.Errorf("%q", st.Notes)
	}
	if st := s.status("clock"); !broken(st) || !strings.Contains(st.Problem, "gateway's own tools") {
		t.Errorf("%+v", st)
	}
	if d, _ := s.registry.Get("clock.now"); d.Origin.Kind != agent.Builtin {
		t.Errorf("%+v", d)
	}
}

// Models know a.b_echo and a_b.echo by one name: the server that comes second is left without that tool, and has the others.
func TestNamesOfOthersForModelsAreNotTaken(t *testing.T) {
	t.Parallel()
	plugin := plugged{agent.Descriptor{Name: "a.b_echo", Risk: agent.Safe, Origin: agent.Origin{Kind: agent.Wasm, Owner: "a"}}}
	s := serve(t, t.TempDir(), map[string]string{"a_b": upstream("good")}, plugin)
	st := s.until("a server", "a_b", ready)
	if notes := strings.Join(st.Notes, "\n"); len(st.Tools) == 0 || !strings.Contains(notes, `wasm "a" has the tool a.b_echo, which has the same name a_b_echo for models`) {
		t.Errorf("%d tools, %q", len(st.Tools), notes)
	}
	if d, ok := s.registry.Named("a_b_echo"); !ok || d.Origin.Kind != agent.Wasm {
		t.Errorf("%+v", d)
	}
}

// plugged is a tool of somebody else.
type plugged struct{ descriptor agent.Descriptor }

func (p plugged) Descriptor() agent.Descriptor { return p.descriptor }

func (plugged) Call(context.Context, agent.Call) (agent.Result, error) { return agent.Result{}, nil }
