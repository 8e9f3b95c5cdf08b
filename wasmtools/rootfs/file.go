package rootfs

import (
	"io"

	"github.com/tetratelabs/wazero/experimental/sys"
)

// file is an open file. Like wazero's files, it serves one goroutine at a time.
type file struct {
	handle
	append   bool
	nonblock bool
}

var _ sys.PollableFile = (*file)(nil)

func (f *file) IsDir() (bool, sys.Errno) { return false, 0 }

func (f *file) IsAppend() bool { return f.append }

// SetAppend sets whether this handle writes at the end of the file. It applies from the next Write
// on. Other handles of the file are not affected.
func (f *file) SetAppend(enable bool) sys.Errno {
	f.append = enable
	return 0
}

func (f *file) IsNonblock() bool { return f.nonblock }

// SetNonblock stores a flag, which IsNonblock returns. The flag has no other effect, because a file
// on a disk does not block for long.
func (f *file) SetNonblock(enable bool) sys.Errno {
	f.nonblock = enable
	return 0
}

// Poll reports that the file is ready, because a file on a disk does not block for long.
func (f *file) Poll(sys.Pflag, int32) (bool, sys.Errno) { return true, 0 }

// Readdir fails with EBADF, because a file has no entries.
func (f *file) Readdir(int) ([]sys.Dirent, sys.Errno) { return nil, sys.EBADF }

// Read implements experimental.File. At the end of the file it returns 0 bytes and no error, as in
// WASI.
func (f *file) Read(buf []byte) (int, sys.Errno) {
	n, err := f.os.Read(buf)
	return n, errnoOf(err)
}

// Pread implements experimental.File. It ignores the file's position. Beyond the end of the file it
// returns 0 bytes and no error.
func (f *file) Pread(buf []byte, off int64) (int, sys.Errno) {
	if off < 0 {
		return 0, sys.EINVAL
	}
	n, err := f.os.ReadAt(buf, off)
	return n, errnoOf(err)
}

// Seek implements experimental.File. A position beyond the end of the file is valid.
func (f *file) Seek(offset position, whence int) (position, sys.Errno) {
	if whence < io.SeekStart || whence > io.SeekEnd {
		return 0, sys.EINVAL
	}
	n, err := f.os.Seek(offset, whence)
	return n, errnoOf(err)
}

// Write implements experimental.File. It locks the mount while it writes, so that two writes at the
// end of a file do not mix.
func (f *file) Write(buf []byte) (int, sys.Errno) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	whence := io.SeekCurrent
	if f.append {
		whence = io.SeekEnd
	}
	off, err := f.os.Seek(0, whence)
	if err != nil {
		return 0, errnoOf(err)
	}
	return f.put(buf, off, f.os.Write)
}

// Pwrite implements experimental.File. It always writes at the position off, even if SetAppend is
// on.
func (f *file) Pwrite(buf []byte, off int64) (int, sys.Errno) {
	if off < 0 {
		return 0, sys.EINVAL
	}
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	return f.put(buf, off, func(buf []byte) (int, error) { return f.os.WriteAt(buf, off) })
}

// put writes buf at off only if all of it fits: after a partial write wazero would continue with
// the next part of the guest's data as if nothing was missing. The caller holds mu.
func (f *file) put(buf []byte, off int64, write func([]byte) (int, error)) (int, sys.Errno) {
	if !f.write {
		return 0, sys.EBADF
	}
	info, err := f.os.Stat()
	if err != nil {
		return 0, errnoOf(err)
	}
	end := off + int64(len(buf))
	if end < off {
		return 0, sys.EINVAL // beyond the largest offset
	}
	if errno := f.m.grow(info.Size(), end); errno != 0 || len(buf) == 0 {
		return 0, errno
	}
	n, err := write(buf)
	f.m.ledger.add(max(0, off+int64(n)-info.Size()))
	return n, errnoOf(err)
}

// Truncate implements experimental.File. If size is larger than the file, Truncate extends the file
// with zeros, up to the limits of the mount.
func (f *file) Truncate(size int64) sys.Errno {
	switch {
	case size < 0:
		return sys.EINVAL
	case !f.write:
		return sys.EBADF
	}
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	return f.resize(size)
}

// resize cuts the file or extends it with zeros. The caller holds mu.
func (f *file) resize(size int64) sys.Errno {
	info, err := f.os.Stat()
	if err != nil {
		return errnoOf(err)
	}
	if errno := f.m.grow(info.Size(), size); errno != 0 {
		return errno
	}
	if err = f.os.Truncate(size); err == nil {
		f.m.ledger.add(size - info.Size())
	}
	return errnoOf(err)
}
