package dirstore_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Only temporary files go, and only those that nobody writes to any more.
func TestSweep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	mustPut(t, s, "kept.png", "kept")
	before := time.Now().Add(-24 * time.Hour)
	for name, at := range map[string]time.Time{
		"tmp/put-old": before.Add(-time.Minute), "tmp/ready-old": before.Add(-time.Minute), "tmp/put-new": before.Add(time.Minute),
		"ke/kept.png": before.Add(-time.Hour), "ke/kept.png.json": before.Add(-time.Hour),
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, name)
			if filepath.Dir(name) == "tmp" {
				if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chtimes(file, at, at); err != nil {
				t.Fatal(err)
			}
		})
	}
	for _, want := range []int{2, 0} {
		if n, err := s.Sweep(t.Context(), before); n != want || err != nil {
			t.Errorf("Sweep: %d, %v; want %d", n, err, want)
		}
	}
	if left := files(t, dir); !slices.Equal(left, []string{"ke/kept.png", "ke/kept.png.json", "tmp/put-new"}) {
		t.Errorf("what is left: %q", left)
	}
}

func TestSweepFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "tmp", "put-old"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if n, err := s.Sweep(ctx, time.Now().Add(time.Hour)); n != 0 || fault.CodeOf(err) != sdkapi.Canceled {
		t.Errorf("Sweep after its context has ended: %d, %v", n, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Sweep(t.Context(), time.Now()); n != 0 || fault.CodeOf(err) != sdkapi.StorageUnavailable {
		t.Errorf("Sweep of no folder: %d, %v", n, err)
	}
}
