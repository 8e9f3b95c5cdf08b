//go:build unix

package rootfs_test

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	experimental "github.com/tetratelabs/wazero/experimental/sys"

	"github.com/windieos/windie/wasmtools/rootfs"
)

// furnish makes a folder with one of each kind, and a folder beside it that
// its links lead to. It returns both.
func furnish(t *testing.T) (dir, outside string) {
	t.Helper()
	base := t.TempDir()
	dir, outside = filepath.Join(base, "mount"), filepath.Join(base, "outside")
	lay(t, base, map[string]string{"mount/file": "here", "mount/other": "other", "mount/full/file": "deep", "mount/empty/": "",
		"mount/nest/inner/": "", "outside/secret": "SECRET"})
	for name, target := range map[string]string{
		"in": "file", "into": "full", "loop": "loop", "nothing": "gone", "absolute": filepath.Join(outside, "secret"),
		"out": "../outside/secret", "outto": "../outside", "outnew": "../outside/new", "chain": "out", "full/up": "../../outside/secret",
		"rootlink": "/",
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		})
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, outside
}

// TestErrnos tries each case in a folder of its own.
func TestErrnos(t *testing.T) {
	t.Parallel()
	for _, c := range cases {
		dir, outside := furnish(t)
		m := open(t, dir, rootfs.Options{Write: true})
		if got := c.do(m.FS()); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		untouched(t, c.name, outside)
		if err := m.Exceeded(); err != nil {
			t.Errorf("%s: a limit was met: %v", c.name, err)
		}
	}
}

// untouched fails the test unless outside is as furnish left it.
func untouched(t *testing.T, what, outside string) {
	t.Helper()
	entries, err := os.ReadDir(outside)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%s: outside lies %v, %v", what, entries, err)
	}
	info, err := entries[0].Info()
	text, err2 := os.ReadFile(filepath.Join(outside, "secret"))
	if err != nil || err2 != nil || string(text) != "SECRET" || time.Since(info.ModTime()) > time.Hour {
		t.Fatalf("%s: outside lies %q of %v, %v, %v", what, text, info.ModTime(), err, err2)
	}
}

// TestReadOnlyErrnos does the same where nothing may be changed, and expects
// what it was or EROFS, and a folder that is as before.
func TestReadOnlyErrnos(t *testing.T) {
	t.Parallel()
	dir, outside := furnish(t)
	m := open(t, dir, rootfs.Options{})
	before, refused := snapshot(t, dir), 0
	for _, c := range cases {
		got := c.do(m.FS())
		if got != c.want && got != experimental.EROFS {
			t.Errorf("%s: %v, want %v or %v", c.name, got, experimental.EROFS, c.want)
		}
		if got == experimental.EROFS {
			refused++
		}
	}
	if after := snapshot(t, dir); after != before {
		t.Errorf("the folder was\n%s\nand is now\n%s", before, after)
	}
	if refused < len(cases)/3 {
		t.Errorf("only %d of %d were refused", refused, len(cases))
	}
	untouched(t, "all", outside)
}

// snapshot describes all that lies in a folder.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintln(&b, name, info.Mode(), info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestFile checks what an open file says of itself.
func TestFile(t *testing.T) {
	t.Parallel()
	dir, _ := furnish(t)
	fsys := open(t, dir, rootfs.Options{Write: true}).FS()
	f, errno := fsys.OpenFile("new", rdwr|creat|experimental.O_SYNC, 0o4777)
	if errno != 0 {
		t.Fatal(errno)
	}
	write(t, f, "hello")
	st, errno := f.Stat()
	named, errno2 := fsys.Stat("new")
	if errno != 0 || errno2 != 0 || st != named || st.Size != 5 || st.Mode != 0o600 || st.Nlink != 1 || st.Ino == 0 {
		t.Errorf("stat: %+v, %v; by name %+v, %v", st, errno, named, errno2)
	}
	ino, _ := f.Ino()
	dev, _ := f.Dev()
	if isDir, errno := f.IsDir(); isDir || errno != 0 || ino != st.Ino || dev != st.Dev {
		t.Errorf("it is %d/%d and a folder: %v, %v", dev, ino, isDir, errno)
	}
	if errno := f.Utimens(experimental.UTIME_OMIT, 1e9+7); errno != 0 {
		t.Error(errno)
	}
	if now, errno := f.Stat(); errno != 0 || now.Mtim != 1e9+7 || now.Atim != st.Atim {
		t.Errorf("times are %d and %d, want %d and %d", now.Atim, now.Mtim, st.Atim, int64(1e9+7))
	}
	p := f.(experimental.PollableFile)
	if ready, errno := p.Poll(experimental.POLLIN, 0); !ready || errno != 0 {
		t.Errorf("poll: %v, %v", ready, errno)
	}
	if errno := p.SetNonblock(true); errno != 0 || !p.IsNonblock() {
		t.Errorf("nonblocking: %v, %v", p.IsNonblock(), errno)
	}
	if a, b, c, d := f.Sync(), f.Datasync(), f.Close(), f.Close(); a != 0 || b != 0 || c != 0 || d != 0 {
		t.Errorf("sync and close: %v, %v, %v, %v", a, b, c, d)
	}
}

