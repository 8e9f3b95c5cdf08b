package dirstore_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

// An artifact that was deleted stays so through a power cut: its folder is synced behind the removal. Of many
// that are removed together, once for each folder.
func TestDeletionIsSynced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	ids := []string{"ab1.png", "ab2.png", "ab3.png", "ab4.png"}
	for _, id := range ids {
		mustPut(t, s, id, "content")
	}
	happened := testkit.Watch(t, filepath.Join(dir, "ab"))
	if err := s.Delete(t.Context(), ids[0]); err != nil {
		t.Fatal(err)
	}
	if got := happened(); !slices.Equal(got, []string{"gone ab1.png", "gone ab1.png.json", "opened"}) {
		t.Errorf("Delete: %q", got)
	}
	for _, id := range ids[1:] {
		if err := s.Unlink(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if got := happened(); slices.Contains(got, "opened") || len(got) != 6 {
		t.Errorf("Unlink: %q", got)
	}
	if err := s.Unlinked(t.Context(), append(ids, "cd1.png")...); err != nil { // the last one has no folder
		t.Error(err)
	}
	if got := happened(); !slices.Equal(got, []string{"opened"}) {
		t.Errorf("Unlinked: %q", got)
	}
}
