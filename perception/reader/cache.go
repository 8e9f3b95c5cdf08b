package reader

import (
	"math"
	"sync"
	"unsafe"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// lineText is what a line was read as. It does not change once made.
type lineText struct {
	words             []word
	capital, baseline float32 // in pixels of the patch; see textline.Fit
}

// word is a word of a line, its box in pixels of the patch.
type word struct {
	text           string
	confidence     float32
	x0, y0, x1, y1 int16
}

// lineCache keeps the lines read last, within a budget of bytes.
type lineCache struct {
	mu     sync.Mutex
	lines  *simplelru.LRU[lineKey, *lineText]
	budget int64
	used   int64
}

func newLineCache(budget int64) *lineCache {
	c := &lineCache{budget: budget}
	// The count is unbounded: bytes are what is limited. NewLRU fails only
	// for a size below one.
	c.lines, _ = simplelru.NewLRU(math.MaxInt, func(_ lineKey, t *lineText) { c.used -= t.bytes() })
	return c
}

// get returns the text kept under key, or nil.
func (c *lineCache) get(key lineKey) *lineText {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, _ := c.lines.Get(key)
	return t
}

// add keeps t, and forgets the longest unused while over budget.
func (c *lineCache) add(key lineKey, t *lineText) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines.Remove(key)
	c.used += t.bytes()
	c.lines.Add(key, t)
	for c.used > c.budget && c.lines.Len() > 0 {
		c.lines.RemoveOldest()
	}
}

// bytes estimates the memory t takes, with its key and its place in the list.
func (t *lineText) bytes() int64 {
	const entry = 200
	n := int64(entry) + int64(unsafe.Sizeof(*t))
	for _, w := range t.words {
		n += int64(unsafe.Sizeof(w)) + int64(len(w.text)+15)&^15
	}
	return n
}
