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

const (
	rdonly = experimental.O_RDONLY
	rdwr   = experimental.O_RDWR
	wronly = experimental.O_WRONLY
	creat  = experimental.O_CREAT
	excl   = experimental.O_EXCL
	trunc  = experimental.O_TRUNC
	folder = experimental.O_DIRECTORY
	nolink = experimental.O_NOFOLLOW
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
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, outside
}

// opening opens and closes.
func opening(name string, flag experimental.Oflag) func(experimental.FS) experimental.Errno {
	return func(fsys experimental.FS) experimental.Errno {
		f, errno := fsys.OpenFile(name, flag, 0o777)
		if errno != 0 {
			return errno
		}
		return f.Close()
	}
}

// with opens name and does something with it.
func with(name string, flag experimental.Oflag, do func(experimental.File) experimental.Errno) func(experimental.FS) experimental.Errno {
	return func(fsys experimental.FS) experimental.Errno {
		f, errno := fsys.OpenFile(name, flag, 0)
		if errno != 0 {
			return errno
		}
		defer f.Close()
		return do(f)
	}
}

// naming turns a method that takes a path into a case.
func naming(name string, do func(experimental.FS, string) experimental.Errno) func(experimental.FS) experimental.Errno {
	return func(fsys experimental.FS) experimental.Errno { return do(fsys, name) }
}

func renaming(from, to string) func(experimental.FS) experimental.Errno {
	return func(fsys experimental.FS) experimental.Errno { return fsys.Rename(from, to) }
}

func stat(f experimental.FS, name string) experimental.Errno { _, errno := f.Stat(name); return errno }
func lstat(f experimental.FS, name string) experimental.Errno {
	_, errno := f.Lstat(name)
	return errno
}
func mkdir(f experimental.FS, name string) experimental.Errno  { return f.Mkdir(name, 0o777) }
func rmdir(f experimental.FS, name string) experimental.Errno  { return f.Rmdir(name) }
func unlink(f experimental.FS, name string) experimental.Errno { return f.Unlink(name) }
func touch(f experimental.FS, name string) experimental.Errno  { return f.Utimens(name, 0, 0) }
func follow(f experimental.FS, name string) experimental.Errno {
	_, errno := f.Readlink(name)
	return errno
}

var (
	longName = strings.Repeat("n", 256)
	longPath = strings.Repeat("d/", 2048) + "x"
	deepPath = strings.Repeat("d/", 128) + "x"
	wideName = strings.Repeat("n", 255)
	widePath = strings.Repeat(wideName+"/", 16) // 4096 bytes
)

