package session_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// A call has its provider's id. One without, or with an id that would be taken
// for another's, is tool_call_ and its number among all calls of the session: so
// no two results of a session go by one id, whatever happens to its history.
func TestCallIDs(t *testing.T) {
	timed(t, func(t *testing.T) {
		call := func(ids ...string) agenttest.Reply {
			var list []string
			for _, id := range ids {
				list = append(list, id, "a_run", `{}`)
			}
			return agenttest.Calling(list...)
		}
		broken := after("", sdkapi.ModelContextFull, nil) // the history is shortened, and forgets its ids
		b := agenttest.New(t,
			call("", "given", ""), call("given", "tool_call_0", "own"), agenttest.Saying("Done."),
			broken, call("given", ""), agenttest.Saying("Done."),
			call("", "tool_call_8"), agenttest.Saying("Done.")).Tool("a.run", agent.Safe, nil)
		b.Config.Limits.Repeated = 100
		b.Open(session.Settings{})
		var got []string
		turn := func(text string) {
			t.Helper()
			began := b.State().Seq
			b.Start(text)
			b.Watch(func(e journal.Event) bool {
				if e.Seq > began && e.Kind == session.KindToolEnded {
					got = append(got, agenttest.Data[session.ToolEnded](t, e).Call)
				}
				return e.Seq > began && e.Kind == session.KindTurnEnded
			})
			synctest.Wait()
		}
		turn("one")
		turn("two")
		brought := []session.Message{
			session.Text(models.User, "x"),
			{Role: models.Assistant, Parts: []session.Part{{Call: &models.Call{ID: "tool_call_20", Name: "a_run", Arguments: []byte(`{}`)}}}},
			{Role: models.ToolRole, Parts: []session.Part{{Result: &session.Result{Call: "tool_call_20", Tool: "a_run", Parts: []session.Part{{Text: "x"}}}}}},
		}
		if err := b.Sessions.Replace(t.Context(), one, ada, brought); err != nil {
			t.Fatal(err)
		}
		turn("three")
		want := []string{"given", "own", "tool_call_0", "tool_call_2", "tool_call_21", "tool_call_22", "tool_call_3", "tool_call_4", "tool_call_6", "tool_call_7"}
		slices.Sort(got) // safe calls run side by side
		if !slices.Equal(got, want) {
			t.Errorf("the ids are %q, want %q", got, want)
		}
	})
}
