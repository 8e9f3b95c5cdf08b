package memlimit

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// When memory is given back.
const (
	interval = 8 * time.Second // between two looks
	busy     = 64 << 20        // bytes allocated from which on there is something to give back
	quiet    = 16 << 20        // bytes allocated in an interval in which little happens
)

// Release gives idle memory back to the system until ctx ends: within half a minute after the
// process has worked and is quiet again.
func Release(ctx context.Context) {
	release(ctx, allocated, func() {
		runtime.GC() // the second collection empties pools
		debug.FreeOSMemory()
	})
}

func release(ctx context.Context, allocated func() uint64, free func()) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	freed := allocated() // when memory was given back last
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

// allocated returns the bytes that the process has allocated since it began.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
