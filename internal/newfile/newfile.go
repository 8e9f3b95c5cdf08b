// Package newfile writes files that are there whole or not at all.
package newfile

import (
	"errors"
	"os"
	"path/filepath"
)

// Write puts content at path, in place of what is there, for the file's owner
// alone. Nobody sees a part of it, also after a crash.
func Write(path string, content []byte) error {
	temporary, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(content)
	if err == nil {
		err = temporary.Sync()
	}
	if err = errors.Join(err, temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}
