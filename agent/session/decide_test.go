package session_test

import (
	"context"
	"encoding/json"
	"errors"
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

// decider is a session in which the user is asked about a call of a tool of the
// gateway's, or the client about one of its own.
func decider(t *testing.T, tool string) (b *agenttest.Bench, turn, decision string) {
	t.Helper()
	b = agenttest.New(t, agenttest.Calling("c1", tool, `{"n":1}`))
	err := b.Config.Tools.Register(agenttest.Tool{
		Described: agent.Descriptor{Name: "shell.run", Risk: agent.Risky, Input: numbered, Origin: agent.Origin{Kind: agent.Builtin}},
		Do:        func(context.Context, agent.Call) (agent.Result, error) { return agent.Result{}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Open(session.Settings{Tools: []session.ClientTool{agenttest.ClientTool("click")}})
	turn = b.Start("go")
	if tool == "click" {
		return b, turn, agenttest.Last[session.ToolRequested](t, b.Until(session.KindToolRequested)).Decision
	}
	return b, turn, agenttest.Last[session.ApprovalRequested](t, b.Until(session.KindApprovalRequested)).Decision
}

// Arguments that the user changed to ones that the tool does not take are an error
// with their field, and the question stays open for others.
func TestDecideWhatDoesNotFit(t *testing.T) {
	timed(t, func(t *testing.T) {
		b, _, decision := decider(t, "shell_run")
		for _, wrong := range []string{`{"n":"five"}`, `[]`, `5`, `{"n":1,"n":2}`} {
			_, err := b.Sessions.Decide(t.Context(), decision, journal.Decider{User: ada}, journal.Answer{Value: json.RawMessage(wrong)})
			var f *fault.Error
			if !errors.As(err, &f) || f.Code != sdkapi.ValidationError || len(f.Details.Fields) == 0 {
				t.Errorf("%s is answered with %v", wrong, err)
			}
			if wrong == `{"n":"five"}` && (f == nil || f.Details.Fields[0].Path != "arguments.n") {
				t.Errorf("%s is said to be wrong at %+v", wrong, f)
			}
		}
		if d, err := b.Journal.Decision(t.Context(), decision); err != nil || d.State != journal.Pending {
			t.Fatalf("the question is %s, %v", d.State, err)
		}
		denied := journal.Answer{Denied: true, Value: json.RawMessage(`{"n":"five"}`)}
		if _, err := b.Sessions.Decide(t.Context(), decision, journal.Decider{User: ada}, denied); err != nil {
			t.Errorf("a no is not taken: %v", err)
		}
		b.Until(session.KindTurnEnded)
		synctest.Wait()
	})
}

// What nobody waits for any longer cannot be answered: from the moment on at
// which somebody asks to end the turn, and when it has ended. An answer that was
// taken in time is, again.
func TestDecideTooLate(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"shell_run", "click"} {
		for name, tt := range map[string]struct {
			end  func(b *agenttest.Bench, turn string) // before the answer
			want sdkapi.Code
		}{
			"in time": {func(*agenttest.Bench, string) {}, ""},
			"canceled just now": {func(b *agenttest.Bench, turn string) {
				if err := b.Sessions.Cancel(t.Context(), one, ada, turn); err != nil {
					t.Error(err)
				}
			}, sdkapi.DecisionExpired},
			"canceled": {func(b *agenttest.Bench, turn string) {
				if err := b.Sessions.Cancel(t.Context(), one, ada, turn); err != nil {
					t.Error(err)
				}
				b.Until(session.KindTurnEnded)
				if open, err := b.Journal.Pending(t.Context(), "session/"+one); err != nil || len(open) > 0 {
					t.Errorf("%d questions are open behind the turn's end, %v", len(open), err)
				}
			}, sdkapi.DecisionExpired},
			"over time": {func(b *agenttest.Bench, _ string) { b.Until(session.KindTurnEnded) }, sdkapi.DecisionExpired},
		} {
			t.Run(tool+" "+name, func(t *testing.T) {
				timed(t, func(t *testing.T) {
					b, turn, decision := decider(t, tool)
					tt.end(b, turn)
					answer := journal.Answer{}
					if tool == "click" {
						answer.Value = json.RawMessage(`{"parts":[{"text":"done"}]}`)
					}
					for range 2 {
						if _, err := b.Sessions.Decide(t.Context(), decision, journal.Decider{User: ada}, answer); fault.CodeOf(err) != tt.want {
							t.Errorf("an answer is %v, want %q", err, tt.want)
						}
					}
					if _, err := b.Sessions.Decide(t.Context(), decision, journal.Decider{User: "eve"}, answer); fault.CodeOf(err) != sdkapi.DecisionNotFound {
						t.Errorf("somebody else's answer is %v", err)
					}
					b.Until(session.KindTurnEnded)
					time.Sleep(time.Second) // what is worked on behind the end
					if _, err := b.Sessions.Decide(t.Context(), decision, journal.Decider{User: ada}, answer); fault.CodeOf(err) != tt.want {
						t.Errorf("the answer after the turn's end is %v, want %q", err, tt.want)
					}
				})
			})
		}
	}
}

// A question that a gateway left open behind a turn's end, as it died there, is
// closed by the user's answer.
func TestDecideLeftOver(t *testing.T) {
	timed(t, func(t *testing.T) {
		b := agenttest.New(t).Open(session.Settings{})
		left := journal.Decision{ID: "approval_x", Stream: "session/" + one, User: ada, Kind: session.Approval, Digest: "d"}
		if _, err := b.Journal.Open(t.Context(), left); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Sessions.Decide(t.Context(), left.ID, journal.Decider{User: ada}, journal.Answer{}); fault.CodeOf(err) != sdkapi.DecisionExpired {
			t.Errorf("an answer is %v", err)
		}
	})
}
