//go:build unix

package newfile

import (
	"os"
	"path/filepath"
	"syscall"
)

// Inherit gives a file that root has just made the owner of its folder, who works there too: a gateway's user, for what an
// operator does in its data folder. For everybody else it does nothing.
func Inherit(file *os.File) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(filepath.Dir(file.Name()))
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || owner.Uid == 0 {
		return nil
	}
	return file.Chown(int(owner.Uid), int(owner.Gid))
}
