package memlimit

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Conditions for releasing memory.
const (
	interval = 8 * time.Second // time between two checks
	busy     = 64 << 20        // minimum number of bytes allocated between two releases
	quiet    = 16 << 20        // maximum bytes allocated in an interval that counts as idle
)

// Release returns idle memory to the system, until ctx ends. When the process becomes idle after
// work, Release returns the memory within half a minute.
func Release(ctx context.Context) {
	release(ctx, allocated, func() {
		runtime.GC() // the second collection empties pools
		debug.FreeOSMemory()
	})
}

// release calls free in the first idle interval after at least busy bytes were allocated since the
// last release. It returns when ctx ends.
func release(ctx context.Context, allocated func() uint64, free func()) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	freed := allocated() // value of allocated at the last release
	for last := freed; ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := allocated()
		if now-last <= quiet && now-freed >= busy {
			free()
			now = allocated()
			freed = now
		}
		last = now
	}
}

// allocated returns the bytes that the process has allocated since its start.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
