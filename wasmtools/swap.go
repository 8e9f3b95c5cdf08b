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

// Prefixes of two kinds of subfolders that scans ignore: a plugin that is being written, and the
// old version of a plugin that is being replaced. A process that is killed leaves them behind. The next
// process that changes the folder removes or restores them.
const (
	newPrefix = ".new-"
	oldPrefix = ".old-" // followed by the plugin's name
)

// FolderLock returns the path of the lock file of dir, a folder of plugins. LockFolder locks this
// file.
func FolderLock(dir string) string { return filepath.Join(dir, ".lock") }

// LockFolder locks dir, a folder of plugins, while it calls task. Other processes that call
// LockFolder wait. If a process was killed during a change of the folder, LockFolder repairs the
// folder before it calls task. LockFolder returns the errors of Locked and of the repair.
func LockFolder(ctx context.Context, dir string, task func() error) error {
	return Locked(ctx, FolderLock(dir), func() error {
		if err := tidy(dir); err != nil {
			return err
		}
		return task()
	})
}

// LockFile locks the file at path while it calls task. Other processes that call LockFile wait.
// Before it calls task, LockFile removes the temporary files of killed processes. task may write
// the file with newfile.Write. LockFile returns the errors of Locked and of the removal.
func LockFile(ctx context.Context, path string, task func() error) error {
	return Locked(ctx, path+"-lock", func() error {
		if err := newfile.RemoveLeft(path); err != nil {
			return err
		}
		return task()
	})
}

// isUntidy reports whether a folder of plugins has leftovers of a killed process, or a process
// writes there now.
func isUntidy(dir string) bool {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), newPrefix) || strings.HasPrefix(entry.Name(), oldPrefix) {
			return true
		}
	}
	return false
}

// tidy removes unfinished plugins, and completes each interrupted Swap.
func tidy(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("cannot read the folder of plugins: %w", err)
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
		return fmt.Errorf("cannot read the folder of plugins: %w", err)
	}
	return nil
}

// NewFolder creates a temporary folder in dir, a folder of plugins, and returns the path of the new
// folder. The caller passes this path to Swap. files has the content of each file, by the file's
// name.
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

// Swap replaces a plugin's folder. place is the path of this folder. fresh is the path of the new
// folder, which NewFolder created. Swap moves the earlier folder, and returns its new path. The
// caller removes that folder. If the plugin had no folder, nothing exists at the returned path.
func Swap(fresh, place string) (previous string, err error) {
	previous = filepath.Join(filepath.Dir(place), oldPrefix+filepath.Base(place))
	if err := os.Rename(place, previous); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", errors.Join(err, os.RemoveAll(fresh))
	}
	if err := os.Rename(fresh, place); err != nil {
		return "", errors.Join(err, os.RemoveAll(fresh), putBack(previous))
	}
	return previous, nil
}

// putBack restores the folder that Swap moved to before, and deletes the folder that replaced it. If nothing
// exists at before, putBack only deletes.
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

// maxLockTime limits how long a change of plugins or grants waits for another process.
const maxLockTime = 10 * time.Second

// Locked locks a file while it calls task, and returns the error of task. file is the path of the
// lock file, which Locked creates if necessary. If another process holds the lock for longer than
// 10 seconds, Locked fails with OVERLOADED.
func Locked(ctx context.Context, file string, task func() error) error {
	waiting, cancel := context.WithTimeout(ctx, maxLockTime)
	defer cancel()
	release, err := filelock.Hold(waiting, file, filelock.Exclusive)
	switch {
	case err == nil:
		defer release()
		return task()
	case ctx.Err() == nil && waiting.Err() != nil:
		return fault.New("wasmtools.Locked", sdkapi.Overloaded, "a gateway or another windie plugin command is changing plugins; try again after it ends").Because(err)
	}
	return fmt.Errorf("cannot lock the plugins: %w", err)
}
