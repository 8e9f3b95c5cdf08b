//go:build unix

package newfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Inherit changes the owner of a new file or folder to the owner of the parent folder. So the
// gateway's user also owns the files that an operator creates as root in the gateway's data folder.
// If the process is not root, Inherit does nothing.
func Inherit(file *os.File) error {
	user, group, err := heir(file.Name())
	if err != nil || user == 0 {
		return err
	}
	return file.Chown(user, group)
}

// InheritAll does the same as Inherit for a folder and all its content. It changes the folder
// itself last, so that only root can access the content during the change.
func InheritAll(dir string) error {
	user, group, err := heir(dir)
	if err != nil || user == 0 {
		return err
	}
	err = filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		return os.Lchown(name, user, group)
	})
	return errors.Join(err, os.Lchown(dir, user, group))
}

// heir returns the owner of the parent folder of name. It returns 0 if that is root, or if the
// process is not root.
func heir(name string) (user, group int, err error) {
	if os.Geteuid() != 0 {
		return 0, 0, nil
	}
	info, err := os.Stat(filepath.Dir(name))
	if err != nil {
		return 0, 0, err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || owner.Uid == 0 {
		return 0, 0, nil
	}
	return int(owner.Uid), int(owner.Gid), nil
}
