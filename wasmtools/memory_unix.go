//go:build linux || darwin

package wasmtools

import (
	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// mapped is a guest's memory, mapped at its largest: it grows without being copied, and
// takes real memory only where it was written.
type mapped struct{ whole []byte }

// allocate maps memory. Without memory the engine panics, as when memory is short.
func allocate(_, most uint64) experimental.LinearMemory {
	whole, err := unix.Mmap(-1, 0, int(max(most, pageBytes)), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return &mapped{}
	}
	return &mapped{whole}
}

func (m *mapped) Reallocate(size uint64) []byte {
	if size > uint64(len(m.whole)) {
		return nil
	}
	return m.whole[:size]
}

func (m *mapped) Free() {
	if m.whole != nil {
		_ = unix.Munmap(m.whole) // fails only for what is not mapped
		m.whole = nil
	}
}

var allocator experimental.MemoryAllocator = experimental.MemoryAllocatorFunc(allocate)
