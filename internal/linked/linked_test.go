package linked_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/windieos/windie/internal/linked"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(t *testing.T, path string) error
		gone   bool
	}{
		"left alone":      {func(*testing.T, string) error { return nil }, false},
		"written to":      {func(_ *testing.T, path string) error { return os.WriteFile(path, []byte("more"), 0o600) }, false},
		"removed":         {func(_ *testing.T, path string) error { return os.Remove(path) }, true},
		"replaced":        {replace, true},
		"moved elsewhere": {func(_ *testing.T, path string) error { return os.Rename(path, path+".old") }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
				t.Fatal(err)
			}
			file, err := linked.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.change(t, path); err != nil {
				t.Fatal(err)
			}
			if err := file.Check(); errors.Is(err, linked.ErrGone) != c.gone {
				t.Errorf("Check: %v", err)
			}
		})
	}
	if err := (linked.Path{}).Check(); err != nil {
		t.Errorf("of nothing: %v", err)
	}
	if _, err := linked.Open(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("what is missing could be opened")
	}
}

// replace puts another file of the same content in place of path.
func replace(_ *testing.T, path string) error {
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path+".new", text, 0o600)
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	return err
}

func BenchmarkCheck(b *testing.B) {
	file, err := linked.Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := file.Check(); err != nil {
			b.Fatal(err)
		}
	}
}
