package perception

import "sync"

// Recent caches recently used values by key, within a budget of bytes. A value is a string, because
// strings take little memory and the garbage collector need not scan them. Its methods are safe for
// concurrent use.
//
// Recent has two generations. Put and Get move a value to the younger generation. When the younger
// generation reaches half of the budget, it becomes the older generation, and the previous older
// generation is discarded.
type Recent[K comparable] struct {
	budget int64

	mu         sync.Mutex
	young, old map[K]string
	used       int64 // bytes of the younger generation
	usedOld    int64
}

// entryBytes is the approximate memory of an entry besides its value.
const entryBytes = 120

// NewRecent returns an empty cache. Its values take at most about budget bytes in total.
func NewRecent[K comparable](budget int64) *Recent[K] {
	return &Recent[K]{budget: budget, young: map[K]string{}}
}

// Get returns the value that is cached for key.
func (r *Recent[K]) Get(key K) (value string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if value, ok = r.young[key]; ok {
		return value, true
	}
	if value, ok = r.old[key]; ok {
		r.put(key, value)
	}
	return value, ok
}

// Bytes returns the approximate number of bytes of the cached values. If a value is in both
// generations, it counts twice.
func (r *Recent[K]) Bytes() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used + r.usedOld
}

// Put caches value for key. If value is larger than half of the budget, Put discards the value.
func (r *Recent[K]) Put(key K, value string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.put(key, value)
}

// drop deletes key from a generation and subtracts the entry's bytes from used.
func drop[K comparable](generation map[K]string, used *int64, key K) {
	if before, ok := generation[key]; ok {
		*used -= int64(len(before)) + entryBytes
		delete(generation, key)
	}
}

// put does the work of Put. The caller holds r.mu.
func (r *Recent[K]) put(key K, value string) {
	cost := int64(len(value)) + entryBytes
	drop(r.young, &r.used, key)
	if cost > r.budget/2 {
		drop(r.old, &r.usedOld, key) // this older value is outdated
		return
	}
	if r.used+cost > r.budget/2 {
		r.old, r.usedOld, r.young, r.used = r.young, r.used, map[K]string{}, 0
	}
	r.young[key] = value
	r.used += cost
}

// Drop deletes all cached values whose keys match.
func (r *Recent[K]) Drop(match func(K) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key := range r.young {
		if match(key) {
			drop(r.young, &r.used, key)
		}
	}
	for key := range r.old {
		if match(key) {
			drop(r.old, &r.usedOld, key)
		}
	}
}
