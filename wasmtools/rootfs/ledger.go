package rootfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/tetratelabs/wazero/sys"
)

// ledger counts the bytes in the folder. The count may be too high after other programs removed
// files, but a guest can never make it too low. A file that is removed while it is open counts
// until its last handle is closed: otherwise a guest could fill the disk with nameless files.
type ledger struct {
	used int64
	held map[inode]*holding // the open files
}

// inode identifies a file. On systems without inodes the ledger frees bytes late.
type inode struct {
	dev uint64
	ino sys.Inode
}

// holding is an open file.
type holding struct {
	handles int
	removed bool // it has no name any more
}

// newLedger returns a ledger of an empty folder. A writable mount then counts the folder's content.
func newLedger() ledger { return ledger{held: map[inode]*holding{}} }

// inodeOf returns the zero inode on systems without inodes, so all files there share one holding.
func inodeOf(info fs.FileInfo) inode {
	st := sys.NewStat_t(info)
	return inode{st.Dev, st.Ino}
}

// add records that files grew by bytes, or shrank if bytes is negative.
func (l *ledger) add(bytes int64) { l.used = max(0, l.used+bytes) }

// hold adds a handle of the file. release drops it.
func (l *ledger) hold(id inode) {
	if l.held[id] == nil {
		l.held[id] = &holding{}
	}
	l.held[id].handles++
}

// release drops a handle, and reports whether that removed the file from the disk.
func (l *ledger) release(id inode) (gone bool) {
	h := l.held[id]
	if h == nil {
		return false
	}
	if h.handles--; h.handles == 0 {
		delete(l.held, id)
	}
	return h.handles == 0 && h.removed
}

// drop subtracts a removed name, and its file's bytes if no other name has the file. If the file is
// open, the bytes count until its last handle closes.
func (l *ledger) drop(info fs.FileInfo) {
	l.add(-EntryCost)
	if st := sys.NewStat_t(info); !info.Mode().IsRegular() || st.Nlink > 1 {
		return // another name keeps the file
	}
	if h := l.held[inodeOf(info)]; h != nil {
		h.removed = true
		return
	}
	l.add(-info.Size())
}

// count adds the files in root, without following links.
func (l *ledger) count(root *os.Root, maxEntries int) error {
	c := counter{root: root, left: maxEntries}
	if err := c.folder(".", 0); err != nil {
		return err
	}
	l.used = c.bytes
	return nil
}

// countBatch is how many names of a folder are in memory at a time.
const countBatch = 256

// counter adds up a folder. It keeps one folder open per level.
type counter struct {
	root  *os.Root
	left  int // names that the limit still allows
	bytes int64
}

var (
	errTooMany = errors.New("the folder has more files and folders than the mount allows; raise the limit, or mount a folder with fewer files")
	errTooDeep = fmt.Errorf("the folder has more than %d levels of subfolders", maxElements)
)

// folder adds the names in a folder that is depth levels below the root, and everything below them.
func (c *counter) folder(name string, depth int) error {
	if depth > maxElements {
		return errTooDeep
	}
	dir, err := openNow(c.root, name, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		return nil // for example lost+found, which guests cannot enter either
	}
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }() // it was only read
	for {
		entries, err := dir.ReadDir(countBatch)
		for _, entry := range entries {
			if err := c.entry(path.Join(name, entry.Name()), entry, depth); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// entry adds one name, and everything below it.
func (c *counter) entry(name string, entry fs.DirEntry, depth int) error {
	if c.left--; c.left < 0 {
		return errTooMany
	}
	info, err := entry.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it has just been removed
	}
	if err != nil {
		return err
	}
	c.bytes += EntryCost
	switch {
	case info.Mode().IsRegular():
		c.bytes += info.Size()
	case info.IsDir():
		return c.folder(name, depth+1)
	}
	return nil
}
