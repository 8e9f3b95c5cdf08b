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

// Write atomically writes content to the file at path, and replaces an existing file. Only the
// file's owner can read it. Even after a crash, the file is never partly written. When Write
// returns, the content and the name are on disk. If root calls Write, the file gets the owner of
// its folder.
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

// MkdirAll creates a private folder and its missing parents. If root calls MkdirAll, the new
// folders get the owner of the existing parent folder.
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

// RemoveLeft deletes the temporary files that Write has left for path after an interruption. The
// caller must make sure that no process writes path at the same time.
func RemoveLeft(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), unfinished(path)) {
			err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(path), entry.Name())))
		}
	}
	return err
}

// MkdirTemp creates a folder with a unique name in dir, as os.MkdirTemp does. If root calls
// MkdirTemp, the new folder gets the owner of dir.
func MkdirTemp(dir, pattern string) (string, error) {
	made, err := os.MkdirTemp(dir, pattern)
	if err == nil {
		err = InheritAll(made)
	}
	return made, err
}

// SyncDir syncs a folder to disk, so that a power cut does not undo creations, renames and
// deletions in it. It does nothing on Windows and on file systems that cannot sync folders.
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
