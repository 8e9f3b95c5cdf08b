// Package rootfs mounts folders of the host into WebAssembly guests, which cannot leave them.
//
//	m, err := rootfs.Open("/var/lib/windie/notes", rootfs.Options{Write: true})
//	if err != nil { ... }
//	defer m.Close()
//	config := wazero.NewFSConfig().(sysfs.FSConfig).WithSysFSMount(m.FS(), "/notes")
//
// wazero's own mounts join paths. A symbolic link leads out of them, and a guest with write access
// can make one. Here an os.Root resolves each path name by name, and a link that leads out is an
// error.
//
// # Words
//
// A mount is a folder that guests can reach. A name is a file, folder or link in it. A handle is a
// file or folder that a guest has open. The ledger keeps the folder's content within its quota.
//
// # What a guest may not do
//
//   - Make symbolic or hard links: EPERM. So all links in a mount are the operator's. Those that
//     stay inside are followed, those that lead out fail with EPERM.
//   - Open anything but files and folders: EPERM. A pipe can block, and a device can do anything.
//   - Change modes: EPERM. Only the gateway's user can access the files that a guest creates.
//   - Change anything in a mount without Options.Write: EROFS.
//   - Use a path of more than 4096 bytes or 128 elements: ENAMETOOLONG.
//   - Exceed a limit: EIO, because wazero has no ENOSPC, EMFILE or EFBIG. The mount stores the
//     reason for the operator: see Mount.Exceeded.
//
// # What remains
//
// An os.Root follows file systems mounted inside the folder, and the operator's hard links. Guests
// see changes that other programs make in a mounted folder; the ledger does not.
package rootfs

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/tetratelabs/wazero/experimental/sys"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Defaults of Options.
const (
	DefaultMaxOpenFiles = 64
	DefaultMaxBytes     = 64 << 20
	DefaultMaxEntries   = 1 << 16
)

// EntryCost is the number of bytes that each name adds to the used bytes of a mount, in addition to
// the size of its file. It limits how many empty files and folders a guest can make.
const EntryCost = 1 << 10

// Options limits what guests may do in a mount. With the zero value, guests may only read.
type Options struct {
	Write        bool  // true: guests may change the content of the folder
	MaxOpenFiles int   // maximum number of open handles of all guests together; 0 means DefaultMaxOpenFiles
	MaxBytes     int64 // maximum bytes of all files together, with EntryCost for each name; 0 means DefaultMaxBytes
	MaxFileBytes int64 // maximum size to which a guest may extend a file, in bytes; 0 means MaxBytes
	// maximum number of names in a writable folder, including its subfolders; also the maximum
	// number of names that a guest can read through one handle; 0 means DefaultMaxEntries
	MaxEntries int
}

// withDefaults replaces zero fields with their defaults.
func (o Options) withDefaults() (Options, error) {
	if o.MaxOpenFiles < 0 || o.MaxBytes < 0 || o.MaxFileBytes < 0 || o.MaxEntries < 0 {
		return o, errors.New("rootfs: a limit is negative")
	}
	o.MaxOpenFiles = cmp.Or(o.MaxOpenFiles, DefaultMaxOpenFiles)
	o.MaxBytes = cmp.Or(o.MaxBytes, DefaultMaxBytes)
	o.MaxFileBytes = cmp.Or(o.MaxFileBytes, o.MaxBytes)
	o.MaxEntries = cmp.Or(o.MaxEntries, DefaultMaxEntries)
	return o, nil
}

// Mount is a folder that guests can see. Its methods, and the methods of its FS, are safe for
// concurrent use. A change in a mount waits for other changes in it, but a read never waits.
type Mount struct {
	root *os.Root
	opts Options
	tree tree
	met  atomic.Pointer[fault.Error] // the limit that a guest last exceeded

	mu     sync.Mutex // held to open, close and change anything, and to use the fields below
	open   map[*handle]struct{}
	ledger ledger
}

// Open mounts the folder at path, which may be a link to the folder. If Options.Write is true, Open
// first counts the folder's content. It fails if the folder has more than MaxEntries names, or if a
// part of the content is at a depth that guests cannot reach. The caller closes the mount, but only
// after it has closed the guests that use the mount. A folder must have at most one mount with
// Options.Write. Two such mounts count the folder's content separately, so each mount could fill
// the folder up to its own limit.
func Open(path string, opts Options) (*Mount, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("rootfs: cannot open the folder: %w", err)
	}
	m := &Mount{root: root, opts: opts, open: map[*handle]struct{}{}, ledger: newLedger()}
	m.tree.m = m
	if opts.Write {
		if err := m.ledger.count(root, opts.MaxEntries); err != nil {
			return nil, errors.Join(fmt.Errorf("rootfs: cannot count the files in %s: %w", path, err), root.Close())
		}
	}
	return m, nil
}

// FS returns the file system for guests. It is the same at each call, so a guest that has the mount
// in two places can rename a file from one place to the other. A rename to a different mount fails
// with ENOSYS, as in wazero.
func (m *Mount) FS() sys.FS { return &m.tree }

// Used returns the number of used bytes, which MaxBytes limits. It is 0 for a read-only mount.
func (m *Mount) Used() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ledger.used
}

// Exceeded returns an error for the limit that a guest last exceeded. It returns nil if no guest
// exceeded a limit. The error is a TOOL_ERROR that names the fix. The guest itself gets EIO, as for
// a broken disk.
func (m *Mount) Exceeded() error {
	if f := m.met.Load(); f != nil {
		return f
	}
	return nil
}

// Close ends the mount, and closes all handles that guests have open. Later operations on these
// handles fail. The caller may call Close again.
func (m *Mount) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var errs []error
	for h := range m.open {
		errs = append(errs, h.os.Close())
	}
	clear(m.open)
	clear(m.ledger.held)
	return errors.Join(append(errs, m.root.Close())...)
}

// refuse stores the reason for the operator and returns the error for the guest.
func (m *Mount) refuse(format string, args ...any) sys.Errno {
	m.met.Store(fault.New("rootfs", sdkapi.ToolError, format, args...))
	return sys.EIO
}

// grow returns 0 if a file may grow from size to end bytes. The caller holds mu.
func (m *Mount) grow(size, end int64) sys.Errno {
	switch {
	case end <= size:
		return 0
	case end > m.opts.MaxFileBytes:
		return m.refuse("a file would have %d bytes; the mount allows %d, which its settings can raise", end, m.opts.MaxFileBytes)
	}
	return m.fits(end - size)
}

// fits returns 0 if the folder may take bytes more. The caller holds mu.
func (m *Mount) fits(bytes int64) sys.Errno {
	if bytes > m.opts.MaxBytes-m.ledger.used {
		return m.refuse("the folder already has %d of at most %d bytes, and %d more do not fit; raise the quota, "+
			"or remove files and mount it again", m.ledger.used, m.opts.MaxBytes, bytes)
	}
	return 0
}
