//go:build unix

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/windieos/windie/wasmtools/kv"
)

// TestRootLeavesTheOwner backs up and restores as root a data folder of another user, who can use all that is there then.
func TestRootLeavesTheOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("this test gives files to another user: run it as root")
	}
	const gateway = 12345
	dir, fresh, file := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "windie.tar.zst")
	kept(t, dir).close()
	store, err := kv.Open(filepath.Join(dir, storeName))
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "memory", "ada", "a.md"))
	each := func(dir string, do func(path string, info fs.FileInfo) error) {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			return do(path, info)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{dir, fresh} {
		each(dir, func(path string, _ fs.FileInfo) error { return os.Lchown(path, gateway, gateway) })
	}
	for _, args := range [][]string{{"backup", file, "--data-dir", dir}, {"restore", file, "--data-dir", fresh}, {"restore", file, "--data-dir", dir, "--replace"}} {
		if code, _, complaint := windie(t, nil, args...); code != 0 {
			t.Fatal(complaint)
		}
		for _, dir := range []string{dir, fresh} {
			each(dir, func(path string, info fs.FileInfo) error {
				if owner, ok := info.Sys().(*syscall.Stat_t); ok && (owner.Uid != gateway || owner.Gid != gateway) {
					t.Errorf("%s: %s is of %d:%d", args[0], path, owner.Uid, owner.Gid)
				}
				return nil
			})
		}
	}
}
