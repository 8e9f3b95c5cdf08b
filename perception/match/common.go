package match

import "math/bits"

// common computes the length of the longest common subsequence of a pattern and a text, by classes
// of characters. The rest of the pattern is a lower bound for their edits, tighter than the bound
// of bag. It processes 64 characters at a time (Hyyrö, "Bit-parallel LCS-length computation
// revisited", 2004).
type common struct {
	where [kinds][]uint64 // positions in the pattern, by class
	free  []uint64        // unmatched positions
}

// newCommon returns a common for a pattern of classes. The caller must call reset before the first add.
func newCommon(pattern []uint8) *common {
	words := (len(pattern) + 63) / 64
	c := &common{free: make([]uint64, words)}
	masks := make([]uint64, kinds*words)
	for i := range c.where {
		c.where[i] = masks[i*words : (i+1)*words]
	}
	for i, class := range pattern {
		c.where[class][i/64] |= 1 << (i % 64)
	}
	return c
}

// reset makes the text empty.
func (c *common) reset() {
	for i := range c.free {
		c.free[i] = ^uint64(0)
	}
}

// add appends characters to the text, by their classes.
func (c *common) add(text []uint8) {
	for _, class := range text {
		var carry uint64
		for i, where := range c.where[class] {
			free := c.free[i]
			matched := free & where
			var sum uint64
			sum, carry = bits.Add64(free, matched, carry)
			c.free[i] = sum | free&^where
		}
	}
}

// count returns the number of characters that the pattern and the text have in common.
func (c *common) count() int {
	n := 0
	for _, free := range c.free {
		n += bits.OnesCount64(^free)
	}
	return n
}
