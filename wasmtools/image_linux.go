package wasmtools

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// image is the memory of a snapshot as a file in memory. Instances map it and share the pages that
// they do not write to. The system reports which pages an instance has written to.
type image struct {
	fd   int
	view []byte // the file, read-only
}

// mapping is an image mapped over the memory of one instance. The zero value has no image.
type mapping struct {
	of      *image
	pages   []uint64 // the system's entry for each page; reused
	written []int32
}

// Limits of the memory sizes that get an image.
const (
	// imageFrom is the smallest memory with an image: for less, comparing is as fast as asking the
	// system.
	imageFrom = 256 << 10
	// imageUpTo is the largest memory with an image. An instance's pages are not in memory before
	// it touches them, like those of a new memory.
	imageUpTo = untouched
)

// newImage returns an image for a memory of size bytes, or nil if the system or the size does not
// allow one.
func newImage(size int) *image {
	if size < imageFrom || size > imageUpTo || pagemap() == noPagemap {
		return nil
	}
	m, err := makeImage(size)
	if err != nil {
		return nil // memory or files are short; the snapshot stores blocks instead
	}
	return m
}

// makeImage makes an empty image of size bytes, as a file in memory that instances can map.
func makeImage(size int) (*image, error) {
	fd, err := unix.MemfdCreate("snapshot", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	m := &image{fd: fd}
	if err = unix.Ftruncate(fd, int64(size)); err == nil {
		m.view, err = unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	}
	if err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

// fill writes a memory to the image, which does not change afterwards.
func (m *image) fill(memory []byte, t *turn) error {
	for n := range len(memory) / blockBytes {
		if is := blockOf(memory, n); !isBlank(is) {
			copy(blockOf(m.view, n), is)
		}
		if err := t.visitAt(n); err != nil {
			return err
		}
	}
	return unix.Mprotect(m.view, unix.PROT_READ)
}

// close frees the image. Instances keep their mappings.
func (m *image) close() {
	if m == nil {
		return
	}
	if m.view != nil {
		_ = unix.Munmap(m.view) // fails only for an address that is not mapped
	}
	_ = unix.Close(m.fd)
}

// block returns block n.
func (m *image) block(n int) []byte { return blockOf(m.view, n) }

// put maps an image over a memory. After an error the memory must not be used.
func (m *mapping) put(of *image, memory []byte) error {
	const flags = unix.MAP_PRIVATE | unix.MAP_FIXED | unix.MAP_NORESERVE
	_, err := unix.MmapPtr(of.fd, 0, unsafe.Pointer(&memory[0]), uintptr(len(memory)), unix.PROT_READ|unix.PROT_WRITE, flags)
	if err != nil {
		return fmt.Errorf("cannot map a snapshot of %d bytes: %w", len(memory), err)
	}
	m.of = of
	return nil
}

// has reports whether the image of is mapped.
func (m *mapping) has(of *image) bool { return m.of == of }

// Bits of a page's entry in the system's page map.
const (
	pageThere  = 1<<63 | 1<<62 // in memory, or swapped out
	pageOfFile = 1 << 61       // a page of the file, not a copy of the instance's own
	entryBytes = 8
)

// blocks lists the blocks of a memory that may have been written to since put. The list is valid
// until the next call. ok is false if the system does not report it.
func (m *mapping) blocks(memory []byte) (list []int32, ok bool) {
	return m.blocksBy(pagemap(), memory)
}

// blocksBy is blocks with the file of the page map. A page that is present and not from the image's
// file was written.
func (m *mapping) blocksBy(pages int, memory []byte) (list []int32, ok bool) {
	n := len(memory) / blockBytes
	if len(m.pages) < n {
		m.pages = make([]uint64, n)
	}
	raw := unsafe.Slice((*byte)(unsafe.Pointer(&m.pages[0])), n*entryBytes)
	at := int64(uintptr(unsafe.Pointer(&memory[0]))) / blockBytes * entryBytes
	if got, err := unix.Pread(pages, raw, at); err != nil || got != len(raw) {
		return nil, false
	}
	m.written = m.written[:0]
	for i, page := range m.pages[:n] {
		if page&pageThere != 0 && page&pageOfFile == 0 {
			m.written = append(m.written, int32(i))
		}
	}
	return m.written, true
}

// noPagemap stands for a missing page map.
const noPagemap = -1

// pagemap returns the open page map of this process. It is noPagemap if the system does not report
// which pages of a private mapping were written to, as in some sandboxes. The file stays open.
var pagemap = sync.OnceValue(func() int {
	if os.Getpagesize() != blockBytes {
		return noPagemap
	}
	fd, err := unix.Open("/proc/self/pagemap", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return noPagemap
	}
	if err := tryPagemap(fd); err != nil {
		_ = unix.Close(fd)
		return noPagemap
	}
	return fd
})

// tryPagemap fails if a page map does not distinguish written pages from others.
func tryPagemap(fd int) error {
	const size = 4 * blockBytes
	of, err := makeImage(size)
	if err != nil {
		return err
	}
	defer of.close()
	copy(of.view, "read")
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Munmap(memory) }() // fails only for an address that is not mapped
	m := &mapping{}
	memory[3*blockBytes] = 1
	if err := m.put(of, memory); err != nil {
		return err
	}
	memory[blockBytes], memory[2*blockBytes] = memory[0], 0
	list, ok := m.blocksBy(fd, memory)
	if !ok || !slices.Equal(list, []int32{1, 2}) || memory[blockBytes] != 'r' {
		return fmt.Errorf("the system's page map is wrong: it reports blocks %v as written, but blocks 1 and 2 were written", list)
	}
	return nil
}
