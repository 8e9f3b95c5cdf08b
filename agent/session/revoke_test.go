package session_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// says gives the Bench's session a message that an install's token brings.
func says(t *testing.T, b *agenttest.Bench, install, text string, busy session.Busy) session.Started {
	t.Helper()
	started, err := b.Sessions.Start(session.WithInstall(t.Context(), install), one, ada, []session.Part{{Text: text}}, busy)
	if err != nil {
		t.Fatal(err)
	}
	return started
}

// A turn ends within a second when its install is revoked or its user deleted,
// whatever it is doing, and not when it is another's.
func TestRevokeEndsTurns(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		reply   agenttest.Reply
		until   string
		outcome session.Outcome
		install string // that is revoked; empty for the user
	}{
		"while the model speaks":          {agenttest.Reply{Text: []string{"Well,"}, Hold: true}, session.KindModelText, "", "laptop"},
		"while a tool runs":               {agenttest.Calling("c1", "slow_run", `{}`), session.KindToolStarted, session.Unknown, "laptop"},
		"while a tool does not listen":    {agenttest.Calling("c1", "deaf_run", `{}`), session.KindToolStarted, session.Unknown, "laptop"},
		"while the user is asked":         {agenttest.Calling("c1", "risky_run", `{}`), session.KindApprovalRequested, session.Canceled, "laptop"},
		"while the client runs something": {agenttest.Calling("c1", "click", `{}`), session.KindToolRequested, session.Unknown, "laptop"},
		"when the user is deleted":        {agenttest.Calling("c1", "risky_run", `{}`), session.KindApprovalRequested, session.Canceled, ""},
	} {
		t.Run(name, func(t *testing.T) {
			timed(t, func(t *testing.T) {
				b := agenttest.New(t, tt.reply).Tool("slow.run", agent.Safe, patient(0)).Tool("deaf.run", agent.Safe, patient(5*time.Second)).Tool("risky.run", agent.Risky, nil)
				b.Open(session.Settings{Tools: []session.ClientTool{agenttest.ClientTool("click")}})
				says(t, b, "laptop", "go", session.Reject)
				b.Until(tt.until)
				synctest.Wait()
				b.Sessions.Revoke(ada, "phone")
				b.Sessions.Revoke("eve", "")
				b.Sessions.Revoke("eve", "laptop")
				time.Sleep(time.Second)
				if b.State().Turn == nil {
					t.Fatal("the turn ended with another install, or user")
				}
				began := time.Now()
				b.Sessions.Revoke(ada, tt.install)
				events := b.Until(session.KindTurnEnded)
				ended := agenttest.Last[session.TurnEnded](t, events)
				if ended.Reason != session.EndRevoked || !strings.Contains(ended.Message, "revoked") || time.Since(began) >= time.Second {
					t.Errorf("ended %+v after %v", ended, time.Since(began))
				}
				if tt.outcome != "" {
					if ended := agenttest.Last[session.ToolEnded](t, events[:len(events)-1]); ended.Outcome != tt.outcome {
						t.Errorf("the call is %s", ended.Outcome)
					}
				}
				synctest.Wait()
				says(t, b, "phone", "again", session.Reject)
				b.UntilNth(session.KindTurnEnded, 2)
				requests := b.Model.Requests()
				agenttest.Valid(t, requests[len(requests)-1].Messages)
			})
		})
	}
}

// letIn is who may go on, for a Config's Revoked.
type letIn struct{ gone atomic.Value }

func (l *letIn) revoke(install string) { l.gone.Store(install) }

func (l *letIn) revoked(_ context.Context, user, install string) (bool, error) {
	return user == ada && install != "" && l.gone.Load() == install, nil
}

// An approved call that does not run yet is not made once the install is revoked,
// also before Revoke reaches the gateway that works on the turn.
func TestRevokedBeforeTheCall(t *testing.T) {
	timed(t, func(t *testing.T) {
		var ran atomic.Int32
		var who letIn
		b := agenttest.New(t, agenttest.Calling("c1", "memory_write", `{"text":"x"}`)).Tool("memory.write", agent.Risky, func(context.Context, agent.Call) (agent.Result, error) {
			ran.Add(1)
			return agent.Result{}, nil
		})
		b.Config.Revoked = who.revoked
		b.Open(session.Settings{})
		says(t, b, "laptop", "go", session.Reject)
		asked := agenttest.Last[session.ApprovalRequested](t, b.Until(session.KindApprovalRequested))
		who.revoke("laptop")
		b.Decide(asked.Decision, journal.Answer{})
		events := b.Until(session.KindTurnEnded)
		if ended := agenttest.Last[session.TurnEnded](t, events); ended.Reason != session.EndRevoked {
			t.Errorf("ended %+v", ended)
		}
		if ended := agenttest.Last[session.ToolEnded](t, events[:len(events)-1]); ended.Outcome != session.Canceled || ran.Load() > 0 {
			t.Errorf("the call ended %s, and was made %d times", ended.Outcome, ran.Load())
		}
	})
}

