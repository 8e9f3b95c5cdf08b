package delegate_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/client/computer/delegate"
	"github.com/windieos/windie/internal/test/testkit"
)

// outcome is what the tool answers.
type outcome struct {
	Agent, Answer, Ended    string
	Changed, Missing, Steps []string
	Turns, Replays          int
}

// hands returns the tool for the test agent of a name, in a folder. Its times are short.
func hands(t *testing.T, dir, name string, ask func(context.Context, agent.Call, delegate.Step) (bool, error)) *agent.Registry {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return register(t, delegate.Options{
		Dir: dir, Agents: []delegate.Agent{{Name: "tester", Command: []string{program}, Env: []string{agentVariable + "=" + name, "GORACE=atexit_sleep_ms=0"}}}, Ask: ask,
		Times: delegate.Times{Quiet: time.Second, Tool: 30 * time.Second, Grace: 5 * time.Second, Files: 2 * time.Second, Summary: 5 * time.Second, Cancel: 500 * time.Millisecond, Begin: 20 * time.Second},
	})
}

func register(t *testing.T, opts delegate.Options) *agent.Registry {
	t.Helper()
	tools := agent.NewRegistry()
	for _, tool := range delegate.New(opts).Tools() {
		if err := tools.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	return tools
}

// handOver hands a task over, and returns what came of it, or why it failed.
func handOver(ctx context.Context, t *testing.T, tools *agent.Registry, in map[string]any) (out outcome, failed string) {
	t.Helper()
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	result, err := tools.Invoke(ctx, "delegate.task", agent.Call{ID: "1", Arguments: raw})
	switch {
	case err != nil:
		return out, err.Error()
	case result.IsError:
		return out, result.Content[0].Text
	}
	if err := json.Unmarshal(result.Structured, &out); err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", out)
	return out, ""
}

func allowAll(context.Context, agent.Call, delegate.Step) (bool, error) { return true, nil }

// Each agent does what agents do wrong; what is lost by that is made up for.
func TestTasks(t *testing.T) {
	testTasks(t, map[string]task{
		"works":         {answer: "I wrote `hello.txt`.", turns: 1, changed: []string{"created hello.txt"}, step: []string{"allowed edit hello.txt"}},
		"announces":     {answer: "All is done: true", turns: 2, changed: []string{"created done.txt"}},
		"never":         {answer: "Next I'll begin:", turns: 4, ended: "the agent stopped before the task was done"},
		"stuck":         {task: "get stuck", answer: "Done at the second time; the history came: true", turns: 2, replays: 1, changed: []string{"created half.txt"}},
		"mute":          {answer: "There are two texts; more was answered with selected no.", turns: 2, changed: []string{"created a.txt", "created b.txt"}, step: []string{"denied edit c.txt"}},
		"afterwards":    {task: "write afterwards", answer: "I saved the result in late.txt.", turns: 1, changed: []string{"created late.txt"}},
		"leaves a tool": {task: "test afterwards", answer: "The tests pass, and `late.txt` is written.", turns: 1, changed: []string{"created late.txt"}},
		"refuses":       {answer: "That is not allowed.", turns: 1, ended: "the agent refused the task"},
	})
}

// task is a task for an agent, and what should come of it.
type task struct {
	task, answer, ended    string
	turns, replays         int
	changed, missing, step []string
}

// testTasks hands tasks to the agents of their names.
func testTasks(t *testing.T, tasks map[string]task) {
	t.Helper()
	for name, c := range tasks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := c.task
			if task == "" {
				task = "do it"
			}
			got, failed := handOver(t.Context(), t, hands(t, t.TempDir(), name, allowAll), map[string]any{"task": task})
			if failed != "" {
				t.Fatal(failed)
			}
			if c.ended == "" {
				c.ended = "done"
			}
			if got.Answer != c.answer || !strings.HasPrefix(got.Ended, c.ended) || got.Turns != c.turns || got.Replays != c.replays {
				t.Errorf("got %q, ended %q, after %d turns and %d replays; want %q, %q, %d, %d", got.Answer, got.Ended, got.Turns, got.Replays, c.answer, c.ended, c.turns, c.replays)
			}
			if !slices.Equal(got.Changed, c.changed) || !slices.Equal(got.Missing, c.missing) || !slices.Equal(got.Steps, c.step) {
				t.Errorf("changed %q, missing %q, steps %q; want %q, %q, %q", got.Changed, got.Missing, got.Steps, c.changed, c.missing, c.step)
			}
		})
	}
}

// An agent whose program ends whenever something is said to it fails, with how it ended.
func TestAgentDies(t *testing.T) {
	_, failed := handOver(t.Context(), t, hands(t, t.TempDir(), "dies", allowAll), map[string]any{"task": "do it"})
	if !strings.Contains(failed, "exited with code 3") || !strings.Contains(failed, "out of memory") || !strings.Contains(failed, "after 2 restarts") {
		t.Errorf("got %q", failed)
	}
}

// What an agent asks permission for reaches whoever decides, with the call that it belongs to.
func TestSteps(t *testing.T) {
	dir := t.TempDir()
	var asked []delegate.Step
	deny := func(_ context.Context, call agent.Call, step delegate.Step) (bool, error) {
		if call.ID != "1" {
			t.Errorf("the call is %+v", call)
		}
		asked = append(asked, step)
		return false, nil
	}
	got, failed := handOver(t.Context(), t, hands(t, dir, "works", deny), map[string]any{"task": "write hello"})
	if failed != "" || got.Answer != "You did not allow it: nothing is there." || !slices.Equal(got.Steps, []string{"denied edit hello.txt"}) {
		t.Errorf("%+v %s", got, failed)
	}
	if _, err := os.Stat(filepath.Join(dir, "hello.txt")); err == nil {
		t.Error("the file was written")
	}
	if len(asked) != 1 {
		t.Fatalf("%d steps were asked about", len(asked))
	}
	s := asked[0]
	if s.Agent != "tester" || s.Task != "write hello" || s.Kind != "edit" || s.Title != "hello.txt" || !slices.Equal(s.Paths, []string{"/somewhere/hello.txt"}) || string(s.Input) != `{"text":"made"}` {
		t.Errorf("asked about %+v", s)
	}
}

