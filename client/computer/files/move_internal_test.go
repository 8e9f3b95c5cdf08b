package files

import (
	"os"
	"path/filepath"
	"testing"
)

// A new name that differs only in case is free on a disk that ignores case, which shows the old file under both names. The
// second name of a file is not free.
func TestIsOtherCase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a.txt", "b.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) os.FileInfo {
		info, err := os.Lstat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	for name, tt := range map[string]struct {
		from, to    string
		what, there os.FileInfo
		names       []string
		want        bool
	}{
		"another case":         {"a.txt", "A.txt", at("a.txt"), at("a.txt"), []string{"a.txt", "b.txt"}, true},
		"in a folder":          {"x/a.txt", "x/A.txt", at("a.txt"), at("a.txt"), []string{"a.txt"}, true},
		"a second name":        {"a.txt", "A.txt", at("a.txt"), at("a.txt"), []string{"a.txt", "A.txt"}, false},
		"another file":         {"a.txt", "A.txt", at("a.txt"), at("b.txt"), []string{"a.txt", "A.txt"}, false},
		"the same name":        {"a.txt", "a.txt", at("a.txt"), at("a.txt"), []string{"a.txt"}, false},
		"a link with its name": {"a.txt", "c.txt", at("a.txt"), at("a.txt"), []string{"a.txt", "c.txt"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := isOtherCase(tt.from, tt.to, tt.what, tt.there, tt.names); got != tt.want {
				t.Errorf("got %t, want %t", got, tt.want)
			}
		})
	}
}
