package session_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/database"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/journal/sqljournal"
	"github.com/windieos/windie/models"
)

// crashDir names, to a child process, the folder of the gateway that it is.
const crashDir = "WINDIE_TEST_CRASH_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		if err := beGateway(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// stepwise is a model that calls a tool twice, one after the other, and then
// says so. What it answers follows from what it is told.
type stepwise struct{}

func (stepwise) Stream(_ context.Context, req models.Request) iter.Seq2[models.Event, error] {
	results := 0
	for _, m := range req.Messages {
		if m.Role == models.ToolRole {
			results += len(m.Parts)
		}
	}
	return func(yield func(models.Event, error) bool) {
		end := models.Event{Kind: models.End, End: models.Stop}
		if results < 2 {
			call := &models.Call{Name: "a_run", Arguments: json.RawMessage(fmt.Sprintf(`{"n":%d}`, results))}
			if !yield(models.Event{Kind: models.ToolCall, Call: call}, nil) {
				return
			}
			end.End = models.ToolCalls
		} else if !yield(models.Event{Kind: models.Text, Text: "Done."}, nil) {
			return
		}
		_ = yield(end, nil)
	}
}

// opened returns the sessions of the gateway in a folder, whose tool leaves a
// line in a file for each time it runs.
func opened(ctx context.Context, dir string) (*session.Sessions, journal.Journal, func(), error) {
	db, err := database.Open(ctx, database.Config{File: filepath.Join(dir, "windie.db")})
	if err != nil {
		return nil, nil, nil, err
	}
	log, err := sqljournal.Open(db, sqljournal.Options{})
	if err != nil {
		return nil, nil, nil, err
	}
	runs, err := os.OpenFile(filepath.Join(dir, "runs"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, nil, err
	}
	tools := agent.NewRegistry()
	err = tools.Register(agenttest.Tool{Described: agent.Descriptor{Name: "a.run", Risk: agent.Safe, Origin: agent.Origin{Kind: agent.Builtin}}, Do: func(_ context.Context, c agent.Call) (agent.Result, error) {
		_, err := fmt.Fprintf(runs, "%s %s\n", c.Session, c.Arguments)
		return agent.Result{Content: []agent.Part{agent.Text("ok")}}, err
	}})
	all := session.New(session.Config{
		Journal: log, Tools: tools, LeaseTTL: 200 * time.Millisecond,
		Model: func(context.Context, string, session.Settings) (models.Model, models.Request, error) {
			return stepwise{}, models.Request{}, nil
		},
	})
	return all, log, func() { all.Close(); _ = log.Close(); _ = db.Close(); _ = runs.Close() }, err
}

// beGateway starts one turn after the other until it is killed, and tells of
// each, and of each event, once it is acknowledged.
func beGateway(dir string) error {
	ctx := context.Background()
	all, _, closeAll, err := opened(ctx, dir)
	if err != nil {
		return err
	}
	defer closeAll()
	go all.Run(ctx)
	for {
		id := fmt.Sprintf("s%d", rand.Uint64())
		if err := all.Create(ctx, id, ada, session.Settings{}); err != nil {
			return err
		}
		if _, err := all.Start(ctx, id, ada, []session.Part{{Text: "go"}}, session.Reject); err != nil {
			return err
		}
		fmt.Println("started", id)
		for e, err := range all.Follow(ctx, id, 0) {
			if err != nil {
				return err
			}
			fmt.Println("event", id, e.Seq, e.Kind)
			if e.Kind == session.KindTurnEnded {
				break
			}
		}
	}
}

// A gateway is killed at random moments while it works on turns. Each turn that
// was acknowledged ends, no event is lost, and no tool runs twice.
func TestCrash(t *testing.T) {
	dir := t.TempDir()
	rounds := 100
	if testing.Short() || raced {
		rounds = 20
	}
	started, seen := map[string]bool{}, map[string]string{}
	for range rounds {
		killOnce(t, dir, started, seen)
	}
	all, log, closeAll, err := opened(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	done := make(chan struct{})
	go func() { defer close(done); all.Run(ctx) }()
	for id := range started {
		for e, err := range all.Follow(ctx, id, 0) {
			if err != nil {
				t.Fatalf("%s has not ended: %v", id, err)
			}
			delete(seen, fmt.Sprintf("%s %d %s", id, e.Seq, e.Kind))
			if e.Kind == session.KindTurnEnded {
				break
			}
		}
	}
	cancel()
	<-done
	if len(started) < rounds/2 || len(seen) > 0 {
		t.Errorf("%d turns; events that were told and are not there: %v", len(started), seen)
	}
	checkRuns(t, dir, log, started)
	t.Logf("%d turns", len(started))
}

// killOnce runs a gateway for a moment.
func killOnce(t *testing.T, dir string, started map[string]bool, seen map[string]string) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), crashDir+"="+dir)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	kill := time.AfterFunc(10*time.Second, func() { _ = child.Process.Kill() })
	for first := true; lines.Scan(); first = false {
		if first { // it works: from here on it may die at any moment
			kill.Reset(time.Duration(rand.IntN(60)) * time.Millisecond)
		}
		switch f := strings.Fields(lines.Text()); f[0] {
		case "started":
			started[f[1]] = true
		case "event":
			seen[strings.Join(f[1:], " ")] = f[1]
		}
	}
	kill.Stop()
	_ = child.Wait()
}

// checkRuns fails for a call that was made twice, and for a history that models
// would refuse.
func checkRuns(t *testing.T, dir string, log journal.Journal, started map[string]bool) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "runs"))
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]int{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if made[line]++; made[line] > 1 {
			t.Errorf("ran twice: %s", line)
		}
	}
	for id := range started {
		state := &session.State{}
		events, err := log.Read(t.Context(), "session/"+id, 0, journal.MaxEvents)
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range events {
			if err := state.Apply(e); err != nil || e.Seq != int64(i+1) {
				t.Fatalf("%s, event %d: %v", id, e.Seq, err)
			}
		}
		if state.Turn != nil {
			t.Errorf("%s: the turn is open", id)
		}
	}
}
