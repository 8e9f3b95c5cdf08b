package turns

import (
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/artifacts/storetest"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/journaltest"
)

// A watcher of a session gets all that has happened there by the time that the
// server ends it, and not only what was sent by then.
func TestWatcherIsToldTheRest(t *testing.T) {
	t.Parallel()
	log := journaltest.NewMemory()
	defer log.Close()
	all := session.New(session.Config{Journal: log, Tools: agent.NewRegistry()})
	defer all.Close()
	if err := all.Create(t.Context(), "s1", "ada", session.Settings{}); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if err := all.Warn(t.Context(), "s1", "ada", "mind"); err != nil {
			t.Fatal(err)
		}
	}
	app := gateway.App{Store: new(storetest.Memory), Sessions: all}
	s := New(gateway.New(app), app)
	var seen []int64
	err := s.FollowSession(t.Context(), "s1", 0, func(e journal.Event) (bool, error) {
		seen = append(seen, e.Seq)
		if n := s.Core.Watchers.End(all.Working); n != 1 {
			t.Errorf("there are %d streams", n)
		}
		return false, nil
	})
	if err != nil || len(seen) != 7 || seen[6] != 7 {
		t.Errorf("told %v, %v", seen, err)
	}
	if n := s.Core.Watchers.End(all.Working); n != 0 {
		t.Errorf("%d streams are left", n)
	}
}
