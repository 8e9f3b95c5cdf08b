//go:build unix

package rootfs_test

import (
	"io"
	"strings"

	experimental "github.com/tetratelabs/wazero/experimental/sys"
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
