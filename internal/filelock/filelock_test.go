package filelock_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/windieos/windie/internal/filelock"
)

// Each row has two who have the file open: what the first has, what the second
// asks for, and whether it gets it.
func TestTry(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		has, asks filelock.Kind
		want      bool
	}{
		"exclusive beside exclusive": {filelock.Exclusive, filelock.Exclusive, false},
		"shared beside exclusive":    {filelock.Exclusive, filelock.Shared, false},
		"exclusive beside shared":    {filelock.Shared, filelock.Exclusive, false},
		"shared beside shared":       {filelock.Shared, filelock.Shared, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "lock")
			first, second := open(t, path), open(t, path)
			try(t, first, tt.has, true)
			try(t, second, tt.asks, tt.want)
			if err := first.Close(); err != nil {
				t.Fatal(err)
			}
			try(t, second, tt.asks, true)
			try(t, second, !tt.asks, true) // the other kind takes its place
		})
	}
}

func open(t *testing.T, path string) *os.File {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file
}

func try(t *testing.T, file *os.File, kind filelock.Kind, want bool) {
	t.Helper()
	if got, err := filelock.Try(file, kind); got != want || err != nil {
		t.Errorf("a lock, exclusive %v: %v, %v; want %v", kind, got, err, want)
	}
}
