package rootfs

import (
	"errors"
	"io/fs"
	"os"

	"github.com/tetratelabs/wazero/experimental/sys"
)

// OpenFile implements sys.FS. It ignores the mode, so the mode of a new file is always filePerm.
func (t *tree) OpenFile(name string, flag sys.Oflag, _ fs.FileMode) (sys.File, sys.Errno) {
	f, errno := t.m.openFile(name, flag)
	if errno != 0 && errno != sys.EISDIR && name == "." && flag == sys.O_RDONLY {
		errno = sys.ENOENT // wazero opens mounts this way, and panics at any other error
	}
	return f, errno
}

// wish is a guest's request to open a name.
type wish struct {
	name                                string
	write                               bool // write, or read and write
	create, exclusive, truncate, append bool
	folderOnly, noFollow                bool
	// for the os package, without the flags that are handled separately
	flag int
}

// wishOf decodes wazero's flags. It omits O_TRUNC and O_APPEND: a name is truncated only once it is
// known to be a file, and appending goes through the ledger.
func wishOf(name string, flag sys.Oflag) (wish, sys.Errno) {
	name, errno := clean(name)
	w := wish{
		name:       name,
		create:     flag&sys.O_CREAT != 0,
		exclusive:  flag&sys.O_EXCL != 0,
		truncate:   flag&sys.O_TRUNC != 0,
		append:     flag&sys.O_APPEND != 0,
		folderOnly: flag&sys.O_DIRECTORY != 0,
		noFollow:   flag&sys.O_NOFOLLOW != 0,
	}
	switch flag & (sys.O_RDWR | sys.O_WRONLY) {
	case sys.O_RDWR:
		w.write, w.flag = true, os.O_RDWR
	case sys.O_WRONLY:
		w.write, w.flag = true, os.O_WRONLY
	}
	if flag&(sys.O_SYNC|sys.O_DSYNC) != 0 {
		w.flag |= os.O_SYNC
	}
	switch {
	case errno != 0:
		return w, errno
	case w.folderOnly && w.create, w.truncate && !w.write:
		return w, sys.EINVAL
	case w.folderOnly && w.write:
		return w, sys.EISDIR
	}
	return w, 0
}

// accepts returns 0 if info describes what the guest wants. It is called before opening, because
// opening alone can have effects, and after, because the name may have changed since.
func (w wish) accepts(info fs.FileInfo) sys.Errno {
	switch {
	case info.IsDir() && (w.write || w.create):
		return sys.EISDIR
	case info.IsDir():
		return 0
	case info.Mode()&fs.ModeSymlink != 0:
		return sys.ELOOP // only seen with noFollow
	case !info.Mode().IsRegular():
		return sys.EPERM
	case w.folderOnly:
		return sys.ENOTDIR
	}
	return 0
}

// openFile opens a name for a guest and returns a handle.
func (m *Mount) openFile(name string, flag sys.Oflag) (sys.File, sys.Errno) {
	w, errno := wishOf(name, flag)
	switch {
	case errno != 0:
		return nil, errno
	case (w.write || w.create) && !m.opts.Write:
		return nil, sys.EROFS
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.open) >= m.opts.MaxOpenFiles {
		return nil, m.refuse("guests have %d files open, which is the mount's maximum; "+
			"raise the limit, or fix the plugin that does not close its files", len(m.open))
	}
	f, errno := m.openOS(w)
	if errno != 0 {
		return nil, errno
	}
	opened, errno := m.admit(w, f)
	if errno != 0 {
		_ = f.Close() // nothing was written
		return nil, errno
	}
	return opened, 0
}

// openOS opens or creates a file for a guest. The caller holds mu.
func (m *Mount) openOS(w wish) (*os.File, sys.Errno) {
	if w.create && w.exclusive {
		return m.create(w)
	}
	info, err := m.look(w)
	switch {
	case w.create && errors.Is(err, fs.ErrNotExist):
		return m.create(w)
	case err != nil:
		return nil, errnoOf(err)
	}
	if errno := w.accepts(info); errno != 0 {
		return nil, errno
	}
	f, err := openNow(m.root, w.name, w.flag, 0)
	return f, errnoOf(err)
}

// create creates a file. If the name is a link to a missing file, it creates that file, if it is
// inside the mount.
func (m *Mount) create(w wish) (*os.File, sys.Errno) {
	if errno := m.fits(EntryCost); errno != 0 {
		return nil, errno
	}
	flag := w.flag | os.O_CREATE
	if w.exclusive {
		flag |= os.O_EXCL
	}
	f, err := openNow(m.root, w.name, flag, filePerm)
	if err == nil {
		m.ledger.add(EntryCost)
	}
	return f, errnoOf(err)
}

// look returns the info of the name that a guest wants.
func (m *Mount) look(w wish) (fs.FileInfo, error) {
	if w.noFollow {
		return m.root.Lstat(w.name)
	}
	return m.root.Stat(w.name)
}

// admit returns a handle of f if f is what the guest wants. Otherwise the caller closes f. The
// caller holds mu.
func (m *Mount) admit(w wish, f *os.File) (sys.File, sys.Errno) {
	info, err := f.Stat()
	if err != nil {
		return nil, errnoOf(err)
	}
	if errno := w.accepts(info); errno != 0 {
		return nil, errno
	}
	if w.noFollow {
		if named, err := m.root.Lstat(w.name); err != nil || !os.SameFile(named, info) {
			return nil, sys.ELOOP // a link took its place and was followed
		}
	}
	h := handle{m: m, os: f, name: w.name, id: inodeOf(info), write: w.write}
	if info.IsDir() {
		h.write = m.opts.Write
		d := &folder{handle: h}
		m.open[&d.handle] = struct{}{}
		return d, 0
	}
	opened := &file{handle: h, append: w.append}
	if w.truncate {
		if errno := opened.resize(0); errno != 0 {
			return nil, errno
		}
	}
	m.open[&opened.handle] = struct{}{}
	m.ledger.hold(h.id)
	return opened, 0
}
