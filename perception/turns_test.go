package perception

import (
	"runtime"
	"runtime/debug"
	"testing"
)

var kept []byte // so that what a test makes is on the heap

// Garbage is collected where work took much and left much, and else not.
func TestCollect(t *testing.T) {
	for _, c := range []struct {
		name        string
		need, waste int64
		want        bool
	}{
		{"much of each", 2 * collectBytes, collectBytes + 1<<20, true},
		{"little garbage", 2 * collectBytes, collectBytes / 4, false},
		{"little work", collectBytes - 1, 2 * collectBytes, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer debug.SetGCPercent(debug.SetGCPercent(-1)) // so that nothing else collects
			runtime.GC()
			kept = make([]byte, c.waste)
			kept = nil
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			collect(c.need)
			runtime.ReadMemStats(&after)
			if got := after.NumGC > before.NumGC; got != c.want {
				t.Errorf("collected: %v, want %v", got, c.want)
			}
		})
	}
}
