//go:build system

package delegate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Files are watched and looked for up to a bound.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range MaxFiles + 1 {
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("%06d", i)))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got := snapshot(dir); len(got) != MaxFiles {
		t.Errorf("%d files", len(got))
	}
	names := []string{"000001", "sub/000001", "gone"}
	for i := range 200 {
		names = append(names, fmt.Sprint("gone", i))
	}
	began := time.Now()
	if got := missing(t.Context(), dir, names, time.Millisecond); len(got) != len(names)-1 || got[0] != "sub/000001" {
		t.Errorf("%d are missing: %.5q", len(got), got)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("names were looked for for %v", took)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := missing(ctx, dir, names, time.Hour); len(got) != len(names)-1 {
		t.Errorf("%d are missing for a call that is over", len(got))
	}
}
