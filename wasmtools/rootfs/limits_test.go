//go:build unix

package rootfs_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	experimental "github.com/tetratelabs/wazero/experimental/sys"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/rootfs"
)

const name = rootfs.EntryCost // what an empty file counts

// exceeded fails the test unless a guest met a limit since, and the mount says
// which.
func exceeded(t *testing.T, m *rootfs.Mount, errno experimental.Errno, words string) {
	t.Helper()
	err := m.Exceeded()
	if errno != experimental.EIO || fault.CodeOf(err) != sdkapi.ToolError || !strings.Contains(err.Error(), words) {
		t.Errorf("%v; the mount says: %v; want %q", errno, err, words)
	}
}

// used fails the test unless want bytes are on the books.
func used(t *testing.T, m *rootfs.Mount, when string, want int64) {
	t.Helper()
	if got := m.Used(); got != want {
		t.Errorf("%s: %d bytes are on the books, want %d", when, got, want)
	}
}

func create(t *testing.T, m *rootfs.Mount, path string) experimental.File {
	t.Helper()
	f, errno := m.FS().OpenFile(path, rdwr|creat, 0)
	if errno != 0 {
		t.Fatal(errno)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestMaxBytes fills a folder to its last byte, in each way there is.
func TestMaxBytes(t *testing.T) {
	t.Parallel()
	const room = 100
	for _, c := range []struct {
		name string
		fits func(m *rootfs.Mount, f experimental.File) experimental.Errno
		over func(m *rootfs.Mount, f experimental.File) experimental.Errno
	}{
		{"write", writing(room), writing(1)},
		{"write all at once", writing(room), writing(room + 1)},
		{"write at a place", writingAt(1, room-1), writingAt(1, room)},
		{"write behind the end", writingAt(1, room-1), writingAt(1, 1<<62)},
		{"lengthen", cutting(room), cutting(room + 1)},
		{"lengthen a lot", cutting(room), cutting(1<<63 - 1)},
		{"create", cutting(room), making("new")},
		{"mkdir", cutting(room), func(m *rootfs.Mount, _ experimental.File) experimental.Errno { return m.FS().Mkdir("new", 0) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := open(t, t.TempDir(), rootfs.Options{Write: true, MaxBytes: name + room, MaxFileBytes: 1<<63 - 1})
			f := create(t, m, "a")
			if errno := c.fits(m, f); errno != 0 || m.Exceeded() != nil {
				t.Errorf("%s: %v, %v", c.name, errno, m.Exceeded())
			}
			used(t, m, c.name, name+room)
			exceeded(t, m, c.over(m, f), "at most")
			used(t, m, c.name+" too much", name+room)
			if st, errno := f.Stat(); errno != 0 || st.Size != room {
				t.Errorf("%s: the file has %d bytes, %v", c.name, st.Size, errno)
			}
			if errno := writingAt(room, 0)(m, f); errno != 0 { // nothing is added
				t.Errorf("%s: overwriting: %v", c.name, errno)
			}
		})
	}
}

func writing(n int) func(*rootfs.Mount, experimental.File) experimental.Errno {
	return func(_ *rootfs.Mount, f experimental.File) experimental.Errno {
		_, errno := f.Write(make([]byte, n))
		return errno
	}
}

func writingAt(n int, off int64) func(*rootfs.Mount, experimental.File) experimental.Errno {
	return func(_ *rootfs.Mount, f experimental.File) experimental.Errno {
		_, errno := f.Pwrite(make([]byte, n), off)
		return errno
	}
}

func cutting(size int64) func(*rootfs.Mount, experimental.File) experimental.Errno {
	return func(_ *rootfs.Mount, f experimental.File) experimental.Errno { return f.Truncate(size) }
}

func making(path string) func(*rootfs.Mount, experimental.File) experimental.Errno {
	return func(m *rootfs.Mount, _ experimental.File) experimental.Errno {
		return opening(path, rdwr|creat)(m.FS())
	}
}

// TestRoomComesBack removes things in each way there is.
func TestRoomComesBack(t *testing.T) {
	t.Parallel()
	m := open(t, t.TempDir(), rootfs.Options{Write: true})
	fsys := m.FS()
	a, b := create(t, m, "a"), create(t, m, "b")
	write(t, a, "12345")
	write(t, b, "1234567")
	used(t, m, "two files", 2*name+12)
	if errno := a.Truncate(2); errno != 0 {
		t.Error(errno)
	}
	used(t, m, "one shortened", 2*name+9)
	if errno := fsys.Unlink("a"); errno != 0 {
		t.Error(errno)
	}
	used(t, m, "one removed, but open", name+9)
	write(t, a, "123") // at 5, so that it is 8 long
	used(t, m, "and written to", name+15)
	again := create(t, m, "b")
	if errno := a.Close(); errno != 0 {
		t.Error(errno)
	}
	used(t, m, "and closed", name+7)
	create(t, m, "c").Close()
	if errno := fsys.Rename("c", "b"); errno != 0 {
		t.Error(errno)
	}
	used(t, m, "the other replaced, but open", name+7)
	b.Close()
	used(t, m, "and closed once", name+7)
	again.Close()
	used(t, m, "and closed twice", name)
	if a, b := fsys.Mkdir("d", 0), fsys.Mkdir("e", 0); a != 0 || b != 0 {
		t.Error(a, b)
	}
	if errno := fsys.Rename("d", "e"); errno != 0 {
		t.Error(errno)
	}
	used(t, m, "a folder replaced", 2*name)
	if errno := fsys.Rmdir("e"); errno != 0 {
		t.Error(errno)
	}
	if errno := opening("b", rdwr|trunc)(fsys); errno != 0 {
		t.Error(errno)
	}
	used(t, m, "a folder removed", name)
}

// TestHardLinkKeepsItsFile removes one of a file's two names.
func TestHardLinkKeepsItsFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lay(t, dir, map[string]string{"a": "12345"})
	if err := os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	m := open(t, dir, rootfs.Options{Write: true})
	used(t, m, "two names", 2*name+10)
	if errno := m.FS().Unlink("a"); errno != 0 {
		t.Error(errno)
	}
	used(t, m, "one name", name+10)
	if errno := m.FS().Unlink("b"); errno != 0 {
		t.Error(errno)
	}
	used(t, m, "none", 5) // more than there is, never less
}

// TestLedgerAgreesWithACount does things at random and counts anew.
func TestLedgerAgreesWithACount(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	opts := rootfs.Options{Write: true, MaxBytes: 20 * name}
	m := open(t, dir, opts)
	random := rand.New(rand.NewPCG(1, 2))
	files := []string{"a", "b", "d/a", "d/b", "d", "e"}
	for range 5000 { // most of what is tried cannot be
		one, two := files[random.IntN(len(files))], files[random.IntN(len(files))]
		size := random.Int64N(4 * name)
		switch random.IntN(8) {
		case 0:
			_ = m.FS().Mkdir(one, 0)
		case 1:
			_ = m.FS().Rmdir(one)
		case 2:
			_ = m.FS().Unlink(one)
		case 3:
			_ = m.FS().Rename(one, two)
		default:
			f, errno := m.FS().OpenFile(one, []experimental.Oflag{rdwr, rdwr | creat, rdwr | trunc, wronly | creat | trunc}[random.IntN(4)], 0)
			if errno != 0 {
				continue
			}
			if random.IntN(3) == 0 {
				_ = m.FS().Unlink(one)
			}
			_, _ = f.Pwrite(make([]byte, size/2), random.Int64N(2*name))
			if random.IntN(2) == 0 {
				_ = f.Truncate(size)
			}
			_ = f.Close()
		}
	}
	if err := m.Exceeded(); err == nil {
		t.Error("the quota was never met")
	}
	used(t, open(t, dir, opts), "counted anew", m.Used())
}

func TestMaxFileBytes(t *testing.T) {
	t.Parallel()
	m := open(t, t.TempDir(), rootfs.Options{Write: true, MaxFileBytes: 10})
	f := create(t, m, "a")
	write(t, f, "0123456789")
	if m.Exceeded() != nil {
		t.Error(m.Exceeded())
	}
	exceeded(t, m, writing(1)(m, f), "would have 11 bytes; the mount allows 10")
	exceeded(t, m, cutting(12)(m, f), "would have 12 bytes")
	exceeded(t, m, writingAt(1, 12)(m, f), "would have 13 bytes")
	write(t, create(t, m, "b"), "0123456789") // each file for itself
}

func TestMaxOpenFiles(t *testing.T) {
	t.Parallel()
	m := open(t, t.TempDir(), rootfs.Options{Write: true, MaxOpenFiles: 2})
	create(t, m, "a")
	if _, errno := m.FS().OpenFile(".", rdonly, 0); errno != 0 {
		t.Fatal(errno)
	}
	exceeded(t, m, opening("a", rdonly)(m.FS()), "2 files open")
	if errno := opening(".", rdonly)(m.FS()); errno != experimental.ENOENT { // else wazero panics
		t.Errorf("opening the mount: %v", errno)
	}
	if _, errno := m.FS().Stat("a"); errno != 0 {
		t.Errorf("describing takes no handle: %v", errno)
	}
}

func TestMaxEntries(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 5 {
		lay(t, dir, map[string]string{fmt.Sprint(i): ""})
	}
	list := func(limit, n int) (*rootfs.Mount, experimental.Errno) {
		m := open(t, dir, rootfs.Options{MaxEntries: limit})
		return m, with(".", rdonly, func(f experimental.File) experimental.Errno {
			for {
				if few, errno := f.Readdir(n); errno != 0 || len(few) < n || n < 0 {
					return errno
				}
			}
		})(m.FS())
	}
	for _, n := range []int{-1, 1, 2, 4, 5, 6, 1 << 30} {
		if m, errno := list(5, n); errno != 0 || m.Exceeded() != nil {
			t.Errorf("%d at a time: %v, %v", n, errno, m.Exceeded())
		}
		m, errno := list(4, n)
		exceeded(t, m, errno, "more than the 4 names")
	}
	open(t, dir, rootfs.Options{Write: true, MaxEntries: 5})
	if _, err := rootfs.Open(dir, rootfs.Options{Write: true, MaxEntries: 4}); err == nil || !strings.Contains(err.Error(), "more files and folders than the mount allows") {
		t.Errorf("opened: %v", err)
	}
}

// TestDeepFolders goes as deep as a guest can, and deeper.
func TestDeepFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := open(t, dir, rootfs.Options{Write: true})
	path := "d"
	for range 127 {
		if errno := m.FS().Mkdir(path, 0); errno != 0 {
			t.Fatal(errno)
		}
		path += "/d"
	}
	if a, b := m.FS().Mkdir(path, 0), m.FS().Mkdir(path+"/d", 0); a != 0 || b != experimental.ENAMETOOLONG {
		t.Errorf("%v, %v", a, b)
	}
	used(t, open(t, dir, rootfs.Options{Write: true}), "counted anew", m.Used())
	if err := os.Mkdir(filepath.Join(dir, path, "d"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := rootfs.Open(dir, rootfs.Options{Write: true}); err == nil || !strings.Contains(err.Error(), "128 levels of subfolders") {
		t.Errorf("opened: %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lay(t, dir, map[string]string{"file": ""})
	for _, c := range []struct {
		path string
		opts rootfs.Options
	}{
		{filepath.Join(dir, "file"), rootfs.Options{}},
		{filepath.Join(dir, "gone"), rootfs.Options{}},
		{dir, rootfs.Options{MaxOpenFiles: -1}},
		{dir, rootfs.Options{MaxBytes: -1}},
		{dir, rootfs.Options{MaxFileBytes: -1}},
		{dir, rootfs.Options{MaxEntries: -1}},
	} {
		t.Run(fmt.Sprint(c.path, " ", c.opts), func(t *testing.T) {
			if m, err := rootfs.Open(c.path, c.opts); err == nil {
				t.Errorf("%s, %+v: opened", c.path, c.opts)
				_ = m.Close()
			}
		})
	}
}

// TestGuestFillsTheFolder has a guest write until it is stopped.
func TestGuestFillsTheFolder(t *testing.T) {
	t.Parallel()
	m := open(t, t.TempDir(), rootfs.Options{Write: true, MaxBytes: name + 5500})
	must(t, run(t, m, "fill", "/data/a"), "5000 true")
	exceeded(t, m, experimental.EIO, "1000 more do not fit")
}

// TestGuestLeavesFilesOpen expects that a guest's handles end with it.
func TestGuestLeavesFilesOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lay(t, dir, map[string]string{"a": "here"})
	m := open(t, dir, rootfs.Options{MaxOpenFiles: 10})
	for range 2 {
		must(t, run(t, m, "hold", "/data/a"), "9 true") // the mount itself is the tenth
	}
	exceeded(t, m, experimental.EIO, "10 files open")
}
