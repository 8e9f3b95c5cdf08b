package session_test

import (
	"testing"

	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// A message begins no turn where another has begun since its client looked,
// even if that has ended.
func TestStartAsAfterAnother(t *testing.T) {
	t.Parallel()
	b := agenttest.New(t).Open(session.Settings{})
	start := func(began int64) (session.Started, error) {
		return b.Sessions.StartAs(t.Context(), agenttest.Session, agenttest.User, "m1", began, []session.Part{{Text: "Hi"}})
	}
	first, err := start(0)
	if err != nil {
		t.Fatal(err)
	}
	b.Until(session.KindTurnEnded)
	if _, err := start(0); fault.CodeOf(err) != sdkapi.TurnRunning {
		t.Errorf("the same once more: %v", err)
	}
	if _, err := start(first.Seq); err != nil {
		t.Errorf("the next: %v", err)
	}
	if events := b.UntilNth(session.KindTurnEnded, 2); agenttest.Data[session.TurnStarted](t, events[2]).Ref != "m1" {
		t.Errorf("%s", agenttest.Kinds(events))
	}
}
