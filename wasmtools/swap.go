package wasmtools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/filelock"
	"github.com/windieos/windie/internal/newfile"
	"github.com/windieos/windie/sdkapi"
)

// A folder of plugins has two kinds of folders that no scan looks into: a plugin that is being written, and
// one NAME that is being replaced. A process that is killed leaves them to the next that changes the folder.
const (
	newPrefix = ".new-"
	oldPrefix = ".old-" // and the plugin's name
)

// FolderLock returns the file that LockFolder locks for the folder of plugins dir.
func FolderLock(dir string) string { return filepath.Join(dir, ".lock") }

// LockFolder runs change while no other process changes the folder of plugins dir, once what those that
// were killed have left is tidied up. It fails as Locked does.
func LockFolder(ctx context.Context, dir string, change func() error) error {
	return Locked(ctx, FolderLock(dir), func() error {
		if err := tidy(dir); err != nil {
			return err
		}
		return change()
	})
}

// LockFile runs change, which may write the file at path with newfile.Write, while no other process does so,
// once what those that were killed have left is removed. It fails as Locked does.
func LockFile(ctx context.Context, path string, change func() error) error {
	return Locked(ctx, path+"-lock", func() error {
		if err := newfile.RemoveLeft(path); err != nil {
			return err
		}
		return change()
	})
}

// isUntidy reports whether a process that was killed has left something in a folder of plugins, or one writes there now.
func isUntidy(dir string) bool {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), newPrefix) || strings.HasPrefix(entry.Name(), oldPrefix) {
			return true
		}
	}
	return false
}

// tidy removes plugins that were not written to their end, and ends each Swap that was broken off.
func tidy(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("the folder of plugins: %w", err)
	}
	for _, entry := range entries {
		at := filepath.Join(dir, entry.Name())
		switch name, old := strings.CutPrefix(entry.Name(), oldPrefix); {
		case old && !exists(filepath.Join(dir, name)):
			err = errors.Join(err, putBack(at))
		case old || strings.HasPrefix(entry.Name(), newPrefix):
			err = errors.Join(err, os.RemoveAll(at))
		}
	}
	if err != nil {
		return fmt.Errorf("the folder of plugins: %w", err)
	}
	return nil
}

// NewFolder makes a folder with these files in the folder of plugins dir, for Swap.
func NewFolder(dir string, files map[string][]byte) (string, error) {
	fresh, err := newfile.MkdirTemp(dir, newPrefix+"*")
	for file, content := range files {
		if err == nil {
			err = newfile.Write(filepath.Join(fresh, file), content)
		}
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(fresh))
	}
	return fresh, nil
}

// Swap puts a folder that NewFolder made in the place of a plugin's. It returns where the one before is, which may not exist: the
// caller removes it.
func Swap(fresh, place string) (before string, err error) {
	before = filepath.Join(filepath.Dir(place), oldPrefix+filepath.Base(place))
	if err := os.Rename(place, before); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", errors.Join(err, os.RemoveAll(fresh))
	}
	if err := os.Rename(fresh, place); err != nil {
		return "", errors.Join(err, os.RemoveAll(fresh), putBack(before))
	}
	return before, nil
}

// putBack puts the folder that Swap took away in its place again, if there was one.
func putBack(before string) error {
	place := filepath.Join(filepath.Dir(before), strings.TrimPrefix(filepath.Base(before), oldPrefix))
	if err := os.RemoveAll(place); err != nil {
		return err
	}
	if err := os.Rename(before, place); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// maxLockTime is how long a change of plugins or grants waits for one of another process.
const maxLockTime = 10 * time.Second

// Locked runs change while no other process runs one under the same file, which it makes. It fails with
// OVERLOADED if another one does so for longer than maxLockTime.
func Locked(ctx context.Context, file string, change func() error) error {
	waiting, cancel := context.WithTimeout(ctx, maxLockTime)
	defer cancel()
	release, err := filelock.Hold(waiting, file, filelock.Exclusive)
	switch {
	case err == nil:
		defer release()
		return change()
	case ctx.Err() == nil && waiting.Err() != nil:
		return fault.New("wasmtools.Locked", sdkapi.Overloaded, "a gateway or another windie plugin command changes plugins; wait for it, and try again").Because(err)
	}
	return fmt.Errorf("the lock of plugins: %w", err)
}
