package rootfs

import (
	"os"

	experimental "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/sys"
)

// position is an int64 by another name. With int64, go vet would report that Seek does not implement
// io.Seeker, because it returns an Errno.
type position = int64

// handle is the common part of open files and folders. experimental.File documents its methods.
// wazero closes a guest's handles with the guest.
type handle struct {
	m     *Mount
	os    *os.File
	name  string // name by which it was opened
	id    inode
	write bool // its content may be changed
}

// Dev returns the number of the device that contained the file when the file was opened.
func (h *handle) Dev() (uint64, experimental.Errno) { return h.id.dev, 0 }

// Ino returns the inode number that the file had when it was opened.
func (h *handle) Ino() (sys.Inode, experimental.Errno) { return h.id.ino, 0 }

// Stat returns the current state of the open file, even if the file was renamed or removed.
func (h *handle) Stat() (sys.Stat_t, experimental.Errno) { return statOf(h.os.Stat()) }

// Sync implements experimental.File. If the file was opened only for reading, Sync does nothing.
func (h *handle) Sync() experimental.Errno {
	if !h.write {
		return 0
	}
	return errnoOf(h.os.Sync())
}

// Datasync does the same as Sync, so it also writes the metadata to the disk.
func (h *handle) Datasync() experimental.Errno { return h.Sync() }

// Utimens implements experimental.File. It finds the file by its name, like an os.Root, and not by
// the handle. If the file no longer has this name, Utimens fails.
func (h *handle) Utimens(atim, mtim int64) experimental.Errno {
	return h.m.tree.change(h.name, func(name string) experimental.Errno {
		mine, err := h.os.Stat()
		if err != nil {
			return errnoOf(err)
		}
		named, err := h.m.root.Stat(name)
		if err != nil {
			return errnoOf(err)
		}
		if !os.SameFile(mine, named) {
			return experimental.ENOENT
		}
		return errnoOf(h.m.root.Chtimes(name, moment(atim), moment(mtim)))
	})
}

// Close implements experimental.File. The caller may call it again.
func (h *handle) Close() experimental.Errno {
	h.m.mu.Lock()
	defer h.m.mu.Unlock()
	if _, open := h.m.open[h]; !open {
		return 0
	}
	delete(h.m.open, h)
	info, err := h.os.Stat()
	if h.m.ledger.release(h.id) && err == nil {
		h.m.ledger.add(-info.Size())
	}
	return errnoOf(h.os.Close())
}
