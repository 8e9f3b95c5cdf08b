package session_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/agent/agenttest"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
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

// A message with a name begins one turn, however often it is sent, whether it waits, is worked
// on or has ended; and what it began is not canceled by it.
func TestStartOnce(t *testing.T) {
	t.Parallel()
	for _, busy := range []session.Busy{session.Reject, session.Queue, session.Interrupt} {
		t.Run(string(busy), func(t *testing.T) {
			timed(t, func(t *testing.T) {
				b := agenttest.New(t, agenttest.Reply{Text: []string{"Well."}, Delay: time.Minute}).Open(session.Settings{})
				say := func(ref string) {
					t.Helper()
					if _, err := b.Sessions.StartOnce(t.Context(), one, ada, ref, []session.Part{{Text: "Hi " + ref}}, busy); err != nil {
						t.Fatal(err)
					}
				}
				said := []string{"m1"}
				say("m1")
				synctest.Wait()
				say("m1") // while it is worked on
				if busy == session.Queue {
					for i := range 2 * session.MaxQueued { // while they wait
						say([]string{"m2", "m3", "m1"}[i%3])
					}
					said = []string{"m1", "m2", "m3"}
				}
				b.UntilNth(session.KindTurnEnded, len(said))
				synctest.Wait()
				for _, ref := range said { // after their ends
					say(ref)
				}
				synctest.Wait()
				wantTurns(t, b, said...)
			})
		})
	}
}

// wantTurns fails unless the messages with these names have begun a turn each, and each has an answer.
func wantTurns(t *testing.T, b *agenttest.Bench, refs ...string) {
	t.Helper()
	time.Sleep(time.Hour)
	events, err := b.Sessions.Read(t.Context(), one, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range events {
		switch e.Kind {
		case session.KindTurnStarted:
			got = append(got, agenttest.Data[session.TurnStarted](t, e).Ref)
		case session.KindTurnEnded:
			if ended := agenttest.Data[session.TurnEnded](t, e); ended.Reason != session.EndDone {
				t.Errorf("a turn ended as %s", ended.Reason)
			}
		}
	}
	if strings.Join(got, " ") != strings.Join(refs, " ") {
		t.Errorf("turns of %v; want %v", got, refs)
	}
}

// A message that came twice at the same time, so that neither was there for the other, begins one turn.
func TestQueuedTwice(t *testing.T) {
	timed(t, func(t *testing.T) {
		b := agenttest.New(t, agenttest.Reply{Text: []string{"Well."}, Delay: time.Minute}).Open(session.Settings{})
		b.Start("first")
		for i := range 2 {
			said := fmt.Sprintf(`{"turn":"turn_%d","ref":"m1","parts":[{"text":"Hi"}]}`, i)
			if _, err := b.Journal.Append(t.Context(), "control/"+one, journal.Event{Kind: session.KindQueued, Data: []byte(said)}); err != nil {
				t.Fatal(err)
			}
		}
		wantTurns(t, b, "", "m1")
	})
}

// Of as many names as can wait, twice, the oldest is forgotten with the next.
func TestNamesAreForgotten(t *testing.T) {
	timed(t, func(t *testing.T) {
		b := agenttest.New(t).Open(session.Settings{})
		var want []string
		say := func(i int) {
			if _, err := b.Sessions.StartOnce(t.Context(), one, ada, fmt.Sprint(i), []session.Part{{Text: "Hi"}}, session.Queue); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		for i := range 2 * session.MaxQueued {
			say(i)
			want = append(want, fmt.Sprint(i))
		}
		say(0) // the oldest that is known
		say(2 * session.MaxQueued)
		say(0) // not any longer
		wantTurns(t, b, append(want, fmt.Sprint(2*session.MaxQueued), "0")...)
	})
}
