package session_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// pieces is an answer that comes slowly.
var pieces = agenttest.Reply{
	Text: strings.SplitAfter("one two three four five six seven eight", " "), Delay: 300 * time.Millisecond, Usage: models.Usage{Input: 7, Output: 8},
}

// another has one more gateway look for turns that were left, until the test ends.
func another(t *testing.T, b *agenttest.Bench) *session.Sessions {
	t.Helper()
	cfg := b.Config
	cfg.Journal = b.Journal.Join()
	next := b.Gateway(cfg)
	run, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	go next.Run(run)
	return next
}

// An answer in whose middle the gateway stops begins again: nothing of the first
// half is in the history, none of its calls is made, and it is counted once.
func TestStopMidAnswer(t *testing.T) {
	t.Parallel()
	calling := pieces
	calling.Calls = []models.Call{{ID: "c1", Name: "a_run", Arguments: []byte(`{"n":1}`)}}
	for name, reply := range map[string]agenttest.Reply{"an answer": pieces, "one with a call": calling} {
		t.Run(name, func(t *testing.T) {
			timed(t, func(t *testing.T) {
				runs := 0
				replies := []agenttest.Reply{reply, reply, {Text: []string{"Done."}, Usage: models.Usage{Input: 1}}}
				b := agenttest.New(t, replies...).Tool("a.run", agent.Safe, func(context.Context, agent.Call) (agent.Result, error) {
					runs++
					return agent.Result{Content: []agent.Part{agent.Text("ok")}}, nil
				}).Open(session.Settings{})
				b.Start("count")
				b.UntilNth(session.KindModelText, 2)
				b.Sessions.Close()
				if state := b.State(); len(state.Messages) != 1 || state.Turn == nil || !state.Turn.Waiting {
					t.Fatalf("the stop leaves %+v", state)
				}
				stopped := time.Now()
				another(t, b)
				events := b.Until(session.KindTurnEnded)
				wholeAnswers(t, events, reply)
				if n := len(reply.Calls); runs != n {
					t.Errorf("%d calls were made, of %d", runs, n)
				}
				if asked := b.Model.Requests(); !reflect.DeepEqual(asked[0].Messages, asked[1].Messages) {
					t.Errorf("the model is asked %+v, and was before %+v", asked[1].Messages, asked[0].Messages)
				}
				if idle := time.Since(stopped); idle > 2*time.Second+8*pieces.Delay+pieces.Delay {
					t.Errorf("it took %v: nobody took the turn up within 2 s", idle)
				}
			})
		})
	}
}

// wholeAnswers fails unless a turn ended well, in whose first round the model
// said all of reply, once, and its usage is that of the answers in the history.
func wholeAnswers(t *testing.T, events []journal.Event, reply agenttest.Reply) {
	t.Helper()
	var answers []session.ModelAnswered
	var usage models.Usage
	for _, e := range events {
		if e.Kind == session.KindModelAnswered {
			a := agenttest.Data[session.ModelAnswered](t, e)
			answers, usage = append(answers, a), usage.Add(a.Usage)
		}
	}
	want := strings.Join(reply.Text, "")
	if len(answers) != 1+len(reply.Calls) || answers[0].Message.Parts[0].Text != want || answers[0].Usage != reply.Usage {
		t.Errorf("answers %+v; want one of %q and %d after it", answers, want, len(reply.Calls))
	}
	ended := agenttest.Last[session.TurnEnded](t, events)
	if ended.Reason != session.EndDone || ended.Usage != usage || len(reply.Calls) == 0 && ended.Answer != want {
		t.Errorf("ended %+v; want usage %+v", ended, usage)
	}
}

