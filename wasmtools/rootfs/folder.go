package rootfs

import (
	"errors"
	"io"

	experimental "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/sys"
)

// folder is an open folder. Like wazero's, it serves one goroutine at a time.
type folder struct {
	experimental.DirFile // returns EISDIR for operations on files
	handle
	read int // number of names read since the beginning
}

var _ experimental.File = (*folder)(nil)

// Seek implements experimental.File. A folder allows only a Seek to its start.
func (d *folder) Seek(offset position, whence int) (position, experimental.Errno) {
	if offset != 0 || whence != io.SeekStart {
		return 0, experimental.EINVAL
	}
	d.read = 0
	_, err := d.os.Seek(0, io.SeekStart)
	return 0, errnoOf(err)
}

// Readdir returns the next n names in the folder, or all names if n is 0 or less. It returns fewer
// than n names only at the end of the folder, because wazero treats a shorter list as the end of
// the folder. If the folder has more than MaxEntries names, Readdir fails.
func (d *folder) Readdir(n int) ([]experimental.Dirent, experimental.Errno) {
	limit := d.m.opts.MaxEntries - d.read
	want := n
	if n <= 0 || n > limit {
		want = limit + 1 // one more, to notice that there are too many
	}
	entries, errno := d.names(want)
	if errno != 0 {
		return nil, errno
	}
	if len(entries) > limit {
		return nil, d.m.refuse("a folder has more than the %d names that a guest may read; raise the limit, or remove some files", d.m.opts.MaxEntries)
	}
	d.read += len(entries)
	return entries, 0
}

// names reads up to want more names.
func (d *folder) names(want int) ([]experimental.Dirent, experimental.Errno) {
	var entries []experimental.Dirent
	for len(entries) < want {
		infos, err := d.os.Readdir(want - len(entries)) // skips entries that are removed meanwhile
		for _, info := range infos {
			entries = append(entries, experimental.Dirent{Name: info.Name(), Ino: sys.NewStat_t(info).Ino, Type: info.Mode().Type()})
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errnoOf(err)
		}
	}
	return entries, 0
}
