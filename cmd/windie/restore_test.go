package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// backedUpFolder is a data folder that no gateway uses, which holds memory/precious.md, and a backup from before that.
func backedUpFolder(t *testing.T) (dir, file string) {
	t.Helper()
	from, dir := t.TempDir(), t.TempDir()
	file = filepath.Join(t.TempDir(), "windie.tar.zst")
	kept(t, from)
	for _, args := range [][]string{{"backup", file, "--data-dir", from}, {"restore", file, "--data-dir", dir}} {
		if code, _, complaint := windie(t, nil, args...); code != 0 {
			t.Fatal(complaint)
		}
	}
	writeFile(t, filepath.Join(dir, "memory", "precious.md"))
	return dir, file
}

// writeFile writes a file whose text is its name.
func writeFile(t *testing.T, path string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(filepath.Base(path)), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// wantFile looks for a file that writeFile wrote.
func wantFile(t *testing.T, path string) {
	t.Helper()
	if text, err := os.ReadFile(path); err != nil || string(text) != filepath.Base(path) {
		t.Errorf("%s: %q, %v", path, text, err)
	}
}

// TestExchangeFails has a file that cannot be put into the data folder: all is as it was, or, after a restore that was
// broken off, still aside.
func TestExchangeFails(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]bool{"at once": false, "after one that was broken off": true} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c, stage, old := &config{DataDir: dir}, filepath.Join(dir, stageName), filepath.Join(dir, replacedName)
			writeFile(t, filepath.Join(dir, locks[0]))
			writeFile(t, filepath.Join(stage, "a"))
			writeFile(t, filepath.Join(stage, locks[0], "a folder does not replace a file"))
			writeFile(t, filepath.Join(dir, "memory", "here.md"))
			if broken {
				writeFile(t, filepath.Join(dir, restoringName))
				writeFile(t, filepath.Join(old, "windie.db"))
				writeFile(t, filepath.Join(dir, "windie.db"))
			}
			for range 2 { // as people do who are told to run it again
				if err := c.exchange(stage); err == nil {
					t.Fatal("a folder replaced a file")
				}
				wantFile(t, filepath.Join(dir, "memory", "here.md"))
				wantFile(t, filepath.Join(stage, "a"))
				if broken {
					wantFile(t, filepath.Join(old, "windie.db"))
				}
				if err := c.half(); (err != nil) != broken {
					t.Errorf("half way: %v", err)
				}
			}
			if err := errors.Join(os.RemoveAll(filepath.Join(stage, locks[0])), c.exchange(stage), c.half()); err != nil {
				t.Error(err)
			}
			if left, err := namesOf(dir, locks...); err != nil || strings.Join(left, " ") != "a" {
				t.Errorf("there is %q, %v", left, err)
			}
		})
	}
}

// TestRestoreFromWithin refuses a backup that the restore would remove.
func TestRestoreFromWithin(t *testing.T) {
	t.Parallel()
	dir, file := backedUpFolder(t)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	for name, within := range map[string]string{"beside the database": "b.tar.zst", "in a folder": filepath.Join("kept", "b.tar.zst")} {
		t.Run(name, func(t *testing.T) {
			within = filepath.Join(dir, within)
			if err := errors.Join(os.MkdirAll(filepath.Dir(within), 0o700), os.WriteFile(within, text, 0o600)); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(dir, link); err != nil && !errors.Is(err, os.ErrExist) {
				t.Skipf("this system makes no links here: %v", err)
			}
			for _, data := range []string{dir, link} {
				if code, _, complaint := windie(t, nil, "restore", within, "--data-dir", data, "--replace"); code != exitFailed || !strings.Contains(complaint, "out of the folder") {
					t.Errorf("%d %s", code, complaint)
				}
			}
			wantFile(t, filepath.Join(dir, "memory", "precious.md"))
			if _, err := os.Stat(within); err != nil {
				t.Error(err)
			}
		})
	}
}

// A restore that fails leaves no data folder where there was none, and an empty one as it was.
func TestFailedRestoreLeavesNothing(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "windie.tar.zst")
	writeFile(t, file) // which is no backup
	empty := t.TempDir()
	for name, dir := range map[string]string{"no folder": filepath.Join(t.TempDir(), "data"), "an empty folder": empty} {
		t.Run(name, func(t *testing.T) {
			if code, _, complaint := windie(t, nil, "restore", file, "--data-dir", dir); code != exitFailed || !strings.Contains(complaint, "windie.tar.zst") {
				t.Errorf("%d %s", code, complaint)
			}
			left, err := os.ReadDir(dir)
			if dir == empty && (err != nil || len(left) > 0) || dir != empty && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("it left %v, %v", left, err)
			}
		})
	}
}