// What is left of an answer that broke off for good is in the history as such:
// after a cancel, when the time is over, and when the provider fails. The model
// gets a note, and none of it is ever an answer, wherever the gateway is killed.
func TestFragments(t *testing.T) {
	t.Parallel()
	held, failing := pieces, pieces
	held.Hold = true
	failing.Err = fault.New("test", sdkapi.ModelRateLimited, "too much")
	cancel := func(t *testing.T, b *agenttest.Bench, turn string) {
		t.Helper()
		b.UntilNth(session.KindModelText, 8)
		if err := b.Sessions.Cancel(t.Context(), one, ada, turn); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		reply agenttest.Reply
		stop  func(*testing.T, *agenttest.Bench, string)
		want  session.EndReason
	}{
		"canceled":           {held, cancel, session.EndCanceled},
		"out of time":        {held, nil, session.EndTime},
		"the provider fails": {failing, nil, session.EndFailed},
	} {
		t.Run(name, func(t *testing.T) {
			timed(t, func(t *testing.T) {
				b := agenttest.New(t, tt.reply).Open(session.Settings{})
				turn := b.Start("count")
				if tt.stop != nil {
					tt.stop(t, b, turn)
				}
				events := b.Until(session.KindTurnEnded)
				ended := agenttest.Last[session.TurnEnded](t, events)
				if ended.Reason != tt.want || ended.Answer != "" || !ended.Usage.Estimated || ended.Usage.Input == 0 || ended.Usage.Output == 0 {
					t.Errorf("ended %+v", ended)
				}
				kept := b.State().Messages
				if len(kept) != 2 || !kept[1].Cut || kept[1].Parts[0].Text != strings.Join(pieces.Text, "") {
					t.Errorf("the history has %+v", kept)
				}
				synctest.Wait() // the lease is given back behind the end
				b.Start("again")
				b.UntilNth(session.KindTurnEnded, 2)
				told, _ := said(b.Model.Requests()[1].Messages)
				if !strings.Contains(told, "cut off") {
					t.Errorf("the model is told %q", told)
				}
			})
		})
	}
}

// A turn whose end cannot be written, as its gateway is killed, is asked again:
// what the model had said is not taken for its answer.
func TestFragmentIsNoAnswer(t *testing.T) {
	t.Parallel()
	failing := agenttest.Reply{Text: []string{"Half an ans"}, Err: fault.New("test", sdkapi.ModelRateLimited, "too much")}
	for n := 3; n < 12; n++ {
		t.Run(fmt.Sprintf("after %d events", n), func(t *testing.T) {
			timed(t, func(t *testing.T) {
				b := agenttest.New(t, failing, agenttest.Saying("The whole answer."))
				cut := &cutter{Journal: b.Journal}
				cut.left.Store(int64(n))
				b.Config.Journal = cut
				b.Open(session.Settings{}).Start("go")
				synctest.Wait()
				b.Sessions.Close()
				b.Config.Journal = b.Journal
				another(t, b)
				ended := agenttest.Last[session.TurnEnded](t, b.Until(session.KindTurnEnded))
				whole := ended.Reason == session.EndDone && ended.Answer == "The whole answer."
				if failed := ended.Reason == session.EndFailed && ended.Answer == ""; !whole && !failed {
					t.Errorf("ended %+v", ended)
				}
				for _, m := range b.State().Messages[1:] {
					if m.Parts[0].Text == failing.Text[0] && (!m.Cut || whole) {
						t.Errorf("the history has %+v", m)
					}
				}
			})
		})
	}
}

