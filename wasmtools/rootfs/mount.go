// Package rootfs mounts folders of the host into WebAssembly guests, which cannot leave them.
//
//	m, err := rootfs.Open("/var/lib/windie/notes", rootfs.Options{Write: true})
//	if err != nil { ... }
//	defer m.Close()
//	config := wazero.NewFSConfig().(sysfs.FSConfig).WithSysFSMount(m.FS(), "/notes")
//
// wazero's own mounts join paths: a symbolic link leads out of them, and a guest that may write
// can make one. Here an os.Root walks each path by name, and a link that leads out is an error.
//
// # Words
//
// A mount is a folder with a way in. A name is a file, folder or link in it. A handle is a file
// or folder that a guest has open. The ledger keeps what the folder holds within its quota.
//
// # What a guest may not do
//
//   - Make symbolic or hard links: EPERM. So all links in a mount are the operator's: those that
//     stay inside are followed, those that lead out fail with EPERM.
//   - Open what is neither file nor folder: EPERM. A pipe can block, a device do anything.
//   - Change modes: EPERM. What it creates is for the gateway's user only.
//   - Change anything in a mount without Options.Write: EROFS.
//   - Name files by more than 4096 bytes or 128 elements: ENAMETOOLONG.
//   - Go over a limit: EIO, as wazero knows no ENOSPC, EMFILE or EFBIG. The
//     mount keeps the reason for the operator: see Mount.Exceeded.
//
// # What remains
//
// An os.Root does not stop at file systems mounted inside the folder, nor at the operator's
// hard links. Guests see what other programs change in a mounted folder; the ledger does not.
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

// What Options has when it is silent.
const (
	DefaultMaxOpenFiles = 64
	DefaultMaxBytes     = 64 << 20
	DefaultMaxEntries   = 1 << 16
)

// EntryCost is what each name counts against MaxBytes besides a file's size,
// in bytes. It bounds how many empty files and folders a guest can make.
const EntryCost = 1 << 10

// Options limits what guests may do in a mount. The zero value lets them read.
type Options struct {
	Write        bool  // lets guests change what is in the folder
	MaxOpenFiles int   // handles open at once, those of all guests together; 0 means DefaultMaxOpenFiles
	MaxBytes     int64 // what the folder may come to hold, with EntryCost for each name; 0 means DefaultMaxBytes
	MaxFileBytes int64 // how long a guest may make a file; 0 means MaxBytes
	MaxEntries   int   // names in all of a folder that guests may change, and read from one handle; 0 means DefaultMaxEntries
}

// withDefaults fills in what o leaves open.
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

// Mount is a folder that guests can see. Its methods, and those of its FS, may
// be called from several goroutines at once. Changes to one mount wait for
// each other; reading waits for nothing.
type Mount struct {
	root *os.Root
	opts Options
	tree tree
	met  atomic.Pointer[fault.Error] // the limit a guest met last

	mu     sync.Mutex // held to open, close and change anything, and to use what follows
	open   map[*handle]struct{}
	ledger ledger
}

// Open mounts the folder at path, which may be a link to it. With Options.Write it first counts
// what lies in the folder, and fails if that is more than MaxEntries names or deeper than
// guests can reach. The caller closes the mount, after the guests that use it. Mount a folder
// for writing once: two mounts count apart, and each grows the folder up to its own limit.
func Open(path string, opts Options) (*Mount, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("rootfs: opening the folder: %w", err)
	}
	m := &Mount{root: root, opts: opts, open: map[*handle]struct{}{}, ledger: newLedger()}
	m.tree.m = m
	if opts.Write {
		if err := m.ledger.count(root, opts.MaxEntries); err != nil {
			return nil, errors.Join(fmt.Errorf("rootfs: counting what %s holds: %w", path, err), root.Close())
		}
	}
	return m, nil
}

// FS returns what a guest is given, the same at each call: a guest with the mount in two places
// can rename from one to the other. Renaming to another mount fails with ENOSYS, as in wazero.
func (m *Mount) FS() sys.FS { return &m.tree }

// Used returns what counts against MaxBytes, in bytes: 0 in a read-only mount.
func (m *Mount) Used() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ledger.used
}

// Exceeded returns the limit that a guest met last, as a TOOL_ERROR that says what to
// do about it, or nil if none met any. Guests themselves see EIO, as for a broken disk.
func (m *Mount) Exceeded() error {
	if f := m.met.Load(); f != nil {
		return f
	}
	return nil
}

// Close ends the mount and closes all that guests have open in it; whatever
// they do after that fails. It may be called again.
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

// refuse keeps the reason for the operator and returns what a guest sees.
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
		return m.refuse("a file would be %d bytes long; the mount allows %d, which its settings can raise", end, m.opts.MaxFileBytes)
	}
	return m.fits(end - size)
}

// fits returns 0 if the folder may hold bytes more. The caller holds mu.
func (m *Mount) fits(bytes int64) sys.Errno {
	if bytes > m.opts.MaxBytes-m.ledger.used {
		return m.refuse("the folder holds %d of the %d bytes it may hold, and %d more do not fit; raise the quota, "+
			"or remove files and mount it again", m.ledger.used, m.opts.MaxBytes, bytes)
	}
	return 0
}
