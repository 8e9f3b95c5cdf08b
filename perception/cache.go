package perception

import (
	"math"
	"unsafe"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// cache keeps the scenes used last, within a budget of bytes. It is not safe
// for concurrent use.
type cache struct {
	scenes *simplelru.LRU[sceneKey, *Scene]
	budget int64
	used   int64
}

func newCache(budget int64) *cache {
	c := &cache{budget: budget}
	// The count is unbounded: bytes are what is limited. NewLRU fails only
	// for a size below one.
	c.scenes, _ = simplelru.NewLRU(math.MaxInt, func(_ sceneKey, s *Scene) { c.used -= s.bytes() })
	return c
}

func (c *cache) get(key sceneKey) (*Scene, bool) { return c.scenes.Get(key) }

// add keeps s and forgets the longest unused while over budget. A scene
// larger than the budget is not kept.
func (c *cache) add(s *Scene) {
	c.scenes.Remove(s.key())
	c.used += s.bytes()
	c.scenes.Add(s.key(), s)
	for c.used > c.budget && c.scenes.Len() > 0 {
		c.scenes.RemoveOldest()
	}
}

// bytes estimates the memory s holds, with what may be derived from it.
func (s *Scene) bytes() int64 {
	const (
		entry   = 200 // map slot, list element, headers
		derived = 100 // for a word
	)
	n := entry + int64(unsafe.Sizeof(*s)) + int64(len(s.SHA256)+len(s.Languages))
	for _, r := range s.Rows {
		n += int64(unsafe.Sizeof(r)) + int64(len(r.Text)+len(r.ID))
		for _, w := range r.Words {
			n += derived + int64(unsafe.Sizeof(w)) + int64(len(w.Text))
		}
	}
	return n
}