// A turn that an older gateway left with half an answer, which those took for a
// whole one, is asked again.
func TestFragmentOfOlderGateway(t *testing.T) {
	timed(t, func(t *testing.T) {
		b := agenttest.New(t, agenttest.Saying("The whole answer.")).Open(session.Settings{})
		lease, err := b.Journal.Lease(t.Context(), "turn/"+one, "an older gateway", journal.MinTTL)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []journal.Event{
			{Kind: session.KindTurnStarted, Data: []byte(`{"turn":"t1","started":"2000-01-01T00:00:00Z","fence":"f","parts":[{"text":"go"}],"control":0}`)},
			{Kind: session.KindModelAsked, Data: []byte(`{"turn":"t1","round":1,"model":"m"}`)},
			{Kind: session.KindModelAnswered, Data: []byte(`{"turn":"t1","message":{"role":"assistant","parts":[{"text":"Half"},{"call":{"ID":"c1","Name":"a_run","Arguments":{}}}]},"usage":{},"end":"","tokens":0}`)},
		} {
			if _, err := b.Journal.AppendAs(t.Context(), lease, "session/"+one, e); err != nil {
				t.Fatal(err)
			}
		}
		another(t, b)
		events := b.Until(session.KindTurnEnded)
		if ended := agenttest.Last[session.TurnEnded](t, events); ended.Answer != "The whole answer." {
			t.Errorf("ended %+v", ended)
		}
		state := b.State()
		if len(state.Messages) != 2 || state.Messages[1].Cut || !reflect.DeepEqual(state, folded(t, events)) {
			t.Errorf("the history has %+v", state.Messages)
		}
	})
}

// A drain waits for what a model or a tool works on, until it ends or waits for
// somebody outside, and for nothing else. Nothing begins meanwhile.
func TestDrain(t *testing.T) {
	t.Parallel()
	slow := func(context.Context, agent.Call) (agent.Result, error) {
		time.Sleep(3 * time.Second)
		return agent.Result{Content: []agent.Part{agent.Text("ok")}}, nil
	}
	held := pieces
	held.Hold = true
	for name, tt := range map[string]struct {
		replies []agenttest.Reply
		until   string
		takes   time.Duration
		ends    bool
	}{
		"the model speaks":    {[]agenttest.Reply{pieces}, session.KindModelAsked, 9 * pieces.Delay, true},
		"a tool runs":         {[]agenttest.Reply{agenttest.Calling("c1", "slow_run", `{}`)}, session.KindToolStarted, 3 * time.Second, true},
		"the user is asked":   {[]agenttest.Reply{agenttest.Calling("c1", "risky_run", `{}`)}, session.KindApprovalRequested, 0, false},
		"the client runs it":  {[]agenttest.Reply{agenttest.Calling("c1", "click", `{}`, "c2", "click", `{"n":2}`)}, session.KindToolRequested, 0, false},
		"a tool, then a user": {[]agenttest.Reply{agenttest.Calling("c1", "slow_run", `{}`), agenttest.Calling("c2", "risky_run", `{}`)}, session.KindToolStarted, 3 * time.Second, false},
		"it takes too long":   {[]agenttest.Reply{held}, session.KindModelAsked, 30 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			timed(t, func(t *testing.T) {
				b := agenttest.New(t, tt.replies...).Tool("slow.run", agent.Safe, slow).Tool("risky.run", agent.Risky, nil)
				b.Config.Policy = session.Policy{{Tool: "slow_run", Verdict: session.Allow, Untrusted: true}}
				b.Open(session.Settings{Tools: []session.ClientTool{agenttest.ClientTool("click")}})
				b.Start("go")
				b.Until(tt.until)
				synctest.Wait()
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				defer cancel()
				began := time.Now()
				refused := make(chan error, 1)
				go func() {
					synctest.Wait()
					_, err := b.Sessions.Start(ctx, one, ada, []session.Part{{Text: "x"}}, session.Queue)
					refused <- err
				}()
				b.Sessions.Drain(ctx)
				took(t, began, tt.takes)
				if err := <-refused; fault.CodeOf(err) != sdkapi.Overloaded {
					t.Errorf("a message meanwhile: %v", err)
				}
				if ended := b.State().Turn == nil; ended != tt.ends || b.Sessions.Working(one) != (tt.takes == 30*time.Second) {
					t.Errorf("ended: %v; somebody works on it: %v", ended, b.Sessions.Working(one))
				}
				b.Sessions.Drain(ctx) // once more is fine
				b.Sessions.Close()
				if b.Sessions.Working(one) {
					t.Error("somebody works on it after Close")
				}
			})
		})
	}
}

