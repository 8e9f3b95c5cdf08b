package approvals

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/journal/journaltest"
)

// A call that waits gets the user's answer; an answer counts once; nobody is asked on behalf of a call that has ended.
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
