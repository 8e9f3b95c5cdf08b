package newfile_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/windieos/windie/internal/newfile"
	"github.com/windieos/windie/internal/test/testkit"
)

// A file that was written lasts through a power cut under its name: the folder is synced after the rename.
func TestNameIsSynced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	happened := testkit.Watch(t, dir)
	for _, content := range []string{"first", "second"} {
		if err := newfile.Write(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		events := happened()
		if moved := slices.Index(events, "to settings.json"); moved < 0 || slices.Index(events[moved:], "opened") < 0 {
			t.Errorf("the folder was not synced behind the rename: %q", events)
		}
		if got, err := os.ReadFile(path); string(got) != content || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	if left, err := os.ReadDir(dir); len(left) != 1 || err != nil {
		t.Errorf("left are %v, %v", left, err)
	}
}
