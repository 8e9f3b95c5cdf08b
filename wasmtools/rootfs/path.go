package rootfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/tetratelabs/wazero/experimental/sys"
)

// How long a path may be. Each element costs a system call, and a folder that
// is very deep is more than other programs bear.
const (
	maxPath     = 4096 // bytes
	maxElements = 128
)

// What the mount creates is for the gateway's user only.
const (
	dirPerm  fs.FileMode = 0o700
	filePerm fs.FileMode = 0o600
)

// clean turns a guest's path into one for an os.Root. A leading slash means nothing:
// wazero puts it before paths that begin at an open folder. A trailing one stays, as
// it asks for a folder; so does "..": only the os.Root knows what lies before.
func clean(name string) (string, sys.Errno) {
	if len(name) > maxPath {
		return "", sys.ENAMETOOLONG
	}
	name = strings.TrimLeft(name, "/")
	if name == "" {
		return ".", 0
	}
	if strings.Count(strings.TrimRight(name, "/"), "/") >= maxElements {
		return "", sys.ENAMETOOLONG
	}
	return name, 0
}

// isRoot reports whether a clean path is the mount's folder, which cannot be changed.
func isRoot(name string) bool { return strings.Trim(name, "/") == "." }

// errnoOf turns an error of the os package into what a guest sees.
func errnoOf(err error) sys.Errno {
	switch number, ok := errors.AsType[syscall.Errno](err); {
	case err == nil, errors.Is(err, io.EOF): // an end is no error in WASI
		return 0
	case ok:
		return sys.UnwrapOSError(number)
	case errors.Is(err, fs.ErrClosed):
		return sys.EBADF
	}
	return sys.EPERM // an os.Root's own: the path leads out
}

// openNow never waits, as opening a pipe that took the file's place would.
func openNow(root *os.Root, name string, flag int, perm fs.FileMode) (*os.File, error) {
	return root.OpenFile(name, flag|syscall.O_NONBLOCK, perm)
}
