//go:build unix

package newfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Inherit gives a file or folder that root has just made the owner of its folder, who works there too: a gateway's user, for what an
// operator does in its data folder. For everybody else it does nothing.
func Inherit(file *os.File) error {
	user, group, err := heir(file.Name())
	if err != nil || user == 0 {
		return err
	}
	return file.Chown(user, group)
}

// InheritAll is Inherit for a folder and all that is in it. The folder, which is private to root until then, comes last.
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

// heir returns who owns the folder of a name; 0 if that is root, or root does not run this.
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
