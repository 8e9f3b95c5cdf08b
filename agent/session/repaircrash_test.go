package session_test

import (
	"context"
	"encoding/json"
	"iter"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// condensedNote is in each history that was condensed.
const condensedNote = "so far was shortened"

// choosy is a model that calls a tool, does not get on with the history then,
// and does with a condensed one. What it says follows from what it is asked, as
// another gateway may ask it.
type choosy struct {
	ails func(results int) agenttest.Reply

	mu    sync.Mutex
	asked [][]models.Message
}

func (c *choosy) Stream(ctx context.Context, req models.Request) iter.Seq2[models.Event, error] {
	results := 0
	for _, m := range req.Messages {
		if m.Role == models.ToolRole {
			results++
		}
	}
	text, _ := said(req.Messages)
	reply := agenttest.Saying("All done.")
	switch {
	case strings.Contains(text, condensedNote):
	case results == 0:
		reply = agenttest.Calling("c1", "a_run", `{"n":1}`)
	default:
		reply = c.ails(results)
	}
	c.mu.Lock()
	c.asked = append(c.asked, req.Messages)
	c.mu.Unlock()
	return agenttest.NewScript(reply).Stream(ctx, req)
}

// The gateway is stopped after each event of a turn that is repaired; another
// takes it up. The turn is repaired once, with the same history whoever asks,
// and no tool runs twice.
func TestRepairCutPoints(t *testing.T) {
	t.Parallel()
	same := func(reply agenttest.Reply) func(int) agenttest.Reply {
		return func(int) agenttest.Reply { return reply }
	}
	for name, ails := range map[string]func(int) agenttest.Reply{
		"too long":        same(after("I was", sdkapi.ModelContextFull, nil)),
		"broken off":      same(after("I was", sdkapi.ModelUnavailable, nil)),
		"nothing":         same(agenttest.Reply{Thoughts: []string{"hm"}}),
		"no such tools":   same(agenttest.Calling("", "nothing", `{}`)),
		"the same call":   same(agenttest.Calling("", "a_run", `{"n":1}`)),
		"others' refusal": same(after("", sdkapi.ModelError, refusal(400, "", "wrong"))),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := 0
			synctest.Test(t, func(t *testing.T) { whole = cutRepairAfter(t, 1000, ails) })
			if whole < 10 {
				t.Fatalf("only %d events", whole)
			}
			for n := 3; n < whole; n++ {
				synctest.Test(t, func(t *testing.T) { cutRepairAfter(t, n, ails) })
			}
		})
	}
}

// cutRepairAfter lets a turn's gateway stop after n events, has another go on,
// and returns how many events there are.
func cutRepairAfter(t *testing.T, n int, ails func(int) agenttest.Reply) int {
	t.Helper()
	runs := map[string]int{}
	model := &choosy{ails: ails}
	b := agenttest.New(t).Tool("a.run", agent.Safe, func(_ context.Context, c agent.Call) (agent.Result, error) {
		runs[c.ID]++ // one at a time, here
		return agent.Result{Content: []agent.Part{agent.Text("ok")}}, nil
	})
	b.Config.Model = b.Ask(model)
	b.Config.Policy = session.Policy{{Tool: "*", Verdict: session.Allow, Untrusted: true}}
	cut := &cutter{Journal: b.Journal}
	cut.left.Store(int64(n))
	b.Config.Journal = cut
	b.Open(session.Settings{}).Start("go")
	synctest.Wait() // the turn has ended, or its gateway has stopped
	b.Sessions.Close()
	b.Config.Journal = b.Journal
	next := b.Gateway(b.Config)
	run, stop := context.WithCancel(t.Context())
	defer stop()
	go next.Run(run)
	events := untilEnd(b)
	if r := repairs(t, events); len(r) != 1 {
		t.Errorf("cut after %d: repaired %+v", n, r)
	}
	if e := agenttest.Last[session.TurnEnded](t, events); e.Reason != session.EndDone || e.Answer != "All done." {
		t.Errorf("cut after %d: ended %+v", n, e)
	}
	for call, times := range runs {
		if times > 1 {
			t.Errorf("cut after %d: %s ran %d times", n, call, times)
		}
	}
	var first []models.Message
	for _, asked := range model.asked {
		agenttest.Valid(t, asked)
		if text, _ := said(asked); !strings.Contains(text, condensedNote) {
			continue
		}
		if first == nil {
			first = asked
		}
		if !reflect.DeepEqual(asked, first) {
			t.Errorf("cut after %d: asked %+v, and before %+v", n, asked, first)
		}
	}
	if state := b.State(); !reflect.DeepEqual(state, folded(t, events)) {
		t.Errorf("cut after %d: the state is %+v", n, state)
	}
	return len(events)
}

// untilEnd returns the events until the turn's end. What the user is asked, as
// nobody knows what came of a call, is approved.
func untilEnd(b *agenttest.Bench) []journal.Event {
	var events []journal.Event
	b.Watch(func(e journal.Event) bool {
		events = append(events, e)
		var asked struct{ Decision string }
		if e.Kind == session.KindApprovalRequested && json.Unmarshal(e.Data, &asked) == nil {
			b.Decide(asked.Decision, journal.Answer{})
		}
		return e.Kind == session.KindTurnEnded
	})
	return events
}
