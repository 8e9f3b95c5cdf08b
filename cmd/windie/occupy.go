package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/windieos/windie/internal/filelock"
)

// occupyTime is how long occupy waits for a gateway that is just ending.
const occupyTime = 2 * time.Second

// occupy keeps other gateways from the data folder until leave, or until the process ends. A program that may run beside a gateway
// does not ask. The file that it locks is empty, and stays; its folder must be there.
func (c *config) occupy(ctx context.Context) (leave func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, occupyTime)
	defer cancel()
	leave, err = filelock.Hold(waiting, filepath.Join(c.DataDir, lockName), filelock.Exclusive)
	switch {
	case err == nil:
		return leave, nil
	case ctx.Err() == nil && waiting.Err() != nil:
		return nil, fmt.Errorf("another gateway has the data folder %s open: stop it first, or choose another folder for this one with --data-dir or WINDIE_DATA_DIR", c.DataDir)
	}
	return nil, fmt.Errorf("locking the data folder: %w", err)
}

// occupied reports whether a gateway works in the data folder. Nothing secret is sent to what listens on the port to learn that.
func (c *config) occupied() bool {
	file, err := os.OpenFile(filepath.Join(c.DataDir, lockName), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer file.Close() // which ends the lock
	held, err := filelock.Try(file, filelock.Exclusive)
	return !held && err == nil
}
