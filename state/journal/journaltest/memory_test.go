package journaltest_test

import (
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/journaltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMemory(t *testing.T) {
	journaltest.Run(t, journaltest.Backend{
		Open: func(*testing.T) journal.Journal { return journaltest.NewMemory() },
		Join: join,
		Reopen: func(t *testing.T, j journal.Journal) journal.Journal {
			again := join(t, j)
			if err := j.Close(); err != nil {
				t.Error(err)
			}
			return again
		},
	})
}

func join(_ *testing.T, j journal.Journal) journal.Journal { return j.(*journaltest.Memory).Join() }

// TestMemoryKeepsTime checks the exact time at which a decision and a lease expire.
func TestMemoryKeepsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := journaltest.NewMemory()
		d, err := j.Open(t.Context(), journal.Decision{ID: "q", User: "ada", Kind: "k", Digest: "d"})
		if err != nil || time.Until(d.Expires) != journal.DefaultExpiry {
			t.Fatalf("Open made %+v, %v", d, err)
		}
		if d, err = j.Await(t.Context(), "q"); err != nil || d.State != journal.Expired || !time.Now().Equal(d.Expires) || !d.Ended.Equal(d.Expires) {
			t.Errorf("at %v Await returned %+v, %v", time.Now(), d, err)
		}

		first, err := j.Lease(t.Context(), "k", "a", journal.MaxTTL)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(journal.MaxTTL - time.Microsecond)
		if _, err := j.Lease(t.Context(), "k", "b", time.Hour); fault.CodeOf(err) != sdkapi.LeaseHeld {
			t.Errorf("just before a lease expires: %v", err)
		}
		time.Sleep(time.Microsecond)
		if second, err := j.Lease(t.Context(), "k", "b", time.Hour); err != nil || second.Token != first.Token+1 {
			t.Errorf("once a lease has expired: %+v, %v", second, err)
		}
	})
}
