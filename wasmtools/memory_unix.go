//go:build linux || darwin

package wasmtools

import (
	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// mapped is a guest's memory, mapped at its maximum size. It grows without being copied, and takes
// real memory only for written pages.
type mapped struct{ whole []byte }

// allocate maps limit bytes, at least one page. If that fails, the result cannot grow, and the engine
// panics because of lack of memory; compiled.instantiate recovers from that.
func allocate(_, limit uint64) experimental.LinearMemory {
	whole, err := unix.Mmap(-1, 0, int(max(limit, pageBytes)), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return &mapped{}
	}
	return &mapped{whole}
}

// Reallocate returns the first size bytes of the mapping, or nil if the mapping is smaller.
func (m *mapped) Reallocate(size uint64) []byte {
	if size > uint64(len(m.whole)) {
		return nil
	}
	return m.whole[:size]
}

// Free unmaps the memory. The caller may call it again.
func (m *mapped) Free() {
	if m.whole != nil {
		_ = unix.Munmap(m.whole) // fails only for an address that is not mapped
		m.whole = nil
	}
}

// allocator maps the memory of guests, instead of the engine.
var allocator experimental.MemoryAllocator = experimental.MemoryAllocatorFunc(allocate)
