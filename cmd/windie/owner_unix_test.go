//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestRootAddsPlugins manages as root the plugins of another user, who can use all that is there then.
func TestRootAddsPlugins(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("this test gives files to another user: run it as root")
	}
	const gateway = 12345
	a, file := newSharer(t)
	data := filepath.Join(a.dir, "data")
	if err := errors.Join(os.Mkdir(data, 0o700), os.Chown(data, gateway, gateway)); err != nil {
		t.Fatal(err)
	}
	a.plugin(0, nil, "add", file)
	a.put("sample.json", `{"name":"sample","version":"1.1.0"}`)
	a.plugin(0, nil, "update", "--yes")
	a.plugin(0, nil, "rollback", "sample")
	a.plugin(0, nil, "add", file, "--as", "second")
	belongsTo(t, data, gateway)
}

// TestRootLeavesTheOwner backs up and restores as root a data folder of another user, who can use all that is there then.
func TestRootLeavesTheOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("this test gives files to another user: run it as root")
	}
	const gateway = 12345
	dir, fresh, file := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "windie.tar.zst")
	kept(t, dir).close()
	writeFile(t, filepath.Join(dir, "memory", "ada", "a.md"))
	for _, dir := range []string{dir, fresh} {
		eachFile(t, dir, func(path string, _ fs.FileInfo) error { return os.Lchown(path, gateway, gateway) })
	}
	for _, args := range [][]string{{"backup", file, "--data-dir", dir}, {"restore", file, "--data-dir", fresh}, {"restore", file, "--data-dir", dir, "--replace"}} {
		if code, _, complaint := windie(t, nil, args...); code != 0 {
			t.Fatal(complaint)
		}
		for _, dir := range []string{dir, fresh} {
			belongsTo(t, dir, gateway)
		}
	}
}

// belongsTo checks that a folder and all in it are a user's.
func belongsTo(t *testing.T, dir string, user uint32) {
	t.Helper()
	eachFile(t, dir, func(path string, info fs.FileInfo) error {
		if owner, ok := info.Sys().(*syscall.Stat_t); ok && (owner.Uid != user || owner.Gid != user) {
			t.Errorf("%s is of %d:%d", path, owner.Uid, owner.Gid)
		}
		return nil
	})
}

func eachFile(t *testing.T, dir string, do func(path string, info fs.FileInfo) error) {
	t.Helper()
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
