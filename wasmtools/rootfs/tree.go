package rootfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	experimental "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/sys"
)

// tree is a mount for wazero. experimental.FS documents its methods.
type tree struct {
	experimental.UnimplementedFS // covers methods that wazero may add

	m *Mount
}

var _ experimental.FS = (*tree)(nil)

// Stat implements experimental.FS. It follows links inside the mount. It fails with EPERM for a
// link to a place outside of the mount.
func (t *tree) Stat(name string) (sys.Stat_t, experimental.Errno) {
	return describe(name, t.m.root.Stat)
}

// Lstat implements experimental.FS. If name is a link, it describes the link itself.
func (t *tree) Lstat(name string) (sys.Stat_t, experimental.Errno) {
	return describe(name, t.m.root.Lstat)
}

// describe calls stat with the clean name.
func describe(name string, stat func(string) (fs.FileInfo, error)) (sys.Stat_t, experimental.Errno) {
	name, errno := clean(name)
	if errno != 0 {
		return sys.Stat_t{}, errno
	}
	return statOf(stat(name))
}

// statOf converts the result of a stat call for wazero.
func statOf(info fs.FileInfo, err error) (sys.Stat_t, experimental.Errno) {
	if err != nil {
		return sys.Stat_t{}, errnoOf(err)
	}
	return sys.NewStat_t(info), 0
}

// Readlink returns the target of a link as the operator wrote it, with slashes as separators. The
// target may be outside of the mount.
func (t *tree) Readlink(name string) (string, experimental.Errno) {
	name, errno := clean(name)
	if errno != 0 {
		return "", errno
	}
	target, err := t.m.root.Readlink(name)
	return filepath.ToSlash(target), errnoOf(err)
}

// Symlink always fails, because guests may not make links. The error is EROFS in a read-only mount,
// and otherwise EPERM.
func (t *tree) Symlink(string, string) experimental.Errno { return t.never() }

// Link always fails, because guests may not make links. The error is EROFS in a read-only mount,
// and otherwise EPERM.
func (t *tree) Link(string, string) experimental.Errno { return t.never() }

// Chmod always fails, because guests may not change modes. The error is EROFS in a read-only mount,
// and otherwise EPERM.
func (t *tree) Chmod(string, fs.FileMode) experimental.Errno { return t.never() }

// never is the result of operations that no guest may perform: EROFS in a read-only mount, and
// otherwise EPERM.
func (t *tree) never() experimental.Errno {
	if !t.m.opts.Write {
		return experimental.EROFS
	}
	return experimental.EPERM
}

// Mkdir implements experimental.FS. It ignores the mode, so the mode of a new folder is always
// dirPerm.
func (t *tree) Mkdir(name string, _ fs.FileMode) experimental.Errno {
	return t.change(name, func(name string) experimental.Errno {
		if errno := t.m.fits(EntryCost); errno != 0 {
			return errno
		}
		err := t.m.root.Mkdir(name, dirPerm)
		if err == nil {
			t.m.ledger.add(EntryCost)
		}
		return errnoOf(err)
	})
}

// Unlink implements experimental.FS. It removes a file or a link, and fails with EISDIR for a
// folder.
func (t *tree) Unlink(name string) experimental.Errno {
	return t.change(name, func(name string) experimental.Errno {
		info, err := t.m.root.Lstat(name)
		switch {
		case err != nil:
			return errnoOf(err)
		case info.IsDir():
			return experimental.EISDIR
		}
		return t.remove(name, info)
	})
}

// Rmdir implements experimental.FS. It fails for a folder that is not empty. It fails with EINVAL
// for the root folder of the mount.
func (t *tree) Rmdir(name string) experimental.Errno {
	return t.change(name, func(name string) experimental.Errno {
		name = strings.TrimRight(name, "/") // a link is not a folder, whatever it leads to
		info, err := t.m.root.Lstat(name)
		switch {
		case err != nil:
			return errnoOf(err)
		case !info.IsDir():
			return experimental.ENOTDIR
		case isRoot(name):
			return experimental.EINVAL
		}
		return t.remove(name, info)
	})
}

// remove removes a name. os.Root cannot remove only files or only folders: if another program has
// just put a folder in place of a file, or a file in place of a folder, remove removes that.
func (t *tree) remove(name string, info fs.FileInfo) experimental.Errno {
	err := t.m.root.Remove(name)
	if err == nil {
		t.m.ledger.drop(info)
	}
	return errnoOf(err)
}

// Rename implements experimental.FS. If the target exists, Rename follows the rules of POSIX. It
// cannot move the root folder of the mount.
func (t *tree) Rename(from, to string) experimental.Errno {
	to, errno := clean(to)
	return t.change(from, func(from string) experimental.Errno {
		switch {
		case errno != 0:
			return errno
		case isRoot(from), isRoot(to):
			return experimental.EINVAL
		}
		source, err := t.m.root.Lstat(from)
		if err != nil {
			return errnoOf(err)
		}
		target, err := t.m.root.Lstat(to)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return errnoOf(t.m.root.Rename(from, to))
		case err != nil:
			return errnoOf(err)
		}
		return t.replace(from, to, source, target)
	})
}

// replace renames from to to, which exists. It follows the rules of POSIX.
func (t *tree) replace(from, to string, source, target fs.FileInfo) experimental.Errno {
	switch {
	case os.SameFile(source, target):
		return 0 // as in POSIX
	case source.IsDir() && !target.IsDir():
		return experimental.ENOTDIR
	case !source.IsDir() && target.IsDir():
		return experimental.EISDIR
	case source.IsDir() && strings.HasPrefix(to, strings.TrimRight(from, "/")+"/"):
		return experimental.EINVAL // a folder cannot be moved into itself
	case source.IsDir(): // os.Root replaces no folder, not even an empty one
		if errno := t.remove(to, target); errno != 0 {
			return errno
		}
		return errnoOf(t.m.root.Rename(from, to))
	}
	err := t.m.root.Rename(from, to)
	if err == nil {
		t.m.ledger.drop(target)
	}
	return errnoOf(err)
}

// Utimens implements experimental.FS. The times are nanoseconds since 1970. It follows links inside
// the mount.
func (t *tree) Utimens(name string, atim, mtim int64) experimental.Errno {
	return t.change(name, func(name string) experimental.Errno {
		return errnoOf(t.m.root.Chtimes(name, moment(atim), moment(mtim)))
	})
}

// moment converts nanoseconds since 1970; UTIME_OMIT becomes the zero time.
func moment(nanos int64) time.Time {
	if nanos == experimental.UTIME_OMIT {
		return time.Time{}
	}
	return time.Unix(0, nanos)
}

// change calls do with the clean name while it holds mu, if guests may change the mount.
func (t *tree) change(name string, do func(name string) experimental.Errno) experimental.Errno {
	if !t.m.opts.Write {
		return experimental.EROFS
	}
	name, errno := clean(name)
	if errno != 0 {
		return errno
	}
	t.m.mu.Lock()
	defer t.m.mu.Unlock()
	return do(name)
}
