package memory

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock locks an open file against other processes, and reports whether it
// could. The lock ends when the file is closed, however the process ends.
func tryLock(file *os.File) (bool, error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}
