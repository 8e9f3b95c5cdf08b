package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/windieos/windie/internal/filelock"
)

// occupyTime is how long occupy waits for a gateway that is stopping.
const occupyTime = 2 * time.Second

// occupy locks the data folder against other gateways until the caller calls leave, or until the
// process ends. Programs that may run beside a gateway do not call it. The lock file is empty and
// remains. Its folder must exist.
func (c *config) occupy(ctx context.Context) (leave func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, occupyTime)
	defer cancel()
	leave, err = filelock.Hold(waiting, filepath.Join(c.DataDir, lockName), filelock.Exclusive)
	switch {
	case err == nil:
		return leave, nil
	case ctx.Err() == nil && waiting.Err() != nil:
		return nil, fmt.Errorf("another gateway has the data folder %s open: stop that gateway, or choose another folder for this one with --data-dir or WINDIE_DATA_DIR", c.DataDir)
	}
	return nil, fmt.Errorf("cannot lock the data folder: %w", err)
}

// occupied reports whether a gateway uses the data folder. It tests the lock, and sends nothing to
// the program on the port, which may belong to another user.
func (c *config) occupied() bool {
	file, err := os.OpenFile(filepath.Join(c.DataDir, lockName), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer file.Close() // releases the lock
	held, err := filelock.Try(file, filelock.Exclusive)
	return !held && err == nil
}
