package abi

import (
	"encoding/binary"
	"math/bits"
)

// arena is the memory that guests with the Extism functions share with the host. It replaces
// Extism's kernel. Block sizes are powers of two, and freed blocks are used again.
type arena struct {
	bytes  []byte
	blocks map[uint64]uint64 // lengths of the blocks in use, by offset
	freed  [64][]uint64      // offsets of freed blocks, by the exponent of their size
	most   int               // maximum length of a block, in bytes; the arena may become half as large again
	input  uint64            // offset of the input's block; 0 until it exists
}

const (
	arenaSpare = 8 << 20 // size of an arena beyond room for input and output, in bytes
	arenaKeep  = 1 << 20 // memory that an arena keeps between runs, in bytes
	keepBlocks = 1 << 10 // number of block records that an arena keeps between runs
	arenaFirst = 16      // the first offset, because offset 0 means no block
	maxBlocks  = 1 << 16 // number of blocks in use at the same time
	leastBlock = 4       // exponent of the smallest block's size: 16 bytes
)

// reset frees all blocks of a and sets most. It keeps at most arenaKeep bytes of memory.
func (a *arena) reset(limit int) {
	if a.most = limit; len(a.bytes) == 0 {
		return
	}
	if cap(a.bytes) > arenaKeep {
		a.bytes = nil
	}
	if len(a.blocks) > keepBlocks {
		a.blocks = nil // a map does not shrink
	}
	clear(a.blocks)
	*a = arena{bytes: a.bytes[:0], blocks: a.blocks, most: limit}
}

// alloc returns the offset of a new block of n bytes, all zero. ok is false if the arena is full. If
// n is 0, the offset is 0 and there is no block.
func (a *arena) alloc(n uint64) (offset uint64, ok bool) {
	if n == 0 {
		return 0, true
	}
	if n > uint64(a.most) || len(a.blocks) >= maxBlocks {
		return 0, false
	}
	class := max(leastBlock, bits.Len64(n-1))
	if list := a.freed[class]; len(list) > 0 {
		offset = list[len(list)-1]
		a.freed[class] = list[:len(list)-1]
	} else if offset, ok = a.extend(1 << class); !ok {
		return 0, false
	}
	if a.blocks == nil {
		a.blocks = map[uint64]uint64{}
	}
	a.blocks[offset] = n
	// the whole block: an earlier run may have written beyond n bytes
	clear(a.bytes[offset : offset+1<<class])
	return offset, true
}

// extend adds size bytes at the end and returns their offset.
func (a *arena) extend(size int) (uint64, bool) {
	offset := max(len(a.bytes), arenaFirst)
	end := offset + size
	most := a.most + a.most/2 // a block takes up to twice its bytes
	if end > most {
		return 0, false
	}
	if end > cap(a.bytes) {
		room := max(end, 2*cap(a.bytes), 4096)
		if room > arenaSpare/2 {
			room = most // grow once, so that few large copies wait for the garbage collector
		}
		bigger := make([]byte, end, room)
		copy(bigger, a.bytes)
		a.bytes = bigger
	}
	a.bytes = a.bytes[:end]
	return uint64(offset), true
}

// free frees a block. It ignores an offset without a block.
func (a *arena) free(offset uint64) {
	n, ok := a.blocks[offset]
	if !ok {
		return
	}
	delete(a.blocks, offset)
	if offset == a.input {
		a.input = 0
	}
	class := max(leastBlock, bits.Len64(n-1))
	a.freed[class] = append(a.freed[class], offset)
}

// length returns the length of the block at offset in bytes, or 0 if there is none.
func (a *arena) length(offset uint64) uint64 { return a.blocks[offset] }

// block returns the bytes of the block at offset, or nil if there is none.
func (a *arena) block(offset uint64) []byte { return a.slice(offset, a.blocks[offset]) }

// slice returns n bytes from offset on, or nil if the arena does not have them all.
func (a *arena) slice(offset, n uint64) []byte {
	if size := uint64(len(a.bytes)); offset > size || n > size-offset {
		return nil
	}
	return a.bytes[offset : offset+n : offset+n]
}

// store8 writes a byte at any offset. It ignores an offset outside of the arena.
func (a *arena) store8(offset uint64, v byte) {
	if b := a.slice(offset, 1); b != nil && offset >= arenaFirst {
		b[0] = v
	}
}

// store64 writes v, little-endian, at any offset. It writes nothing if the arena lacks one of the 8 bytes.
func (a *arena) store64(offset, v uint64) {
	if b := a.slice(offset, 8); b != nil && offset >= arenaFirst {
		binary.LittleEndian.PutUint64(b, v)
	}
}
