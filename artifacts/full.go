package artifacts

import (
	"errors"
	"runtime"
	"slices"
	"syscall"
)

// windowsFull is how Windows says that a disk is full, or somebody's share of
// it: ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL and ERROR_DISK_QUOTA_EXCEEDED.
// The numbers mean other things elsewhere.
var windowsFull = []syscall.Errno{39, 112, 1295}

// Full reports whether err, from a file system, says that there is no room left
// on a disk, or none for this user.
func Full(err error) bool {
	var code syscall.Errno
	if !errors.As(err, &code) {
		return false
	}
	return code == syscall.ENOSPC || code == syscall.EDQUOT || runtime.GOOS == "windows" && slices.Contains(windowsFull, code)
}
