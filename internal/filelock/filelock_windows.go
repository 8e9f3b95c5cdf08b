package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Try locks an open file without waiting. It returns false if another process holds the lock. If
// the file already has a lock of the other kind, Try ends that lock first. It fails with
// errors.ErrUnsupported if the disk does not support locks.
func Try(file *os.File, kind Kind) (bool, error) {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if kind == Exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	handle := windows.Handle(file.Fd())
	_ = windows.UnlockFileEx(handle, 0, 1, 0, new(windows.Overlapped)) // there may be no lock
	err := windows.LockFileEx(handle, flags, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}