// A message that waits is dropped with its install, and those behind it are not.
func TestRevokedWhileItWaits(t *testing.T) {
	timed(t, func(t *testing.T) {
		var who letIn
		b := agenttest.New(t, agenttest.Calling("c1", "slow_run", `{}`)).Tool("slow.run", agent.Safe, patient(0))
		b.Config.Revoked = who.revoked
		b.Open(session.Settings{})
		first := says(t, b, "phone", "first", session.Reject)
		b.Until(session.KindToolStarted)
		dropped := []session.Started{says(t, b, "laptop", "second", session.Queue), says(t, b, "laptop", "third", session.Queue)}
		kept := says(t, b, "phone", "fourth", session.Queue)
		last := says(t, b, "laptop", "fifth", session.Queue)
		who.revoke("laptop")
		if err := b.Sessions.Cancel(t.Context(), one, ada, first.Turn); err != nil {
			t.Fatal(err)
		}
		events := b.UntilNth(session.KindDropped, 3)
		var begun, gone []string
		for _, e := range events {
			switch e.Kind {
			case session.KindTurnStarted:
				begun = append(begun, agenttest.Data[session.TurnStarted](t, e).Turn)
			case session.KindDropped:
				gone = append(gone, agenttest.Data[session.Dropped](t, e).Turn)
			}
		}
		if got, want := strings.Join(begun, " "), first.Turn+" "+kept.Turn; got != want {
			t.Errorf("turns %s began, not %s", got, want)
		}
		if got, want := strings.Join(gone, " "), dropped[0].Turn+" "+dropped[1].Turn+" "+last.Turn; got != want {
			t.Errorf("messages %s were dropped, not %s", got, want)
		}
		for _, m := range b.State().Messages {
			for _, p := range m.Parts {
				if p.Text == "second" || p.Text == "third" || p.Text == "fifth" {
					t.Errorf("the history has %q", p.Text)
				}
			}
		}
		synctest.Wait() // the lease is given back
		says(t, b, "phone", "sixth", session.Reject)
		b.UntilNth(session.KindTurnEnded, 3)
	})
}

// A turn that a gateway left, and whose install was revoked meanwhile, is ended by
// the gateway that takes it up. Nothing of it is done, and while the question cannot be
// answered it is left alone.
func TestRevokedWhileNobodyWorks(t *testing.T) {
	timed(t, func(t *testing.T) {
		var who letIn
		var away atomic.Bool
		b := agenttest.New(t, agenttest.Calling("c1", "risky_run", `{}`)).Tool("risky.run", agent.Risky, nil)
		b.Config.Revoked = func(ctx context.Context, user, install string) (bool, error) {
			if away.Load() {
				return false, fault.New("test", sdkapi.StateUnavailable, "away")
			}
			return who.revoked(ctx, user, install)
		}
		b.Open(session.Settings{})
		says(t, b, "laptop", "go", session.Reject)
		asked := agenttest.Last[session.ApprovalRequested](t, b.Until(session.KindApprovalRequested))
		b.Sessions.Close()
		b.Decide(asked.Decision, journal.Answer{})
		who.revoke("laptop")
		away.Store(true)
		next := b.Config
		next.Journal = b.Journal.Join()
		b.Sessions = b.Gateway(next)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go b.Sessions.Run(ctx)
		time.Sleep(time.Minute)
		if b.State().Turn == nil {
			t.Error("the turn ended while nobody could know")
		}
		away.Store(false)
		events := b.Until(session.KindTurnEnded)
		if ended := agenttest.Last[session.TurnEnded](t, events); ended.Reason != session.EndRevoked || strings.Contains(agenttest.Kinds(events), session.KindToolStarted) {
			t.Errorf("ended %+v after %s", ended, agenttest.Kinds(events))
		}
	})
}
