package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
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

// took fails unless a turn that has just ended has taken that long.
func took(t *testing.T, began time.Time, want time.Duration) {
	t.Helper()
	if got := time.Since(began); got != want {
		t.Errorf("it took %v, not %v", got, want)
	}
}

// A user or a client who does not answer is waited for as long as the deployment
// says, ten minutes by default. Then the model gets a result, and the turn goes on.
func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		call    string
		wait    time.Duration // 0 for the default
		outcome session.Outcome
		told    string
		want    time.Duration
	}{
		"the user":                {"shell_run", 0, session.Denied, "the user did not approve it in time", journal.DefaultExpiry},
		"the user for a minute":   {"shell_run", time.Minute, session.Denied, "the user did not approve it in time", time.Minute},
		"the client":              {"click", 0, session.Unknown, "the client did not answer in time", journal.DefaultExpiry},
		"the client for a minute": {"click", time.Minute, session.Unknown, "the client did not answer in time", time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			timed(t, func(t *testing.T) {
				b := agenttest.New(t, agenttest.Calling("c1", tt.call, `{}`)).Tool("shell.run", agent.Risky, nil)
				b.Config.Limits.Answer = tt.wait
				b.Open(session.Settings{Tools: []session.ClientTool{agenttest.ClientTool("click")}})
				began := time.Now()
				b.Start("go")
				ended := agenttest.Last[session.ToolEnded](t, b.Until(session.KindToolEnded))
				took(t, began, tt.want)
				if ended.Outcome != tt.outcome {
					t.Errorf("the call is %s", ended.Outcome)
				}
				if ended := agenttest.Last[session.TurnEnded](t, b.Until(session.KindTurnEnded)); ended.Reason != session.EndDone {
					t.Errorf("ended %+v", ended)
				}
				asked := b.Model.Requests()
				agenttest.Valid(t, asked[1].Messages)
				if told := asked[1].Messages[2].Parts[0].Result; !told.IsError || !strings.Contains(told.Parts[0].Text, tt.told) {
					t.Errorf("the model was told %+v", told)
				}
			})
		})
	}
}

// A turn ends after an hour, whatever it waits for.
func TestWallTime(t *testing.T) {
	t.Parallel()
	again := make([]agenttest.Reply, 10) // asks the user for ten minutes each
	for i := range again {
		again[i] = agenttest.Calling(fmt.Sprint("c", i), "shell_run", fmt.Sprintf(`{"n":%d}`, i))
	}
	for name, replies := range map[string][]agenttest.Reply{
		"the model":             {{Text: []string{"Well,"}, Hold: true}},
		"a tool":                {agenttest.Calling("c1", "slow_run", `{}`)},
		"users, one by another": again,
	} {
		t.Run(name, func(t *testing.T) {
			timed(t, func(t *testing.T) {
				b := agenttest.New(t, replies...).Tool("slow.run", agent.Safe, patient(0)).Tool("shell.run", agent.Risky, nil)
				b.Open(session.Settings{})
				began := time.Now()
				b.Start("go")
				ended := agenttest.Last[session.TurnEnded](t, b.Until(session.KindTurnEnded))
				took(t, began, time.Hour)
				if ended.Reason != session.EndTime || !strings.Contains(ended.Message, "1h0m0s") {
					t.Errorf("ended %+v", ended)
				}
			})
		})
	}
}

// patient returns a tool that goes on until it is told to stop, and so long
// after that.
func patient(deaf time.Duration) func(context.Context, agent.Call) (agent.Result, error) {
	return func(ctx context.Context, _ agent.Call) (agent.Result, error) {
		<-ctx.Done()
		time.Sleep(deaf)
		return agent.Result{}, ctx.Err()
	}
}

