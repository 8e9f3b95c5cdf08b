//go:build unix

package rootfs

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/tetratelabs/wazero/experimental/sys"
)

// TestAdmit opens what nobody asked for, as if it had taken the place of what
// was looked at. The races in attack_test.go hit that moment by luck.
func TestAdmit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, err := range map[string]error{
		"making a pipe":   syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600),
		"making a folder": os.Mkdir(filepath.Join(dir, "folder"), 0o700),
		"making a file":   os.WriteFile(filepath.Join(dir, "file"), nil, 0o600),
		"making a link":   os.Symlink("file", filepath.Join(dir, "link")),
	} {
		t.Run(name, func(t *testing.T) {
			if err != nil {
				t.Fatal(name, err)
			}
		})
	}
	m, err := Open(dir, Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = m.Close() }()
	for _, c := range []struct {
		name string
		w    wish
		want sys.Errno
	}{
		{"pipe", wish{}, sys.EPERM},
		{"folder", wish{write: true}, sys.EISDIR},
		{"folder", wish{create: true}, sys.EISDIR},
		{"folder", wish{noFollow: true}, 0},
		{"file", wish{folderOnly: true}, sys.ENOTDIR},
		{"file", wish{noFollow: true}, 0},
		{"link", wish{noFollow: true}, sys.ELOOP},
		{"link", wish{}, 0},
	} {
		t.Run(fmt.Sprint(c.name, " ", c.w), func(t *testing.T) {
			f := openWithin(t, m.root, c.name)
			c.w.name = c.name
			if _, errno := m.admit(c.w, f); errno != c.want {
				t.Errorf("%s, %+v: %v, want %v", c.name, c.w, errno, c.want)
			}
			_ = f.Close()
		})
	}
}

// openWithin opens a file and fails the test if that has to wait.
func openWithin(t *testing.T, root *os.Root, name string) *os.File {
	t.Helper()
	opened := make(chan *os.File)
	go func() {
		f, err := openNow(root, name, os.O_RDONLY, 0)
		if err != nil {
			t.Error(err)
		}
		opened <- f
	}()
	select {
	case f := <-opened:
		return f
	case <-time.After(5 * time.Second):
	}
	t.Errorf("opening %s waits", name)
	if w, err := root.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
		defer func() { _ = w.Close() }() // the other end, so that it does not wait for ever
	}
	return <-opened
}
