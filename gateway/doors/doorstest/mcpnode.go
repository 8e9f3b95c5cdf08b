package doorstest

import (
	"testing"

	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/journaltest"
)

// MemoryJournal returns a journal in memory, which closes when the test ends.
func MemoryJournal(t testing.TB) *journal.Counted {
	log := journaltest.NewMemory()
	t.Cleanup(func() { _ = log.Close() })
	return journal.Count(log)
}
