package testkit

import (
	"runtime"
	"runtime/debug"
	"time"
)

// PeakHeap returns about the most memory that Go's heap holds in use while do runs, above what it
// held before. Garbage is collected all the time, so that little of it counts. Nothing else may run.
func PeakHeap(do func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(2))
	runtime.GC()
	before, most := heap(), int64(0)
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				most = max(most, heap()-before)
			}
		}
	}()
	do()
	close(done)
	<-stopped
	return max(most, heap()-before)
}

func heap() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
