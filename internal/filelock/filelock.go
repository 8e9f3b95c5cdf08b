// Package filelock locks files against other processes.
//
//	file, err := filelock.Open(name)
//	held, err := filelock.Try(file, filelock.Exclusive)
//	release, err := filelock.Hold(ctx, name, filelock.Exclusive)
//
// A lock belongs to an open file. It ends when the file is closed, at the latest when the process
// ends. A lock has no effect on processes that do not use locks. Locks work only on local disks.
package filelock

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/newfile"
)

// Kind says whether a lock excludes all other locks or only exclusive locks.
type Kind bool

// The kinds.
const (
	Exclusive Kind = true  // a lock that excludes all other locks
	Shared    Kind = false // a lock that excludes only exclusive locks
)

// pause is the time between two tries of Hold.
const pause = 2 * time.Millisecond

// Open opens the file at path for locking, and creates it if necessary. If root creates the file,
// Open gives it to the owner of the folder, because that user needs to lock the file too.
func Open(path string) (*os.File, error) {
	// O_EXCL follows no link, so root gives away only a file that it created
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	}
	if err != nil {
		return nil, err
	}
	if err := newfile.Inherit(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// Hold locks the file at path until the caller calls release. If the file does not exist, Hold
// creates it. If another process holds the lock, Hold waits, and fails with ctx's error if ctx ends
// first. If the disk does not support locks, Hold returns at once without a lock.
func Hold(ctx context.Context, path string, kind Kind) (release func(), err error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	release = func() { _ = file.Close() } // closing ends the lock
	for {
		held, err := Try(file, kind)
		if held || errors.Is(err, errors.ErrUnsupported) {
			return release, nil
		}
		if err == nil {
			if err = background.Sleep(ctx, pause); err == nil {
				continue
			}
		}
		release()
		return nil, err
	}
}
