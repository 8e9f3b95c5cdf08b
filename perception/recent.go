package perception

import "sync"

// Recent caches recently used values by key, within a budget of bytes. Values are strings, which
// cost little memory and which the garbage collector need not scan. Its methods are safe for
// concurrent use.
//
// Recent has two generations. Put and Get move a value to the younger one. When the younger
// generation reaches half of the budget, it replaces the older one.
type Recent[K comparable] struct {
	budget int64

	mu         sync.Mutex
	young, old map[K]string
	used       int64 // bytes of the younger generation
	usedOld    int64
}

// entryBytes is the approximate memory of an entry besides its value.
const entryBytes = 120

// NewRecent returns an empty Recent that caches at most about budget bytes.
func NewRecent[K comparable](budget int64) *Recent[K] {
	return &Recent[K]{budget: budget, young: map[K]string{}}
}

// Get returns the value cached under key.
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

// Bytes returns the approximate bytes of the cached values. A value in both generations counts
// twice.
func (r *Recent[K]) Bytes() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used + r.usedOld
}

// Put caches value under key. It discards a value larger than half of the budget.
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

// Drop calls accept with each key, and deletes the values for which it returns true.
func (r *Recent[K]) Drop(accept func(K) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key := range r.young {
		if accept(key) {
			drop(r.young, &r.used, key)
		}
	}
	for key := range r.old {
		if accept(key) {
			drop(r.old, &r.usedOld, key)
		}
	}
}
