// Package newfile writes files atomically, and creates folders for them.
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

// Write atomically writes content to the file at path, readable only by its owner. It replaces an
// existing file. Even after a crash, nobody sees a partial file. When it returns, the file is
// synced to disk under that name. If root calls it, see Inherit.
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

// MkdirAll creates a private folder, with missing parents. If root calls it, see Inherit.
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

// unfinished returns the prefix of temporary files for path.
func unfinished(path string) string { return ".new-" + filepath.Base(path) + "-" }

// RemoveLeft deletes temporary files that interrupted calls of Write have left for path. The caller
// must make sure that no process writes path at the same time.
func RemoveLeft(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), unfinished(path)) {
			err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(path), entry.Name())))
		}
	}
	return err
}

// MkdirTemp creates a folder with a unique name in dir, as os.MkdirTemp does. If root calls it, see
// Inherit.
func MkdirTemp(dir, pattern string) (string, error) {
	made, err := os.MkdirTemp(dir, pattern)
	if err == nil {
		err = InheritAll(made)
	}
	return made, err
}

// SyncDir makes creations, renames and deletions in a folder survive a power cut. On Windows, and
// on a file system without this operation, it does nothing.
func SyncDir(name string) error {
	if runtime.GOOS == "windows" {
		return nil // Windows cannot sync folders and does not need it
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
