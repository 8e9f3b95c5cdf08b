package wasmtools

import (
	"bytes"
)

// snapshot is the state of a guest after it described itself. It never changes.
type snapshot struct {
	size   int     // bytes of memory
	image  *image  // holds the memory; nil if at and blocks hold it
	at     []int32 // for each block of memory, its index in blocks; blank if it is all zero
	blocks []byte  // the blocks that are not all zero
	state  []uint64
}

// blockBytes is the number of bytes that putBack compares at once. It divides pageBytes, so a memory is
// whole blocks.
const blockBytes = 4096

// blankBlock is a block that is all zero.
var blankBlock [blockBytes]byte

// blank marks a block that is all zero.
const blank = -1

// close frees s. No instance may be restored from it any more.
func (s *snapshot) close() {
	if s != nil {
		s.image.close()
	}
}

// copyBlocks stores the blocks of memory that are not all zero.
func (s *snapshot) copyBlocks(memory []byte, t *turn) error {
	s.at = make([]int32, len(memory)/blockBytes)
	kept := int32(0)
	for n := range s.at {
		if s.at[n] = blank; !isBlank(blockOf(memory, n)) {
			s.at[n] = kept
			kept++
		}
		if err := t.visitAt(n); err != nil {
			return err
		}
	}
	s.blocks = make([]byte, int(kept)*blockBytes)
	for n, at := range s.at {
		if at != blank {
			copy(blockOf(s.blocks, int(at)), blockOf(memory, n))
		}
		if err := t.visitAt(n); err != nil {
			return err
		}
	}
	return nil
}

// blockOf returns block n of b.
func blockOf(b []byte, n int) []byte { return b[n*blockBytes : (n+1)*blockBytes] }

// isBlank reports whether a block of blockBytes bytes is all zero.
func isBlank(block []byte) bool { return bytes.Equal(block, blankBlock[:]) }

// visitBlocks is the number of blocks after which other runs may get their turn.
const visitBlocks = 128

// visitAt gives other runs their turn every visitBlocks blocks.
func (t *turn) visitAt(block int) error {
	if block%visitBlocks != visitBlocks-1 {
		return nil
	}
	return t.Visit()
}

// block returns block n of the snapshot.
func (s *snapshot) block(n int) []byte {
	switch {
	case s.image != nil:
		return s.image.block(n)
	case s.at[n] == blank:
		return blankBlock[:]
	}
	return blockOf(s.blocks, int(s.at[n]))
}

// putBack restores the memory of i, which has the size of s. If the system reports the written
// blocks, putBack compares only those blocks. A call changes few blocks, so putBack compares a block
// before it writes the block.
func (s *snapshot) putBack(i *instance, memory []byte, t *turn) error {
	var written []int32
	known := false
	if s.image != nil {
		if !i.mapped.has(s.image) {
			return i.mapped.put(s.image, memory)
		}
		written, known = i.mapped.blocks(memory)
	}
	count := len(memory) / blockBytes
	if known {
		count = len(written)
	}
	for k := range count {
		n := k
		if known {
			n = int(written[k])
		}
		if is, was := blockOf(memory, n), s.block(n); !bytes.Equal(is, was) {
			copy(is, was)
		}
		if err := t.visitAt(k); err != nil {
			return err
		}
	}
	return nil
}

// untouched is the number of bytes at the start of a memory that touch leaves to the guest.
const untouched = 8 << 20