// What waits for somebody when its gateway stops waits on at the next one, which
// takes the turn up at once, and an answer that comes in between is not lost.
func TestDrainKeepsWaiting(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} {
		t.Run(fmt.Sprint("answered late: ", late), func(t *testing.T) {
			timed(t, func(t *testing.T) {
				b := agenttest.New(t, agenttest.Calling("c1", "risky_run", `{}`)).Tool("risky.run", agent.Risky, nil).Open(session.Settings{})
				b.Start("go")
				asked := agenttest.Last[session.ApprovalRequested](t, b.Until(session.KindApprovalRequested))
				synctest.Wait()
				b.Sessions.Drain(t.Context())
				began := time.Now()
				if !late {
					b.Decide(asked.Decision, journal.Answer{})
				}
				another(t, b)
				if late {
					time.Sleep(time.Minute)
					began = time.Now()
					b.Decide(asked.Decision, journal.Answer{})
				}
				events := b.Until(session.KindTurnEnded)
				if took := time.Since(began); took > 2*time.Second {
					t.Errorf("it goes on after %v", took)
				}
				if kinds := agenttest.Kinds(events); strings.Count(kinds, session.KindToolEnded) != 1 || strings.Count(kinds, session.KindApprovalRequested) != 1 {
					t.Errorf("events %s", kinds)
				}
			})
		})
	}
}

// A message that waits behind a turn is not begun by a gateway that drains. The
// next one takes it.
func TestDrainLeavesQueue(t *testing.T) {
	timed(t, func(t *testing.T) {
		b := agenttest.New(t, pieces, agenttest.Saying("B")).Open(session.Settings{})
		b.Start("a")
		b.Until(session.KindModelText)
		queued, err := b.Sessions.Start(t.Context(), one, ada, []session.Part{{Text: "b"}}, session.Queue)
		if err != nil || !queued.Queued {
			t.Fatalf("%+v, %v", queued, err)
		}
		b.Sessions.Drain(t.Context())
		if state := b.State(); state.Turn != nil || len(state.Messages) != 2 {
			t.Errorf("the drain leaves %+v", state)
		}
		began := time.Now()
		another(t, b)
		ended := agenttest.Last[session.TurnEnded](t, b.UntilNth(session.KindTurnEnded, 2))
		if ended.Turn != queued.Turn || ended.Answer != "B" || time.Since(began) > 2*time.Second {
			t.Errorf("ended %+v after %v", ended, time.Since(began))
		}
	})
}

// Of a tool that was stopped nobody knows how far it came, whatever it says of
// that: the user is asked before it is called in the same way again.
func TestStoppedTool(t *testing.T) {
	t.Parallel()
	for name, result := range map[string]agent.Result{
		"says that it failed": {Content: []agent.Part{agent.Text("I was stopped")}, IsError: true},
		"says nothing":        {},
	} {
		t.Run(name, func(t *testing.T) {
			timed(t, func(t *testing.T) {
				call := agenttest.Calling("c1", "slow_run", `{}`)
				b := agenttest.New(t, call, call).Tool("slow.run", agent.Safe, func(ctx context.Context, _ agent.Call) (agent.Result, error) {
					<-ctx.Done()
					if !result.IsError {
						return result, ctx.Err()
					}
					return result, nil
				}).Open(session.Settings{})
				b.Start("go")
				b.Until(session.KindToolStarted)
				synctest.Wait()
				b.Sessions.Close()
				another(t, b)
				events := b.Until(session.KindApprovalRequested)
				asked := agenttest.Last[session.ApprovalRequested](t, events)
				if !strings.Contains(asked.Reason, "with an unknown result") {
					t.Errorf("asked %+v", asked)
				}
				for _, e := range events {
					if e.Kind == session.KindToolEnded && agenttest.Data[session.ToolEnded](t, e).Outcome != session.Unknown {
						t.Errorf("the call ended as %s", e.Data)
					}
				}
			})
		})
	}
}
