package approvals

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/journaltest"
)

// TestWait checks that a waiting call gets the user's answer, that an answer is valid for one call,
// and that the question of an ended call is withdrawn.
func TestWait(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer func(t *testing.T, log *journaltest.Memory, cancel func(), d journal.Decision)
		yes    bool
		fails  bool
	}{
		"yes": {func(t *testing.T, log *journaltest.Memory, _ func(), d journal.Decision) {
			t.Helper()
			if _, err := log.Decide(t.Context(), d.ID, journal.Decider{User: "ada"}, journal.Answer{}); err != nil {
				t.Error(err)
			}
		}, true, false},
		"no": {func(t *testing.T, log *journaltest.Memory, _ func(), d journal.Decision) {
			t.Helper()
			if _, err := log.Decide(t.Context(), d.ID, journal.Decider{User: "ada"}, journal.Answer{Denied: true}); err != nil {
				t.Error(err)
			}
		}, false, false},
		"silence":  {func(*testing.T, *journaltest.Memory, func(), journal.Decision) { time.Sleep(journal.DefaultExpiry) }, false, false},
		"the end ": {func(_ *testing.T, _ *journaltest.Memory, cancel func(), _ journal.Decision) { cancel() }, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := journaltest.NewMemory()
				defer log.Close()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				type result struct {
					yes bool
					err error
				}
				got := make(chan result, 1)
				go func() {
					yes, err := Approvals{Log: log}.Wait(ctx, "ada", Asked{Tool: "delegate.step", Arguments: json.RawMessage(`{"a":1}`), Why: "it asks"})
					got <- result{yes, err}
				}()
				synctest.Wait()
				waiting, err := log.PendingOf(t.Context(), "ada", session.Approval)
				if err != nil || len(waiting) != 1 {
					t.Fatalf("%+v, %v", waiting, err)
				}
				c.answer(t, log, cancel, waiting[0])
				if r := <-got; r.yes != c.yes || (r.err != nil) != c.fails {
					t.Errorf("got %+v", r)
				}
				if left, err := log.PendingOf(t.Context(), "ada", session.Approval); len(left) != 0 || err != nil {
					t.Errorf("left: %+v, %v", left, err)
				}
			})
		})
	}
}

// TestWaitTogether runs two identical calls that wait for one question. If one of them leaves, the
// other must ask again. An approval is valid for one of them, and a denial for both.
func TestWaitTogether(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		leave     bool
		answers   []journal.Answer // to one question after the other
		said      []bool           // in any order
		questions int              // in all
	}{
		"one leaves":      {true, []journal.Answer{{}}, []bool{true}, 2},
		"a yes for each":  {false, []journal.Answer{{}, {}}, []bool{true, true}, 2},
		"a yes, and a no": {false, []journal.Answer{{}, {Denied: true}}, []bool{true, false}, 2},
		"a no":            {false, []journal.Answer{{Denied: true}}, []bool{false, false}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := journaltest.NewMemory()
				defer log.Close()
				leaving, leave := context.WithCancel(t.Context())
				defer leave()
				said := make(chan bool, 2)
				for _, ctx := range []context.Context{leaving, t.Context()} {
					go func() {
						yes, err := Approvals{Log: log}.Wait(ctx, "ada", Asked{Tool: "delegate.step", Arguments: json.RawMessage(`{"a":1}`), Why: "it asks"})
						if err == nil {
							said <- yes
						} else if ctx.Err() == nil {
							t.Error(err)
						}
					}()
				}
				synctest.Wait()
				if c.leave {
					leave()
				}
				for _, answer := range c.answers {
					synctest.Wait()
					waiting, err := log.PendingOf(t.Context(), "ada", session.Approval)
					if err != nil || len(waiting) != 1 {
						t.Fatalf("%+v, %v", waiting, err)
					}
					if _, err := log.Decide(t.Context(), waiting[0].ID, journal.Decider{User: "ada"}, answer); err != nil {
						t.Fatal(err)
					}
				}
				synctest.Wait()
				var got []bool
				for len(said) > 0 {
					got = append(got, <-said)
				}
				if slices.SortFunc(got, func(a, b bool) int { return cmp.Compare(fmt.Sprint(b), fmt.Sprint(a)) }); !slices.Equal(got, c.said) {
					t.Errorf("got %v, want %v", got, c.said)
				}
				all, err := log.List(t.Context(), journal.Listing{User: "ada", Kind: session.Approval, Limit: 10})
				if err != nil || len(all) != c.questions {
					t.Errorf("%d questions, %v", len(all), err)
				}
			})
		})
	}
}
