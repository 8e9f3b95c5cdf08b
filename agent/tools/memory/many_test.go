//go:build system

package memory_test

import (
	"fmt"
	"testing"

	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Where there are more files than can be listed, one can be deleted, and all of them.
func TestTooManyFilesCanBeDeleted(t *testing.T) {
	t.Parallel()
	n := remember(t, sqlite(t), memory.Options{})
	for i := range memory.MaxFiles {
		n.put(fmt.Sprintf("ada/memory/%d.md", i), "")
	}
	n.put("ada/memory/deep/er.md", "Ada likes tea.\n")
	n.put("ada/memory/.hidden.md", "")
	if _, err := n.Files(t.Context(), "ada"); fault.CodeOf(err) != sdkapi.StorageFull {
		t.Fatalf("listed: %v", err)
	}
	for path, want := range map[string]sdkapi.Code{
		"memory/deep/er.md": "", "memory/none.md": sdkapi.MemoryNotFound, "memory/deep": sdkapi.MemoryNotFound,
		"memory/1.md/x.md": sdkapi.MemoryNotFound, "memory/.hidden.md": sdkapi.MemoryNotFound, "../x.md": sdkapi.MemoryNotFound,
	} {
		t.Run(path, func(t *testing.T) {
			if err := n.Delete(t.Context(), "ada", path); (err != nil || want != "") && fault.CodeOf(err) != want {
				t.Errorf("%s: %v, want %q", path, err, want)
			}
		})
	}
	if files, err := n.EraseUser(t.Context(), "ada"); err != nil || files != memory.MaxFiles {
		t.Errorf("erased %d files, %v", files, err)
	}
	if files, err := n.Files(t.Context(), "ada"); err != nil || len(files) > 0 {
		t.Errorf("%d files are left, %v", len(files), err)
	}
}