// Nothing new begins while a turn is open, and a cancel ends it within a
// second, whatever it is doing, and also where model or tool do not listen.
func TestBusyAndCancel(t *testing.T) {
	t.Parallel()
	const deaf = 5 * time.Second
	for name, tt := range map[string]struct {
		reply   agenttest.Reply
		until   string
		outcome session.Outcome
	}{
		"while the model speaks":           {agenttest.Reply{Text: []string{"Well,"}, Hold: true}, session.KindModelText, ""},
		"while the model does not listen":  {agenttest.Reply{Text: []string{"Well,"}, Hold: true, Deaf: deaf}, session.KindModelText, ""},
		"while a tool runs":                {agenttest.Calling("c1", "slow_run", `{}`), session.KindToolStarted, session.Unknown},
		"while a tool does not listen":     {agenttest.Calling("c1", "deaf_run", `{}`), session.KindToolStarted, session.Unknown},
		"while one of two does not listen": {agenttest.Calling("c0", "slow_run", `{}`, "c1", "deaf_run", `{}`), session.KindToolStarted, session.Unknown},
		"while the user is asked":          {agenttest.Calling("c1", "risky_run", `{}`), session.KindApprovalRequested, session.Canceled},
		"while the client runs something":  {agenttest.Calling("c1", "click", `{}`), session.KindToolRequested, session.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			timed(t, func(t *testing.T) {
				b := agenttest.New(t, tt.reply).Tool("slow.run", agent.Safe, patient(0)).Tool("deaf.run", agent.Safe, patient(deaf)).Tool("risky.run", agent.Risky, nil)
				b.Open(session.Settings{Tools: []session.ClientTool{agenttest.ClientTool("click")}})
				turn := b.Start("go")
				b.Until(tt.until)
				synctest.Wait()
				if _, err := b.Sessions.Start(t.Context(), one, ada, nil, session.Reject); fault.CodeOf(err) != sdkapi.TurnRunning {
					t.Errorf("a second turn: %v", err)
				}
				if err := b.Sessions.Configure(t.Context(), one, ada, session.Settings{}); fault.CodeOf(err) != sdkapi.TurnRunning {
					t.Errorf("settings: %v", err)
				}
				began := time.Now()
				if err := b.Sessions.Cancel(t.Context(), one, ada, turn); err != nil {
					t.Fatal(err)
				}
				events := b.Until(session.KindTurnEnded)
				if ended := agenttest.Last[session.TurnEnded](t, events); ended.Reason != session.EndCanceled || time.Since(began) >= time.Second {
					t.Errorf("ended %+v after %v", ended, time.Since(began))
				}
				if tt.outcome != "" {
					if ended := agenttest.Last[session.ToolEnded](t, events[:len(events)-1]); ended.Outcome != tt.outcome {
						t.Errorf("the call is %s", ended.Outcome)
					}
				}
				synctest.Wait() // the lease is given back behind the end
				b.Start("again")
				b.UntilNth(session.KindTurnEnded, 2)
				requests := b.Model.Requests()
				agenttest.Valid(t, requests[len(requests)-1].Messages)
			})
		})
	}
}

// What a tool gave just before it was told to stop is kept.
func TestLateResult(t *testing.T) {
	timed(t, func(t *testing.T) {
		b := agenttest.New(t, agenttest.Calling("c1", "late_run", `{}`)).Tool("late.run", agent.Safe, func(ctx context.Context, _ agent.Call) (agent.Result, error) {
			<-ctx.Done()
			return agent.Result{Content: []agent.Part{agent.Text("just done")}}, nil
		}).Open(session.Settings{})
		turn := b.Start("go")
		synctest.Wait() // the tool runs
		if err := b.Sessions.Cancel(t.Context(), one, ada, turn); err != nil {
			t.Fatal(err)
		}
		if ended := agenttest.Last[session.ToolEnded](t, b.Until(session.KindToolEnded)); ended.Outcome != session.Done || ended.Result.Parts[0].Text != "just done" {
			t.Errorf("the call ended %+v", ended)
		}
		b.Until(session.KindTurnEnded)
	})
}

