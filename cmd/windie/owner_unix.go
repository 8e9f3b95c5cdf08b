//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// giveToOwner gives the owner of the data folder what root has just made there, and all that is in it: a gateway runs as
// that user. The folder at path, which is private to root until then, comes last.
func (c *config) giveToOwner(path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(c.DataDir)
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || owner.Uid == 0 {
		return nil
	}
	give := func(name string) error { return os.Lchown(name, int(owner.Uid), int(owner.Gid)) }
	err = filepath.WalkDir(path, func(name string, _ fs.DirEntry, err error) error {
		if err != nil || name == path {
			return err
		}
		return give(name)
	})
	return errors.Join(err, give(path))
}
