package wasmtools

import "testing"

// An instance that its caller closes itself is closed without the room's lock, which other runs wait for.
func TestBuryClosesWithoutTheLock(t *testing.T) {
	t.Parallel()
	r := &room{dead: make([]func(), maxDead), buries: true}
	free := false
	r.bury(func() {
		if free = r.mu.TryLock(); free {
			r.mu.Unlock()
		}
	})
	if !free {
		t.Error("the instance is closed under the room's lock")
	}
}
