// Package newfile writes files that are there whole or not at all, and makes folders for them.
package newfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// Write puts content at path, in place of what is there, for the file's owner
// alone. Nobody sees a part of it, also after a crash. When it returns, the file
// is on the disk under that name, and not only in the system's memory. See Inherit for what root writes.
func Write(path string, content []byte) error {
	temporary, err := os.CreateTemp(filepath.Dir(path), unfinished(path)+"*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(content)
	if err == nil {
		err = Inherit(temporary)
	}
	if err == nil {
		err = temporary.Sync()
	}
	if err = errors.Join(err, temporary.Close()); err != nil {
		return err
	}
	if err := os.Rename(temporary.Name(), path); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// MkdirAll makes a folder for its owner alone, with those above it that are not there. See Inherit for what root makes.
func MkdirAll(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir {
		if err := MkdirAll(filepath.Dir(dir)); err != nil {
			return err
		}
		err = os.Mkdir(dir, 0o700)
	}
	if err == nil {
		return InheritAll(dir)
	}
	if info, statErr := os.Stat(dir); statErr == nil && info.IsDir() {
		return nil
	}
	return err
}

// unfinished begins the names of what is being written for path.
func unfinished(path string) string { return ".new-" + filepath.Base(path) + "-" }

// RemoveLeft removes what processes that were killed in Write have left for path. The caller sees to it that none writes it meanwhile.
func RemoveLeft(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), unfinished(path)) {
			err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(path), entry.Name())))
		}
	}
	return err
}

// MkdirTemp makes a folder with a new name in dir, as os.MkdirTemp does. See Inherit for what root makes.
func MkdirTemp(dir, pattern string) (string, error) {
	made, err := os.MkdirTemp(dir, pattern)
	if err == nil {
		err = InheritAll(made)
	}
	return made, err
}

// SyncDir makes the names in a folder last through a power cut: what was made, renamed and
// removed in it. On Windows, and where a file system knows no such thing, it does nothing.
func SyncDir(name string) error {
	if runtime.GOOS == "windows" {
		return nil // where folders cannot be synced and need not be
	}
	dir, err := os.Open(name)
	if err != nil {
		return err
	}
	err = dir.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, dir.Close())
}