// A gateway that stops does not wait for ever for a tool that does not.
func TestCloseEnds(t *testing.T) {
	timed(t, func(t *testing.T) {
		b := agenttest.New(t, agenttest.Calling("c1", "deaf_run", `{}`)).Tool("deaf.run", agent.Safe, patient(time.Hour)).Open(session.Settings{})
		b.Start("go")
		synctest.Wait() // the tool runs
		began := time.Now()
		b.Sessions.Close()
		took(t, began, 10*time.Second)
		time.Sleep(time.Hour) // until it has ended
	})
}

// A model that says nothing more, also when it is asked again and with another
// history, is given up, and what it said is kept.
func TestModelStalls(t *testing.T) {
	timed(t, func(t *testing.T) {
		stalls := agenttest.Reply{Text: []string{"Well,"}, Hold: true}
		b := agenttest.New(t, stalls, stalls, stalls)
		b.Config.Model = b.Ask(models.Retry(b.Model, models.RetryOptions{}))
		b.Open(session.Settings{})
		began := time.Now()
		b.Start("go")
		ended := agenttest.Last[session.TurnEnded](t, b.Until(session.KindTurnEnded))
		took(t, began, 3*2*time.Minute)
		if ended.Code != sdkapi.ModelUnavailable || ended.Reason != session.EndFailed {
			t.Errorf("ended %+v", ended)
		}
		if said := b.State().Messages[1].Parts[0].Text; said != "Well," {
			t.Errorf("it said %q", said)
		}
	})
}

// A model that is busy is asked again, and the turn goes on.
func TestModelIsBusy(t *testing.T) {
	timed(t, func(t *testing.T) {
		busy := agenttest.Reply{Err: fault.New("x", sdkapi.ModelRateLimited, "later").Because(&models.Refusal{RetryAfter: 20 * time.Second})}
		b := agenttest.New(t, busy, busy, agenttest.Saying("At last."))
		b.Config.Model = b.Ask(models.Retry(b.Model, models.RetryOptions{}))
		b.Open(session.Settings{})
		began := time.Now()
		b.Start("go")
		if ended := agenttest.Last[session.TurnEnded](t, b.Until(session.KindTurnEnded)); ended.Answer != "At last." {
			t.Errorf("ended %+v", ended)
		}
		took(t, began, 40*time.Second)
	})
}

// unplugged is a journal that a gateway can be cut off from, for a while.
type unplugged struct {
	journal.Journal
	off atomic.Bool
}

func (u *unplugged) Lease(ctx context.Context, key, owner string, ttl time.Duration) (journal.Lease, error) {
	if u.off.Load() {
		return journal.Lease{}, fault.New("unplugged", sdkapi.StateUnavailable, "away")
	}
	return u.Journal.Lease(ctx, key, owner, ttl)
}

// A gateway that cannot renew its lease loses the turn to another one while its
// model still speaks. What it would append later is refused.
func TestLeaseLost(t *testing.T) {
	timed(t, func(t *testing.T) {
		wire := &unplugged{}
		b := agenttest.New(t, agenttest.Reply{Text: []string{"first, ", "late"}, Delay: 40 * time.Second}, agenttest.Saying("second"))
		wire.Journal = b.Journal
		b.Config.Journal = wire
		b.Config.LeaseTTL = 30 * time.Second
		b.Open(session.Settings{})
		other := b.Config
		other.Journal = b.Journal.Join()
		next := b.Gateway(other)
		run, stop := context.WithCancel(t.Context())
		defer stop()
		go next.Run(run)
		b.Start("go")
		synctest.Wait()
		began := time.Now()
		wire.off.Store(true)
		events := b.Until(session.KindTurnEnded)
		if got := time.Since(began); got > 2*b.Config.LeaseTTL {
			t.Errorf("nobody worked on the turn for %v", got)
		}
		if ended := agenttest.Last[session.TurnEnded](t, events); ended.Reason != session.EndDone || ended.Answer != "second" {
			t.Errorf("ended %+v", ended)
		}
		time.Sleep(time.Hour)
		if state := b.State(); len(state.Messages) != 2 || state.Seq != int64(len(events)) {
			t.Errorf("after the end there are %+v, up to %d", state.Messages, state.Seq)
		}
		if strings.Contains(agenttest.Kinds(events), session.KindTurnEnded+" "+session.KindTurnEnded) {
			t.Errorf("events %s", agenttest.Kinds(events))
		}
	})
}

