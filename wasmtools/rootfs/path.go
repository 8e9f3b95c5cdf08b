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

// Limits of a path. Each element costs a system call, and other programs fail at very deep folders.
const (
	maxPath     = 4096 // bytes
	maxElements = 128
)

// Modes of new files and folders: only the gateway's user has access.
const (
	dirPerm  fs.FileMode = 0o700
	filePerm fs.FileMode = 0o600
)

// clean turns a guest's path into one for an os.Root. It drops a leading slash, which wazero adds
// to paths relative to an open folder. It keeps a trailing slash, which asks for a folder, and
// "..": only the os.Root knows what comes before.
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

// errnoOf turns an error of the os package into the one that a guest sees.
func errnoOf(err error) sys.Errno {
	switch number, ok := errors.AsType[syscall.Errno](err); {
	case err == nil, errors.Is(err, io.EOF): // the end of a file is not an error in WASI
		return 0
	case ok:
		return sys.UnwrapOSError(number)
	case errors.Is(err, fs.ErrClosed):
		return sys.EBADF
	}
	return sys.EPERM // an error of os.Root itself: the path leads out
}

// openNow opens a name without waiting, even if it is a pipe.
func openNow(root *os.Root, name string, flag int, perm fs.FileMode) (*os.File, error) {
	return root.OpenFile(name, flag|syscall.O_NONBLOCK, perm)
}
