//go:build system

package session_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/sqljournal"
)

// crashDir names, to a child process, the folder of the gateway that it is.
const crashDir = "WINDIE_TEST_CRASH_DIR"

func init() { // a child is a gateway, and runs no tests
	if dir := os.Getenv(crashDir); dir != "" {
		if err := beGateway(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// scripts are what a model calls in a turn, answer by answer, by the word that
// the user says. Behind the last it is done.
var scripts = map[string][][]string{
	"plain":    {{"a_run"}, {"a_run"}},
	"parallel": {{"a_run", "a_run", "a_run"}},
	"approval": {{"b_run", "a_run"}},
	"bundle":   {{"click", "type"}, {"a_run"}},
	"queue":    {{"a_run"}},
	"stuck":    {{"a_run"}},
}

// The words at which a stepwise model, once its tool has run, does not get on
// with any history but a condensed one.
const stuckWord = "stuck"

// stepwise is a model that keeps to scripts. Its answer follows from the request, as
// it does not outlive its gateway.
type stepwise struct{}

func (stepwise) Stream(_ context.Context, req models.Request) iter.Seq2[models.Event, error] {
	users, results, word := 0, 0, ""
	for _, m := range req.Messages {
		switch m.Role {
		case models.User:
			users, results, word = users+1, 0, allText(m.Parts)
		case models.ToolRole:
			results += len(m.Parts)
		}
	}
	var calls []string
	done := 0
	for kind, answers := range scripts {
		for _, names := range answers {
			if strings.Contains(word, kind) && results == done {
				calls = names
			}
			if strings.Contains(word, kind) {
				done += len(names)
			}
		}
	}
	condensed := strings.Contains(word, condensedNote)
	if condensed {
		calls = nil
	}
	return func(yield func(models.Event, error) bool) {
		if strings.Contains(word, stuckWord) && len(calls) == 0 && !condensed {
			yield(models.Event{}, fault.New("test", sdkapi.ModelContextFull, "too long"))
			return
		}
		end := models.Event{Kind: models.End, End: models.Stop}
		for i, name := range calls {
			call := &models.Call{Name: name, Arguments: fmt.Appendf(nil, `{"n":"%d.%d"}`, users, results+i)}
			end.End = models.ToolCalls
			if !yield(models.Event{Kind: models.ToolCall, Call: call}, nil) {
				return
			}
		}
		_ = yield(models.Event{Kind: models.Text, Text: "Well. "}, nil) && yield(end, nil)
	}
}

// crashed is what a gateway leaves in a folder.
type crashed struct {
	all  *session.Sessions
	log  journal.Journal
	stop func()
}

// openCrashed opens the sessions in a folder, whose tools leave a line in a
// file for each time they run.
func openCrashed(ctx context.Context, dir string, ttl time.Duration) (*crashed, error) {
	db, err := database.Open(ctx, database.Config{File: filepath.Join(dir, "windie.db")})
	if err != nil {
		return nil, err
	}
	log, err := sqljournal.Open(db, sqljournal.Options{Poll: 10 * time.Millisecond})
	if err != nil {
		return nil, err
	}
	runs, err := os.OpenFile(filepath.Join(dir, "runs"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	tools := agent.NewRegistry()
	run := func(_ context.Context, c agent.Call) (agent.Result, error) {
		_, err := fmt.Fprintf(runs, "%s %s\n", c.Session, c.Arguments)
		return agent.Result{Content: []agent.Part{agent.Text("ok")}}, err
	}
	for name, risk := range map[string]agent.Risk{"a.run": agent.Safe, "b.run": agent.Risky} {
		err = errors.Join(err, tools.Register(agenttest.Tool{Described: agent.Descriptor{Name: name, Risk: risk, Origin: agent.Origin{Kind: agent.Builtin}}, Do: run}))
	}
	all := session.New(session.Config{
		Journal: log, Tools: tools, LeaseTTL: ttl,
		Model: func(context.Context, string, session.Settings) (models.Model, models.Request, error) {
			return stepwise{}, models.Request{}, nil
		},
	})
	return &crashed{all, log, func() { all.Close(); _ = log.Close(); _ = db.Close(); _ = runs.Close() }}, err
}

// longSession is one that many turns go to, so that its state is kept.
const longSession = "long"

// beGateway has several users talk until it is killed, and prints what is
// acknowledged: messages that were taken, and events.
func beGateway(dir string) error {
	ctx := context.Background()
	g, err := openCrashed(ctx, dir, 200*time.Millisecond)
	if err != nil {
		return err
	}
	defer g.stop()
	go g.all.Run(ctx)
	failed := make(chan error, 1)
	for n := range 3 {
		go func() {
			for {
				if err := oneTalk(ctx, g.all, n == 0); err != nil {
					failed <- err
					return
				}
			}
		}()
	}
	return <-failed
}

// oneTalk has a turn, or some that wait for each other.
func oneTalk(ctx context.Context, all *session.Sessions, long bool) error {
	words := []string{"plain", "parallel", "approval", "bundle", "queue", stuckWord}
	id, word := fmt.Sprintf("s%d", rand.Uint64()), words[rand.IntN(len(words))]
	if long {
		id, word = longSession, words[rand.IntN(2)]
	}
	settings := session.Settings{Tools: []session.ClientTool{agenttest.ClientTool("click"), agenttest.ClientTool("type")}}
	if err := all.Create(ctx, id, ada, settings); err != nil && !long { // the long one is busy, perhaps
		return err
	}
	turns := 1
	if word == "queue" {
		turns = 3
	}
	last := ""
	for range turns {
		started, err := all.Start(ctx, id, ada, []session.Part{{Text: word}}, session.Queue)
		if fault.CodeOf(err) == sdkapi.Overloaded { // gateways before left much
			time.Sleep(20 * time.Millisecond)
			return nil
		}
		if err != nil {
			return err
		}
		last = started.Turn
		fmt.Println("started", id, last)
	}
	for e, err := range all.Follow(ctx, id, 0) {
		if err != nil {
			return err
		}
		var about struct{ Turn, Decision string }
		_ = json.Unmarshal(e.Data, &about)
		fmt.Println("event", id, e.Seq, e.Kind)
		if e.Kind == session.KindApprovalRequested || e.Kind == session.KindToolRequested {
			fmt.Println("asked", about.Decision, e.Kind)
		}
		if e.Kind == session.KindTurnEnded && about.Turn == last {
			break
		}
	}
	return nil
}

// crash is a TestCrash at work: the process that gateways are killed beside. It
// is also the client, and the user, who answers late.
type crash struct {
	t       *testing.T
	dir     string
	g       *crashed
	started map[string]string // sessions by their turns
	seen    map[string]string // kinds by session and number
	late    sync.WaitGroup

	repaired int // turns

	mu      sync.Mutex
	decided map[string]bool // decisions that were acknowledged, and whether they are denials
}

// A gateway is killed at random moments while it works on turns. Each message
// that was acknowledged is answered, no event and no decision is lost, and no
// tool runs twice.
func TestCrash(t *testing.T) {
	turns := 200
	if testing.Short() || brief {
		turns = 40
	}
	if text := os.Getenv("WINDIE_CRASH_TURNS"); text != "" {
		var err error
		if turns, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	c := &crash{t: t, dir: t.TempDir(), started: map[string]string{}, seen: map[string]string{}, decided: map[string]bool{}}
	var err error
	if c.g, err = openCrashed(t.Context(), c.dir, time.Second); err != nil {
		t.Fatal(err)
	}
	defer c.g.stop()
	kills := 0
	for ; len(c.started) < turns; kills++ {
		if kills > 10*turns {
			t.Fatalf("%d turns after %d kills", len(c.started), kills)
		}
		c.killOnce()
	}
	c.late.Wait()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var all sync.WaitGroup
	all.Go(func() { c.g.all.Run(ctx) })
	sessions := map[string]bool{}
	for _, id := range c.started {
		sessions[id] = true
	}
	var ends sync.WaitGroup
	for id := range sessions {
		ends.Go(func() { c.settle(ctx, id) })
	}
	ends.Wait()
	cancel()
	all.Wait()
	for id := range sessions {
		c.check(id)
	}
	c.checkRuns()
	if turns >= 200 && c.repaired == 0 {
		t.Error("no turn was repaired: this test shows nothing of that")
	}
	if kept := read(t, c.g.log, "state/"+longSession, 0); turns >= 200 && len(kept) == 0 {
		t.Error("no state was kept: this test shows nothing of that")
	}
	t.Logf("%d turns, %d kills, %d decisions, %d repairs, %d events seen", len(c.started), kills, len(c.decided), c.repaired, len(c.seen))
}

// killOnce runs a gateway for a moment.
func (c *crash) killOnce() {
	c.t.Helper()
	child := exec.CommandContext(c.t.Context(), os.Args[0])
	child.Env = append(os.Environ(), crashDir+"="+c.dir)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		c.t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	kill := time.AfterFunc(10*time.Second, func() { _ = child.Process.Kill() })
	for first := true; lines.Scan(); first = false {
		if first { // it works: from here on it may die at any moment
			kill.Reset(time.Duration(rand.IntN(60)) * time.Millisecond)
		}
		switch f := strings.Fields(lines.Text()); f[0] {
		case "started":
			c.started[f[2]] = f[1]
		case "event":
			c.seen[f[1]+" "+f[2]] = f[3]
		case "asked":
			c.late.Go(func() {
				time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond) // until it is dead, often
				c.decide(f[1], f[2] == session.KindApprovalRequested)
			})
		}
	}
	kill.Stop()
	_ = child.Wait()
}

// decide answers what waits for the user or the client.
func (c *crash) decide(id string, approval bool) {
	answer := journal.Answer{Value: json.RawMessage(`{"parts":[{"text":"did it"}]}`)}
	if approval {
		answer = journal.Answer{Denied: id[len(id)-1]%2 == 0}
	}
	if _, err := c.g.log.Decide(c.t.Context(), id, journal.Decider{User: ada}, answer); err != nil {
		c.t.Errorf("a decision is not taken: %v", err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.decided[id] = answer.Denied
}

// settle answers what still waits in a session, until all its turns have ended.
func (c *crash) settle(ctx context.Context, id string) {
	left := map[string]bool{}
	for turn, of := range c.started {
		left[turn] = of == id
	}
	open := 0
	for _, mine := range left {
		if mine {
			open++
		}
	}
	for e, err := range c.g.all.Follow(ctx, id, 0) {
		if err != nil {
			c.t.Errorf("%d turns of %s have not ended: %v; %s", open, id, err, c.left(id))
			return
		}
		var about struct{ Turn, Decision string }
		if json.Unmarshal(e.Data, &about) == nil && about.Decision != "" {
			c.decide(about.Decision, e.Kind == session.KindApprovalRequested) // once more, often
		}
		if e.Kind == session.KindTurnEnded && left[about.Turn] {
			left[about.Turn] = false
			open--
		}
		if open == 0 {
			return
		}
	}
}

// left describes a session that does not end.
func (c *crash) left(id string) string {
	state, err := c.g.all.State(c.t.Context(), id, ada)
	if err != nil {
		return err.Error()
	}
	events := read(c.t, c.g.log, "session/"+id, max(0, state.Seq-8))
	pending, _ := c.g.log.Pending(c.t.Context(), "session/"+id)
	abandoned, _ := c.g.log.Abandoned(c.t.Context(), "turn/")
	_, lease := c.g.log.Lease(c.t.Context(), "turn/"+id, "a test", journal.MinTTL)
	return fmt.Sprintf("its turn is %+v, its events end in %s; pending %v, abandoned %v; getting its lease: %v", state.Turn, agenttest.Kinds(events), pending, abandoned, lease)
}

// check fails for events that have changed since they were printed, for decisions that
// do not count, and for a state that does not follow from the events.
func (c *crash) check(id string) {
	c.t.Helper()
	state, err := c.g.all.State(c.t.Context(), id, ada)
	if err != nil {
		c.t.Fatal(err)
	}
	events := read(c.t, c.g.log, "session/"+id, 0) // a turn that nobody waits for may have added some since
	if int(state.Seq) > len(events) {
		c.t.Fatalf("%s: %d events, and a state of %d", id, len(events), state.Seq)
	}
	asked := map[string]string{} // decisions by call
	repaired := map[string]int{} // turns
	for i, e := range events {
		if e.Seq != int64(i+1) {
			c.t.Fatalf("%s: event %d has the number %d", id, i+1, e.Seq)
		}
		if kind, told := c.seen[fmt.Sprint(id, " ", e.Seq)]; told && kind != e.Kind {
			c.t.Errorf("%s: event %d is %s, and was told as %s", id, e.Seq, e.Kind, kind)
		}
		switch e.Kind {
		case session.KindRepaired:
			turn := agenttest.Data[session.Repaired](c.t, e).Turn
			if repaired[turn]++; repaired[turn] > 1 {
				c.t.Errorf("%s: the turn %s was repaired %d times", id, turn, repaired[turn])
			}
			c.repaired++
		case session.KindTurnEnded:
			if ended := agenttest.Data[session.TurnEnded](c.t, e); ended.Reason != session.EndDone {
				c.t.Errorf("%s: ended %+v", id, ended)
			}
		case session.KindApprovalRequested:
			request := agenttest.Data[session.ApprovalRequested](c.t, e)
			asked[request.Call] = request.Decision
		case session.KindApprovalDecided:
			decided := agenttest.Data[session.ApprovalDecided](c.t, e)
			if want, told := c.decided[asked[decided.Call]]; told && want != decided.Denied {
				c.t.Errorf("%s: the call %s was denied: %v, and not %v", id, decided.Call, decided.Denied, want)
			}
		}
	}
	for told := range c.seen {
		if of, seq, _ := strings.Cut(told, " "); of == id {
			if n, _ := strconv.Atoi(seq); n > len(events) {
				c.t.Errorf("%s: event %s was told, and is not there", id, seq)
			}
		}
	}
	open := false // a message whose sender was killed with its gateway may have begun a turn since
	if state.Turn != nil {
		_, open = c.started[state.Turn.ID]
	}
	if want := folded(c.t, events[:state.Seq]); !reflect.DeepEqual(state, want) || open {
		has, _ := json.Marshal(state) // follows pointers
		wants, _ := json.Marshal(want)
		c.t.Errorf("%s: the state is\n%s\nand that of its events\n%s", id, has, wants)
	}
}

// checkRuns fails for a call that was made twice.
func (c *crash) checkRuns() {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(c.dir, "runs"))
	if err != nil {
		c.t.Fatal(err)
	}
	made := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if made[line] {
			c.t.Errorf("ran twice: %s", line)
		}
		made[line] = true
	}
	if len(made) < len(c.started)/2 {
		c.t.Errorf("%d calls of %d turns: this test shows little", len(made), len(c.started))
	}
}
