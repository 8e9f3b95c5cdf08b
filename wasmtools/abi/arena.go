package abi

import (
	"encoding/binary"
	"math/bits"
)

// arena is the memory that guests with the Extism functions share with the host, in place
// of Extism's kernel. Blocks have sizes of powers of two, and freed ones are used again.
type arena struct {
	bytes  []byte
	blocks map[uint64]uint64 // lengths by offset
	freed  [64][]uint64      // offsets by the exponent of their size
	most   int               // bytes there may be
	input  uint64            // the block of the input; 0 if there is none yet
}

const (
	arenaSpare = 8 << 20 // bytes of an arena besides room for input and output
	arenaKeep  = 1 << 20 // bytes of memory kept from run to run
	keepBlocks = 1 << 10 // likewise, noted blocks
	arenaFirst = 16      // the first offset: 0 is no block
	maxBlocks  = 1 << 16 // at a time: what is noted of one is more than the smallest holds
	leastBlock = 4       // exponent of the size of the smallest block
)

// reset empties a and sets how large it may become.
func (a *arena) reset(most int) {
	if a.most = most; len(a.bytes) == 0 {
		return
	}
	if cap(a.bytes) > arenaKeep {
		a.bytes = nil
	}
	if len(a.blocks) > keepBlocks {
		a.blocks = nil // a map does not shrink
	}
	clear(a.blocks)
	*a = arena{bytes: a.bytes[:0], blocks: a.blocks, most: most}
}

// alloc returns a block of n bytes, all 0. None is needed for n of 0.
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
	clear(a.bytes[offset : offset+1<<class]) // all of it: behind n bytes may be what an earlier run left
	return offset, true
}

// extend adds size bytes at the end and returns where.
func (a *arena) extend(size int) (uint64, bool) {
	offset := max(len(a.bytes), arenaFirst)
	end := offset + size
	most := a.most + a.most/2 // blocks take up to twice their bytes
	if end > most {
		return 0, false
	}
	if end > cap(a.bytes) {
		room := max(end, 2*cap(a.bytes), 4096)
		if room > arenaSpare/2 {
			room = most // once, so that few copies of much wait for the garbage collector
		}
		bigger := make([]byte, end, room)
		copy(bigger, a.bytes)
		a.bytes = bigger
	}
	a.bytes = a.bytes[:end]
	return uint64(offset), true
}

// free gives a block back. What is no block is let be.
func (a *arena) free(offset uint64) {
	n, ok := a.blocks[offset]
	if !ok {
		return
	}
	delete(a.blocks, offset)
	class := max(leastBlock, bits.Len64(n-1))
	a.freed[class] = append(a.freed[class], offset)
}

func (a *arena) length(offset uint64) uint64 { return a.blocks[offset] }

// block returns the bytes of a block, none if there is no such block.
func (a *arena) block(offset uint64) []byte { return a.slice(offset, a.blocks[offset]) }

// slice returns n bytes from offset on, nil if not all of them are there.
func (a *arena) slice(offset, n uint64) []byte {
	if size := uint64(len(a.bytes)); offset > size || n > size-offset {
		return nil
	}
	return a.bytes[offset : offset+n : offset+n]
}

func (a *arena) store8(offset uint64, v byte) {
	if b := a.slice(offset, 1); b != nil && offset >= arenaFirst {
		b[0] = v
	}
}

func (a *arena) store64(offset, v uint64) {
	if b := a.slice(offset, 8); b != nil && offset >= arenaFirst {
		binary.LittleEndian.PutUint64(b, v)
	}
}
