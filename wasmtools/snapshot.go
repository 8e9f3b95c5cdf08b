package wasmtools

import (
	"bytes"
)

// snapshot is the state of a guest after it described itself. It is never written.
type snapshot struct {
	size   int     // bytes of memory
	image  *image  // has the memory; nil where at and blocks have it
	at     []int32 // for each block of memory, which of those kept it is; blank if it is all zero
	blocks []byte  // those that are not
	state  []uint64
}

// blockBytes is what is compared at once. Memory is whole pages of 64 KiB.
const blockBytes = 4096

var blankBlock [blockBytes]byte

// blank stands for a block that is all zero.
const blank = -1

// close gives back what s holds. No instance is restored any more.
func (s *snapshot) close() {
	if s != nil {
		s.image.close()
	}
}

// copyBlocks keeps the blocks of memory that are not blank.
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

func isBlank(block []byte) bool { return bytes.Equal(block, blankBlock[:]) }

// visitBlocks is after how many blocks others may have their turn.
const visitBlocks = 128

// visitAt lets others have their turn at some of the blocks.
func (t *turn) visitAt(block int) error {
	if block%visitBlocks != visitBlocks-1 {
		return nil
	}
	return t.Visit()
}

// block returns block n as it was.
func (s *snapshot) block(n int) []byte {
	switch {
	case s.image != nil:
		return s.image.block(n)
	case s.at[n] == blank:
		return blankBlock[:]
	}
	return blockOf(s.blocks, int(s.at[n]))
}

// putBack restores the memory of i, which has the size of s. If the system says which blocks may have been written
// to, only those are compared. A call changes little of them: comparing is faster than writing.
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

// untouched is how many bytes of a memory, from its start on, a guest may touch first.
const untouched = 8 << 20