// A gateway that stands still, as a machine that sleeps does, and finds its turn
// taken when it goes on, appends nothing.
func TestLateAppend(t *testing.T) {
	timed(t, func(t *testing.T) {
		still := &asleep{}
		b := agenttest.New(t, agenttest.Calling("c1", "a_run", `{}`)).Tool("a.run", agent.Risky, nil)
		still.Journal = b.Journal
		b.Config.Journal = still
		b.Config.Policy = session.Policy{{Tool: "a_run", Verdict: session.Allow, Untrusted: true}}
		b.Open(session.Settings{})
		still.after.Store(6) // the model's answer is the one that sleeps
		other := b.Config
		other.Journal = b.Journal.Join()
		next := b.Gateway(other)
		b.Start("go")
		run, stop := context.WithCancel(t.Context())
		defer stop()
		go next.Run(run)
		events := b.Until(session.KindTurnEnded)
		time.Sleep(time.Hour)
		if got := still.refused.Load(); got == 0 {
			t.Error("the late append was taken")
		}
		if state := b.State(); state.Seq != int64(len(events)) {
			t.Errorf("%d events, and %d in the end", len(events), state.Seq)
		}
		agenttest.Valid(t, b.Model.Requests()[len(b.Model.Requests())-1].Messages)
	})
}

// asleep is a journal whose gateway stands still for a while before an append,
// and does not renew its leases meanwhile.
type asleep struct {
	journal.Journal
	after   atomic.Int64 // appends from now; 0 for none
	off     atomic.Bool
	refused atomic.Int64
}

func (a *asleep) AppendAs(ctx context.Context, lease journal.Lease, stream string, events ...journal.Event) (int64, error) {
	if left := a.after.Load(); left > 0 {
		if left -= int64(len(events)); left <= 0 {
			left = 0
			a.off.Store(true)
			time.Sleep(time.Minute)
		}
		a.after.Store(left)
	}
	last, err := a.Journal.AppendAs(context.WithoutCancel(ctx), lease, stream, events...)
	if fault.CodeOf(err) == sdkapi.LeaseLost {
		a.refused.Add(1)
	}
	return last, err
}

func (a *asleep) Lease(ctx context.Context, key, owner string, ttl time.Duration) (journal.Lease, error) {
	if a.off.Load() {
		return journal.Lease{}, fault.New("asleep", sdkapi.StateUnavailable, "away")
	}
	return a.Journal.Lease(ctx, key, owner, ttl)
}

// Messages that wait behind a turn outlive the gateway that took them: another
// one ends the turn, and then takes the messages in their order.
func TestQueueOutlivesGateway(t *testing.T) {
	timed(t, func(t *testing.T) {
		wire := &unplugged{}
		b := agenttest.New(t, agenttest.Reply{Hold: true}, agenttest.Saying("A"), agenttest.Saying("B"), agenttest.Saying("C"))
		wire.Journal = b.Journal
		b.Config.Journal = wire
		b.Open(session.Settings{}).Start("a")
		for _, text := range []string{"b", "c"} {
			if started, err := b.Sessions.Start(t.Context(), one, ada, []session.Part{{Text: text}}, session.Queue); err != nil || !started.Queued {
				t.Fatalf("%+v, %v", started, err)
			}
		}
		wire.off.Store(true)
		other := b.Config
		other.Journal = b.Journal.Join()
		run, stop := context.WithCancel(t.Context())
		defer stop()
		next := b.Gateway(other)
		go next.Run(run)
		b.UntilNth(session.KindTurnEnded, 3)
		var said []string
		for _, m := range b.State().Messages {
			said = append(said, m.Parts[0].Text)
		}
		if got := strings.Join(said, " "); got != "a A b B c C" {
			t.Errorf("the conversation is %q", got)
		}
	})
}

