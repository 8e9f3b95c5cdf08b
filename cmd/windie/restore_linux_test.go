package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/windieos/windie/internal/test/testkit"
)

// TestRestoreOverMounts refuses to replace what is mounted into the data folder, before anything is replaced.
func TestRestoreOverMounts(t *testing.T) {
	if !testkit.MayMount(t) {
		return
	}
	for name, at := range map[string]string{"a folder": "plugins", "deeper": filepath.Join("plugins", "a folder")} {
		t.Run(name, func(t *testing.T) {
			dir, file := backedUpFolder(t)
			mine, mounted := t.TempDir(), filepath.Join(dir, at)
			writeFile(t, filepath.Join(mine, "mine.txt"))
			if err := errors.Join(os.MkdirAll(mounted, 0o700), syscall.Mount(mine, mounted, "", syscall.MS_BIND, "")); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = syscall.Unmount(mounted, syscall.MNT_DETACH) })
			for range 2 { // as people do who are told to run it again
				if code, _, complaint := windie(t, nil, "restore", file, "--data-dir", dir, "--replace"); code != exitFailed || !strings.Contains(complaint, mounted+" is a mount point") {
					t.Errorf("%d %s", code, complaint)
				}
				wantFile(t, filepath.Join(dir, "memory", "precious.md"))
				wantFile(t, filepath.Join(mine, "mine.txt"))
			}
			if code, _, complaint := windie(t, nil, "user", "list", "--data-dir", dir); code != 0 {
				t.Errorf("%d %s", code, complaint)
			}
			if err := errors.Join(syscall.Unmount(mounted, 0), syscall.Mount(mine, filepath.Join(dir, "tmp"), "", syscall.MS_BIND, "")); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = syscall.Unmount(filepath.Join(dir, "tmp"), syscall.MNT_DETACH) })
			if code, _, complaint := windie(t, nil, "restore", file, "--data-dir", dir, "--replace"); code != 0 {
				t.Errorf("with temporary files elsewhere: %d %s", code, complaint)
			}
		})
	}
}

// TestBackupPastBadFiles has files that cannot be read, as where a disk has bad sectors: the backup holds the others, and
// says which are not in it.
func TestBackupPastBadFiles(t *testing.T) {
	if !testkit.MayMount(t) {
		return
	}
	dir, file, fresh := t.TempDir(), filepath.Join(t.TempDir(), "windie.tar.zst"), t.TempDir()
	s, ids := kept(t, dir), []string{"aa.txt", "ab.txt", "ac.txt"}
	for _, id := range ids {
		if _, err := s.artifacts.For("ada").Put(t.Context(), id, "text/plain", strings.NewReader(id)); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(dir, "memory", "good.md"))
	bad := []string{filepath.Join(dir, "memory", "bad.md"), filepath.Join(dir, artifactsDir, "aa", ids[0]), filepath.Join(dir, artifactsDir, "ab", ids[1]+".json")}
	writeFile(t, bad[0])
	for _, path := range bad {
		if err := syscall.Mount("/proc/self/mem", path, "", syscall.MS_BIND, ""); err != nil { // whose first page nobody can read
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = syscall.Unmount(path, syscall.MNT_DETACH) })
	}
	code, said, complaint := windie(t, nil, "backup", file, "--data-dir", dir)
	if code != exitFailed || complaint != "" {
		t.Fatalf("%d %s%s", code, said, complaint)
	}
	for _, path := range bad {
		if !strings.Contains(said, path[:len(path)-len(".json")]) || strings.Count(said, "is not in the backup: ") != len(bad) {
			t.Errorf("%s is not in %s", path, said)
		}
	}
	if code, _, complaint := windie(t, nil, "restore", file, "--data-dir", fresh); code != 0 {
		t.Fatal(complaint)
	}
	wantFile(t, filepath.Join(fresh, "memory", "good.md"))
	wantFile(t, filepath.Join(fresh, artifactsDir, "ac", ids[2]))
	for _, path := range []string{"memory/bad.md", "artifacts/aa/aa.txt", "artifacts/aa/aa.txt.json", "artifacts/ab/ab.txt", "artifacts/ab/ab.txt.json"} {
		if _, err := os.Stat(filepath.Join(fresh, path)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
