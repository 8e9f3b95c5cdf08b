// Package filelock locks files against other processes.
//
//	file, err := filelock.Open(name)
//	held, err := filelock.Try(file, filelock.Exclusive)
//	release, err := filelock.Hold(ctx, name, filelock.Exclusive)
//
// A lock belongs to an open file, and ends when that is closed, also by the end of the process.
// Locks bind only those who ask for them, and hold on local disks.
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

// Kind says whom a lock keeps out.
type Kind bool

// The kinds.
const (
	Exclusive Kind = true  // all others
	Shared    Kind = false // those who want it alone
)

// pause is between two tries of Hold.
const pause = 2 * time.Millisecond

// Open opens the file at path to be locked, and makes it if need be. One that root makes gets the owner of its
// folder, who will lock it too.
func Open(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600) // no link leads to what root gives away
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

// Hold locks the file at path, which it makes, until release. It waits for those who have the lock until
// ctx ends, and fails with ctx's error then. On a disk without locks it waits for nobody.
func Hold(ctx context.Context, path string, kind Kind) (release func(), err error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	release = func() { _ = file.Close() } // which ends the lock
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
