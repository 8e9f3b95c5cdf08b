package owned_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/windieos/windie/artifacts/owned"
	"github.com/windieos/windie/internal/test/testkit"
)

// TestRowsGoBehindTheSync checks that EraseUser and the janitor delete rows only after the folders
// are synced. Otherwise a power cut could bring back content without a row. Each batch must sync a
// folder once.
func TestRowsGoBehindTheSync(t *testing.T) {
	t.Parallel()
	dir, db := t.TempDir(), openDatabase(t)
	s := owned.Open(files(t, dir), db, owned.Options{})
	fill := func() func() []string {
		for i := range 20 {
			mustPut(t, s.For("ada"), fmt.Sprintf("ab%d.png", i))
		}
		return testkit.Watch(t, filepath.Join(dir, "ab"))
	}
	wantSynced := func(by string, events []string) {
		t.Helper()
		if n := len(events); n != 41 || slices.Index(events, "opened") != 40 {
			t.Errorf("%s: %q", by, events)
		}
		if n := rows(t, db, "TRUE"); n != 0 {
			t.Errorf("%s: %d rows are left", by, n)
		}
	}
	happened := fill()
	if n, err := s.EraseUser(t.Context(), "ada"); n != 20 || err != nil {
		t.Errorf("EraseUser: %d, %v", n, err)
	}
	wantSynced("EraseUser", happened())
	happened = fill()
	write(t, db, "UPDATE artifacts SET expires = 1")
	clean(t, s)
	wantSynced("the janitor", happened())
}