// TestAppend switches appending on and off.
func TestAppend(t *testing.T) {
	t.Parallel()
	dir, _ := furnish(t)
	f, errno := open(t, dir, rootfs.Options{Write: true}).FS().OpenFile("file", rdwr|experimental.O_APPEND, 0)
	if errno != 0 || !f.IsAppend() {
		t.Fatal(errno, "or not appending")
	}
	write(t, f, "1")
	if _, errno := f.Seek(0, io.SeekStart); errno != 0 {
		t.Fatal(errno)
	}
	write(t, f, "2")
	if n, errno := f.Pwrite([]byte("H"), 0); n != 1 || errno != 0 {
		t.Error(n, errno)
	}
	if errno := f.SetAppend(false); errno != 0 || f.IsAppend() {
		t.Fatal(errno, "or still appending")
	}
	if _, errno := f.Seek(1, io.SeekStart); errno != 0 {
		t.Fatal(errno)
	}
	write(t, f, "E")
	buf := make([]byte, 10)
	if n, errno := f.Pread(buf, 0); errno != 0 || string(buf[:n]) != "HEre12" {
		t.Errorf("read %q, %v", buf[:n], errno)
	}
	if n, errno := f.Read(buf[:2]); errno != 0 || string(buf[:n]) != "re" {
		t.Errorf("read on %q, %v", buf[:n], errno)
	}
}

func write(t *testing.T, f experimental.File, text string) {
	t.Helper()
	if n, errno := f.Write([]byte(text)); n != len(text) || errno != 0 {
		t.Fatalf("wrote %d of %q, %v", n, text, errno)
	}
}

// TestFolder reads a folder by and by, and again from the beginning.
func TestFolder(t *testing.T) {
	t.Parallel()
	dir, _ := furnish(t)
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	f, errno := open(t, dir, rootfs.Options{MaxEntries: len(all)}).FS().OpenFile(".", rdonly, 0)
	if errno != 0 {
		t.Fatal(errno)
	}
	for range 2 {
		seen := map[string]experimental.Dirent{}
		for {
			few, errno := f.Readdir(3)
			if errno != 0 {
				t.Fatal(errno)
			}
			for _, e := range few {
				seen[e.Name] = e
			}
			if len(few) < 3 {
				break
			}
		}
		for _, e := range all {
			info, err := e.Info()
			if err != nil {
				t.Fatal(err)
			}
			got := seen[e.Name()]
			if got.Type != e.Type() || got.Ino != info.Sys().(*syscall.Stat_t).Ino {
				t.Errorf("%s is %v", e.Name(), &got)
			}
		}
		if len(seen) != len(all) {
			t.Errorf("saw %d of %d names", len(seen), len(all))
		}
		if _, errno := f.Seek(0, io.SeekStart); errno != 0 {
			t.Fatal(errno)
		}
	}
	if rest, errno := f.Readdir(-1); len(rest) != len(all) || errno != 0 {
		t.Errorf("all at once are %d, %v", len(rest), errno)
	}
	if a, b := f.Sync(), f.Datasync(); a != 0 || b != 0 {
		t.Errorf("sync: %v, %v", a, b)
	}
}

// TestFolderShrinks removes names that have been read from the disk, but not
// returned. Fewer than asked for would mean that there are no more.
func TestFolderShrinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 10 {
		lay(t, dir, map[string]string{fmt.Sprint(i): ""})
	}
	f, errno := open(t, dir, rootfs.Options{}).FS().OpenFile(".", rdonly, 0)
	if errno != 0 {
		t.Fatal(errno)
	}
	first, errno := f.Readdir(1)
	if len(first) != 1 || errno != 0 {
		t.Fatal(first, errno)
	}
	removed := 0
	for i := range 10 {
		if name := fmt.Sprint(i); name != first[0].Name && removed < 4 {
			removed++
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if rest, errno := f.Readdir(5); len(rest) != 5 || errno != 0 {
		t.Errorf("got %v, %v; want 5 more names", rest, errno)
	}
}

// TestClose ends a mount while files are open in it.
func TestClose(t *testing.T) {
	t.Parallel()
	dir, _ := furnish(t)
	m := open(t, dir, rootfs.Options{Write: true})
	f, errno := m.FS().OpenFile("file", rdwr, 0)
	if errno != 0 {
		t.Fatal(errno)
	}
	for range 2 {
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, errno := f.Write([]byte("late")); errno != experimental.EBADF {
		t.Errorf("writing: %v", errno)
	}
	if _, errno := f.Stat(); errno != experimental.EBADF {
		t.Errorf("describing: %v", errno)
	}
	if errno := f.Close(); errno != 0 {
		t.Errorf("closing: %v", errno)
	}
	if errno := opening("file", rdonly)(m.FS()); errno != experimental.EBADF {
		t.Errorf("opening: %v", errno)
	}
	if errno := opening(".", rdonly)(m.FS()); errno != experimental.ENOENT { // else wazero panics
		t.Errorf("opening the mount: %v", errno)
	}
	if errno := m.FS().Mkdir("new", 0); errno != experimental.EBADF {
		t.Errorf("making a folder: %v", errno)
	}
}