// cases are calls and what they return in a mount for writing. Each has a
// folder of its own.
var cases = []struct {
	name string
	do   func(experimental.FS) experimental.Errno
	want experimental.Errno
}{
	{"open", opening("file", rdonly), 0},
	{"open from an open folder", opening("/full/file", rdonly), 0},
	{"open the mount", opening(".", rdonly), 0},
	{"open the mount by nothing", opening("", rdonly), 0},
	{"open the mount by a slash", opening("/", rdonly), 0},
	{"open what is missing", opening("gone", rdwr), experimental.ENOENT},
	{"open below a file", opening("file/x", rdonly), experimental.ENOTDIR},
	{"open a file as a folder", opening("file", folder), experimental.ENOTDIR},
	{"open a file by a trailing slash", opening("file/", rdonly), experimental.ENOTDIR},
	{"open a folder", opening("full", folder), 0},
	{"open a folder to write", opening("full", wronly), experimental.EISDIR},
	{"open a folder to read and write", opening("full", rdwr|folder), experimental.EISDIR},
	{"open the mount to write", opening(".", rdwr), experimental.EISDIR},
	{"create a folder with open", opening("new", creat|folder), experimental.EINVAL},
	{"create over a folder", opening("full", creat), experimental.EISDIR},
	{"create", opening("new", rdwr|creat), 0},
	{"create to read", opening("new", rdonly|creat), 0},
	{"create what is there", opening("file", wronly|creat), 0},
	{"create what must be new", opening("new", rdwr|creat|excl), 0},
	{"create what must be new and is not", opening("file", rdwr|creat|excl), experimental.EEXIST},
	{"create what must be new and is a link", opening("outnew", rdwr|creat|excl), experimental.EEXIST},
	{"create by a link to nothing", opening("nothing", rdwr|creat), 0},
	{"create by a link out", opening("outnew", rdwr|creat), experimental.EPERM},
	{"create below what is missing", opening("gone/x", rdwr|creat), experimental.ENOENT},
	{"cut without writing", opening("file", rdonly|trunc), experimental.EINVAL},
	{"open by a link", opening("in", rdwr), 0},
	{"open below a link", opening("into/file", rdonly), 0},
	{"open by a link in a loop", opening("loop", rdonly), experimental.ELOOP},
	{"open by a link to nothing", opening("nothing", rdonly), experimental.ENOENT},
	{"open a link itself", opening("in", rdonly|nolink), experimental.ELOOP},
	{"open a link out itself", opening("out", rdonly|nolink), experimental.ELOOP},
	{"open a file that is no link", opening("file", rdwr|nolink), 0},
	{"open by a link out", opening("out", rdonly), experimental.EPERM},
	{"open by a link out to write", opening("out", rdwr|trunc), experimental.EPERM},
	{"open by an absolute link", opening("absolute", rdonly), experimental.EPERM},
	{"open by a chain of links", opening("chain", rdonly), experimental.EPERM},
	{"open below a link out", opening("outto/secret", rdonly), experimental.EPERM},
	{"open a folder by a link out", opening("outto", folder), experimental.EPERM},
	{"open a folder by a link to the root", opening("rootlink", rdonly), experimental.EPERM},
	{"open by a link out further down", opening("into/up", rdonly), experimental.EPERM},
	{"open by dots", opening("../outside/secret", rdonly), experimental.EPERM},
	{"open by dots in the middle", opening("full/../../outside/secret", rdonly), experimental.EPERM},
	{"open by dots behind a link", opening("into/../../outside/secret", rdonly), experimental.EPERM},
	{"open by dots that stay inside", opening("full/../file", rdonly), 0},
	{"open the parent", opening("..", rdonly), experimental.EPERM},
	{"open an absolute path", opening("/etc/passwd", rdonly), experimental.ENOENT},
	{"open a pipe", opening("pipe", rdonly), experimental.EPERM},
	{"open a pipe to write", opening("pipe", wronly), experimental.EPERM},
	{"open a long name", opening(longName, rdwr|creat), experimental.ENAMETOOLONG},
	{"open a long path", opening(longPath, rdonly), experimental.ENAMETOOLONG},
	{"open a deep path", opening(deepPath, rdonly), experimental.ENAMETOOLONG},
	{"open a long path that is not too long", opening(widePath, rdonly), experimental.ENOENT},
	{"open a path that is one too long", opening(widePath+"n", rdonly), experimental.ENAMETOOLONG},
	{"open a deep path that is not too deep", opening(deepPath[2:], rdonly), experimental.ENOENT},
	{"open a zero byte", opening("file\x00", rdonly), experimental.EINVAL},

	{"stat", naming("file", stat), 0},
	{"stat a pipe", naming("pipe", stat), 0},
	{"stat by a link out", naming("out", stat), experimental.EPERM},
	{"stat below a link out", naming("outto/secret", lstat), experimental.EPERM},
	{"lstat a link out", naming("out", lstat), 0},
	{"lstat what is missing", naming("gone", lstat), experimental.ENOENT},
	{"lstat by dots", naming("../outside/secret", lstat), experimental.EPERM},
	{"lstat a zero byte", naming("\x00", lstat), experimental.EINVAL},
	{"readlink", naming("out", follow), 0},
	{"readlink no link", naming("file", follow), experimental.EINVAL},
	{"readlink below a link out", naming("outto/x", follow), experimental.EPERM},
	{"readlink a zero byte", naming("\x00", follow), experimental.EINVAL},

	{"mkdir", naming("new", mkdir), 0},
	{"mkdir with a slash", naming("new/", mkdir), 0},
	{"mkdir what is there", naming("file", mkdir), experimental.EEXIST},
	{"mkdir the mount", naming(".", mkdir), experimental.EEXIST},
	{"mkdir over a link", naming("outnew", mkdir), experimental.EEXIST},
	{"mkdir below a file", naming("file/new", mkdir), experimental.ENOTDIR},
	{"mkdir below a link out", naming("outto/new", mkdir), experimental.EPERM},
	{"mkdir a zero byte", naming("\x00", mkdir), experimental.EINVAL},

	{"rmdir", naming("empty", rmdir), 0},
	{"rmdir with a slash", naming("empty/", rmdir), 0},
	{"rmdir what is not empty", naming("full", rmdir), experimental.ENOTEMPTY},
	{"rmdir a file", naming("file", rmdir), experimental.ENOTDIR},
	{"rmdir a link", naming("into", rmdir), experimental.ENOTDIR},
	{"rmdir a link with a slash", naming("into/", rmdir), experimental.ENOTDIR},
	{"rmdir the mount", naming(".", rmdir), experimental.EINVAL},
	{"rmdir what is missing", naming("gone", rmdir), experimental.ENOENT},
	{"rmdir below a link out", naming("outto/x", rmdir), experimental.EPERM},
	{"unlink", naming("file", unlink), 0},
	{"unlink a link out", naming("out", unlink), 0},
	{"unlink a pipe", naming("pipe", unlink), 0},
	{"unlink a folder", naming("empty", unlink), experimental.EISDIR},
	{"unlink the mount", naming(".", unlink), experimental.EISDIR},
	{"unlink with a slash", naming("file/", unlink), experimental.ENOTDIR},
	{"unlink what is missing", naming("gone", unlink), experimental.ENOENT},
	{"unlink below a link out", naming("outto/secret", unlink), experimental.EPERM},

	{"rename", renaming("file", "new"), 0},
	{"rename over a file", renaming("file", "other"), 0},
	{"rename to itself", renaming("file", "file"), 0},
	{"rename a folder to itself", renaming("full", "full/"), 0},
	{"rename what is missing", renaming("gone", "new"), experimental.ENOENT},
	{"rename to where nothing is", renaming("file", "gone/new"), experimental.ENOENT},
	{"rename a file over a folder", renaming("file", "empty"), experimental.EISDIR},
	{"rename a folder over a file", renaming("empty", "file"), experimental.ENOTDIR},
	{"rename a folder over an empty one", renaming("full", "empty"), 0},
	{"rename a folder over a full one", renaming("empty", "full"), experimental.ENOTEMPTY},
	{"rename a folder into itself", renaming("full", "full/new"), experimental.EINVAL},
	{"rename a folder over an empty one in it", func(f experimental.FS) experimental.Errno {
		errno := f.Rename("nest", "nest/inner")
		if gone := stat(f, "nest/inner"); gone != 0 {
			return gone
		}
		return errno
	}, experimental.EINVAL},
	{"rename a folder over what is in it", renaming("full", "full/file/"), experimental.ENOTDIR},
	{"rename the mount", renaming(".", "new"), experimental.EINVAL},
	{"rename over the mount", renaming("full", "."), experimental.EINVAL},
	{"rename a link out", renaming("out", "full/out"), 0},
	{"rename to a link out", renaming("file", "out"), 0},
	{"rename to below a link out", renaming("file", "outto/new"), experimental.EPERM},
	{"rename from below a link out", renaming("outto/secret", "new"), experimental.EPERM},
	{"rename to dots", renaming("file", "../new"), experimental.EPERM},
	{"rename from a zero byte", renaming("\x00", "new"), experimental.EINVAL},
	{"rename to a zero byte", renaming("file", "\x00"), experimental.EINVAL},

	{"link", func(f experimental.FS) experimental.Errno { return f.Link("file", "new") }, experimental.EPERM},
	{"symlink", func(f experimental.FS) experimental.Errno { return f.Symlink("file", "new") }, experimental.EPERM},
	{"symlink out", func(f experimental.FS) experimental.Errno { return f.Symlink("../outside/secret", "new") }, experimental.EPERM},
	{"chmod", func(f experimental.FS) experimental.Errno { return f.Chmod("file", 0o4777) }, experimental.EPERM},

	{"utimens", naming("file", touch), 0},
	{"utimens by a link", naming("in", touch), 0},
	{"utimens by a link out", naming("out", touch), experimental.EPERM},
	{"utimens what is missing", naming("gone", touch), experimental.ENOENT},

	{"seek by a wrong whence", with("file", rdonly, func(f experimental.File) experimental.Errno { _, e := f.Seek(0, 3); return e }), experimental.EINVAL},
	{"seek before the beginning", with("file", rdonly, func(f experimental.File) experimental.Errno { _, e := f.Seek(-1, io.SeekStart); return e }), experimental.EINVAL},
	{"seek in a folder", with("full", rdonly, func(f experimental.File) experimental.Errno { _, e := f.Seek(1, io.SeekStart); return e }), experimental.EINVAL},
	{"read a folder", with("full", rdonly, func(f experimental.File) experimental.Errno { _, e := f.Read(make([]byte, 1)); return e }), experimental.EISDIR},
	{"write a folder", with("full", rdonly, func(f experimental.File) experimental.Errno { _, e := f.Write([]byte("x")); return e }), experimental.EISDIR},
	{"cut a folder", with("full", rdonly, func(f experimental.File) experimental.Errno { return f.Truncate(0) }), experimental.EISDIR},
	{"list a file", with("file", rdonly, func(f experimental.File) experimental.Errno { _, e := f.Readdir(1); return e }), experimental.EBADF},
	{"read what is open to write", with("file", wronly, func(f experimental.File) experimental.Errno { _, e := f.Read(make([]byte, 1)); return e }), experimental.EBADF},
	{"read before the beginning", with("file", rdonly, func(f experimental.File) experimental.Errno { _, e := f.Pread(make([]byte, 1), -1); return e }), experimental.EINVAL},
	{"write what is open to read", with("file", rdonly, func(f experimental.File) experimental.Errno { _, e := f.Write([]byte("x")); return e }), experimental.EBADF},
	{"write at a place in what is open to read", with("file", rdonly, func(f experimental.File) experimental.Errno { _, e := f.Pwrite([]byte("x"), 0); return e }), experimental.EBADF},
	{"write far out in what is open to read", with("file", rdonly, func(f experimental.File) experimental.Errno { _, e := f.Pwrite([]byte("x"), 1<<62); return e }), experimental.EBADF},
	{"write before the beginning", with("file", rdwr, func(f experimental.File) experimental.Errno { _, e := f.Pwrite([]byte("x"), -1); return e }), experimental.EINVAL},
	{"write past the largest number", with("file", rdwr, func(f experimental.File) experimental.Errno { _, e := f.Pwrite([]byte("x"), 1<<63-1); return e }), experimental.EINVAL},
	{"cut what is open to read", with("file", rdonly, func(f experimental.File) experimental.Errno { return f.Truncate(0) }), experimental.EBADF},
	{"cut to less than nothing", with("file", rdwr, func(f experimental.File) experimental.Errno { return f.Truncate(-1) }), experimental.EINVAL},
	{"read what is closed", with("file", rdonly, func(f experimental.File) experimental.Errno {
		if errno := f.Close(); errno != 0 {
			return errno
		}
		_, e := f.Read(make([]byte, 1))
		return e
	}), experimental.EBADF},
	{"set times of what has another name", func(fsys experimental.FS) experimental.Errno {
		return with("file", rdwr, func(f experimental.File) experimental.Errno {
			if errno := fsys.Rename("other", "file"); errno != 0 {
				return errno
			}
			return f.Utimens(0, 0)
		})(fsys)
	}, experimental.ENOENT},
}

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
