package journal_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/journal/journaltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMemory(t *testing.T) {
	journaltest.Run(t, journaltest.Backend{
		Open: func(*testing.T) journal.Journal { return journal.NewMemory() },
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

func join(_ *testing.T, j journal.Journal) journal.Journal { return j.(*journal.Memory).Join() }
