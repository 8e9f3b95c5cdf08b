// Package filelock locks files against other processes.
//
//	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
//	held, err := filelock.Try(file, filelock.Exclusive)
//	release, err := filelock.Hold(ctx, name, filelock.Exclusive)
//
// A lock belongs to an open file, and ends when that is closed, also by the end of the process.
// Locks bind only those who ask for them, and hold on local disks.
package filelock

import (
	"context"
	"errors"
	"os"
	"time"
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

// Hold locks the file at path, which it makes, until release. It waits for those who have the lock until
// ctx ends, and fails with ctx's error then. On a disk without locks it waits for nobody.
func Hold(ctx context.Context, path string, kind Kind) (release func(), err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
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
			select {
			case <-time.After(pause):
				continue
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		release()
		return nil, err
	}
}
