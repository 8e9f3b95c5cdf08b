//go:build unix

package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Try locks an open file without waiting. It returns false if another process holds the lock. If
// the file already has a lock of the other kind, Try ends that lock first. It fails with
// errors.ErrUnsupported if the disk does not support locks.
func Try(file *os.File, kind Kind) (bool, error) {
	how := unix.LOCK_SH
	if kind == Exclusive {
		how = unix.LOCK_EX
	}
	err := unix.Flock(int(file.Fd()), how|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return err == nil, err
}