// A yes is for one step: where the agent takes only a standing one, nobody is asked, the step is declined, and the task
// says why.
func TestStepsOfferedForGood(t *testing.T) {
	ask := func(_ context.Context, _ agent.Call, step delegate.Step) (bool, error) {
		t.Errorf("asked about %s", step.Title)
		return true, nil
	}
	got, failed := handOver(t.Context(), t, hands(t, t.TempDir(), "offers no once", ask), map[string]any{"task": "write"})
	steps := []string{"denied, because the agent offers only a permanent approval: edit a.txt", "denied, because the agent offers only a permanent approval: edit b.txt"}
	if failed != "" || got.Answer != "It was answered with selected no and selected never." || !slices.Equal(got.Steps, steps) {
		t.Errorf("%+v %s", got, failed)
	}
}

// Nobody who could be asked: steps are refused.
func TestStepsWithoutAnybody(t *testing.T) {
	got, _ := handOver(t.Context(), t, hands(t, t.TempDir(), "works", nil), map[string]any{"task": "write hello"})
	if !slices.Equal(got.Steps, []string{"denied edit hello.txt"}) || len(got.Changed) > 0 {
		t.Errorf("%+v", got)
	}
}

// Cancel reaches the agent, which stops, and its program ends with the call.
func TestCancel(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(agent.WithProgress(t.Context(), func(agent.Report) {}))
	var mu sync.Mutex
	var lines []string
	ctx = agent.WithProgress(ctx, func(r agent.Report) {
		mu.Lock()
		defer mu.Unlock()
		if lines = append(lines, r.Line); r.Line == "tester: I wait." {
			cancel()
		}
	})
	defer cancel()
	_, failed := handOver(ctx, t, hands(t, dir, "waits", allowAll), map[string]any{"task": "wait"})
	if !strings.Contains(failed, "cancel") {
		t.Errorf("got %q", failed)
	}
	if _, err := os.Stat(filepath.Join(dir, "stopped")); err != nil {
		t.Error("the agent did not hear that it should stop")
	}
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(lines, []string{"tester: starts", "tester: I wait."}) {
		t.Errorf("heard %q", lines)
	}
}

// deaf is an agent that takes a session, and then reads no more.
const deaf = `
answer() { id=$(printf %s "$1" | sed 's/.*"id":\([0-9]*\).*/\1/'); printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$2"; }
read -r l; answer "$l" '{"protocolVersion":1,"agentCapabilities":{}}'
read -r l; answer "$l" '{"sessionId":"s"}'
exec sleep 100000
`

// A task that an agent does not read, of more than a pipe holds, ends with the call.
func TestCancelUnread(t *testing.T) {
	tools := register(t, delegate.Options{
		Dir: t.TempDir(), Agents: []delegate.Agent{{Name: "deaf", Command: []string{"sh", "-c", deaf}}}, Times: delegate.Times{Cancel: 200 * time.Millisecond},
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, failed := handOver(ctx, t, tools, map[string]any{"task": strings.Repeat("line\n", 13_000)}); failed == "" {
		t.Error("it did not fail")
	}
}

// A question that waits ends with its task.
func TestCancelWhileAsking(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	ask := func(ctx context.Context, _ agent.Call, _ delegate.Step) (bool, error) {
		cancel()
		<-ctx.Done()
		close(ended)
		return false, ctx.Err()
	}
	if _, failed := handOver(ctx, t, hands(t, t.TempDir(), "works", ask), map[string]any{"task": "write"}); failed == "" {
		t.Error("it did not fail")
	}
	testkit.Eventually(t, "the question's end", func() (struct{}, bool) {
		select {
		case <-ended:
			return struct{}{}, true
		default:
			return struct{}{}, false
		}
	})
}

// A long answer is one message, which is kept up to its bound.
func TestLongAnswer(t *testing.T) {
	got, failed := handOver(t.Context(), t, hands(t, t.TempDir(), "talks", allowAll), map[string]any{"task": "talk"})
	if failed != "" || len(got.Answer) > delegate.MaxAnswer || len(got.Answer) < delegate.MaxAnswer-10 || strings.Contains(got.Answer, "\n") {
		t.Errorf("%d bytes, %s", len(got.Answer), failed)
	}
}

// What cannot be handed over says why.
func TestWrongAgents(t *testing.T) {
	dir := t.TempDir()
	tools := register(t, delegate.Options{Dir: dir, Agents: []delegate.Agent{{Name: "gone", Command: []string{"no-such-program"}}, {Name: "cat", Command: []string{"cat"}}, {Name: "false", Command: []string{"false"}}}, Times: delegate.Times{Begin: 20 * time.Second}})
	for name, c := range map[string]struct{ agent, failed string }{
		"another":     {"other", `there is no agent "other"; installed: gone, cat, false`},
		"no program":  {"gone", "there is no program no-such-program"},
		"no protocol": {"false", "exited with code 1"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, failed := handOver(t.Context(), t, tools, map[string]any{"task": "x", "agent": c.agent}); !strings.Contains(failed, c.failed) {
				t.Errorf("got %q", failed)
			}
		})
	}
	if len(delegate.New(delegate.Options{Dir: dir}).Tools()) != 0 {
		t.Error("there is a tool without agents")
	}
}