// A message that comes while a thousand cancels of old turns lie in the control
// stream is found behind them.
func TestQueueBehindCancels(t *testing.T) {
	timed(t, func(t *testing.T) {
		b := agenttest.New(t, agenttest.Reply{Text: []string{"Well,"}, Hold: true}, agenttest.Saying("B")).Open(session.Settings{})
		turn := b.Start("a")
		b.Until(session.KindModelText)
		for range journal.MaxEvents + 1 {
			if err := b.Sessions.Cancel(t.Context(), one, ada, "another"); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := b.Sessions.Start(t.Context(), one, ada, []session.Part{{Text: "b"}}, session.Queue); err != nil {
			t.Fatal(err)
		}
		if err := b.Sessions.Cancel(t.Context(), one, ada, turn); err != nil {
			t.Fatal(err)
		}
		if ended := agenttest.Last[session.TurnEnded](t, b.UntilNth(session.KindTurnEnded, 2)); ended.Answer != "B" {
			t.Errorf("ended %+v", ended)
		}
	})
}

// dying is a journal whose gateway dies at the moment when it gives a lease back.
type dying struct {
	journal.Journal
	before func() // the lease is given back; nil for nothing
	dead   atomic.Bool
}

func (d *dying) gone() error {
	if d.dead.Load() {
		return fault.New("dying", sdkapi.StateUnavailable, "dead")
	}
	return nil
}

func (d *dying) Release(ctx context.Context, lease journal.Lease) error {
	if d.before == nil {
		return errors.Join(d.gone(), d.Journal.Release(ctx, lease))
	}
	d.before()
	err := d.Journal.Release(ctx, lease)
	d.dead.Store(true)
	return err
}

func (d *dying) Read(ctx context.Context, stream string, after int64, limit int) ([]journal.Event, error) {
	events, err := d.Journal.Read(ctx, stream, after, limit)
	return events, errors.Join(d.gone(), err)
}

func (d *dying) Lease(ctx context.Context, key, owner string, ttl time.Duration) (journal.Lease, error) {
	if err := d.gone(); err != nil {
		return journal.Lease{}, err
	}
	return d.Journal.Lease(ctx, key, owner, ttl)
}

// A message that was acknowledged is answered, also when it came while the
// gateway gave the session's lease back, and that gateway died over it.
func TestQueuedAtTheEnd(t *testing.T) {
	timed(t, func(t *testing.T) {
		d := &dying{}
		b := agenttest.New(t, agenttest.Saying("A"), agenttest.Saying("B"))
		d.Journal = b.Journal
		b.Config.Journal = d
		b.Open(session.Settings{})
		acknowledged := make(chan bool, 1)
		d.before = func() {
			go func() {
				_, err := b.Sessions.Start(t.Context(), one, ada, []session.Part{{Text: "b"}}, session.Queue)
				acknowledged <- err == nil
			}()
			time.Sleep(time.Second)
		}
		b.Start("a")
		time.Sleep(time.Minute)
		other := b.Config
		other.Journal = b.Journal.Join()
		run, stop := context.WithCancel(t.Context())
		defer stop()
		next := b.Gateway(other)
		go next.Run(run)
		time.Sleep(time.Hour)
		state, err := next.State(t.Context(), one, ada)
		if err != nil {
			t.Fatal(err)
		}
		if told := <-acknowledged; told && len(state.Messages) != 4 {
			t.Errorf("the message was taken, and there are %+v", state.Messages)
		}
	})
}

// slowly is a journal that takes its time to append to a session.
type slowly struct{ journal.Journal }

func (s slowly) AppendAs(ctx context.Context, lease journal.Lease, stream string, events ...journal.Event) (int64, error) {
	time.Sleep(time.Second)
	return s.Journal.AppendAs(ctx, lease, stream, events...)
}

// A message that comes while the session's settings are changed waits for that,
// and is answered.
func TestQueuedBehindSettings(t *testing.T) {
	timed(t, func(t *testing.T) {
		b := agenttest.New(t)
		b.Config.Journal = slowly{b.Journal}
		b.Open(session.Settings{})
		go func() { _ = b.Sessions.Configure(t.Context(), one, ada, session.Settings{System: "Be long."}) }()
		time.Sleep(time.Second / 2)
		if _, err := b.Sessions.Start(t.Context(), one, ada, []session.Part{{Text: "a"}}, session.Queue); err != nil {
			t.Fatal(err)
		}
		b.Until(session.KindTurnEnded)
	})
}

// Whoever comes first to a session whose gateway is gone, and wants something
// else, does not hide from the others that a turn is open.
func TestBesideAbandonedTurn(t *testing.T) {
	timed(t, func(t *testing.T) {
		wire := &unplugged{}
		b := agenttest.New(t, agenttest.Reply{Hold: true}, agenttest.Saying("A"))
		wire.Journal = b.Journal
		b.Config.Journal = wire
		b.Open(session.Settings{}).Start("a")
		synctest.Wait()
		wire.off.Store(true)
		time.Sleep(time.Minute)
		other := b.Config
		other.Journal = b.Journal.Join()
		next := b.Gateway(other)
		if err := next.Configure(t.Context(), one, ada, session.Settings{}); fault.CodeOf(err) != sdkapi.TurnRunning {
			t.Errorf("settings: %v", err)
		}
		run, stop := context.WithCancel(t.Context())
		defer stop()
		go next.Run(run)
		if ended := agenttest.Last[session.TurnEnded](t, b.Until(session.KindTurnEnded)); ended.Answer != "A" {
			t.Errorf("ended %+v", ended)
		}
	})
}

// The turns of a gateway that is gone are all taken up soon, however many they
// are.
func TestManyAbandonedTurns(t *testing.T) {
	timed(t, func(t *testing.T) {
		const many = 5 * journal.MaxAbandoned
		wire := &unplugged{}
		replies := make([]agenttest.Reply, 2*many)
		for i := range replies {
			replies[i] = agenttest.Saying("A")
			replies[i].Hold = i < many
		}
		b := agenttest.New(t, replies...)
		wire.Journal = b.Journal
		b.Config.Journal = wire
		b.Open(session.Settings{}) // the gateway of this bench
		for n := range many {
			id := fmt.Sprintf("session-%d", n)
			if err := b.Sessions.Create(t.Context(), id, ada, session.Settings{}); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Sessions.Start(t.Context(), id, ada, []session.Part{{Text: "a"}}, session.Reject); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		wire.off.Store(true)
		time.Sleep(time.Minute)
		other := b.Config
		other.Journal, other.LeaseTTL = b.Journal.Join(), 30*time.Second
		next := b.Gateway(other)
		run, stop := context.WithCancel(t.Context())
		defer stop()
		began := time.Now()
		go next.Run(run)
		for n := range many {
			ended := false
			for e, err := range next.Follow(t.Context(), fmt.Sprintf("session-%d", n), 0) {
				if err != nil {
					t.Fatal(err)
				}
				if ended = e.Kind == session.KindTurnEnded; ended {
					break
				}
			}
		}
		if took := time.Since(began); took > other.LeaseTTL/3 {
			t.Errorf("%d turns took %v", many, took)
		}
	})
}
