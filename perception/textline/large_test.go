//go:build system

package textline_test

import (
	"runtime"
	"testing"
	"time"
)

// Noise costs bounded time and memory, and has few lines, which the reader drops. It runs alone, so that
// nothing else is measured.
func TestNoise(t *testing.T) {
	const mb = 1 << 20
	for _, chance := range []float64{1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.005} {
		img := noise(4000/smaller, 3000/smaller, chance)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		lines := find(t, img)
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		allocated := (after.TotalAlloc - before.TotalAlloc) / mb
		t.Logf("%g of the pixels: %d lines, %v, %d MB allocated in all", chance, len(lines), took, allocated)
		if took > 40*time.Second || allocated > 1200 || len(lines) > 1000 {
			t.Errorf("%g of the pixels: %d lines, %v, %d MB allocated in all", chance, len(lines), took, allocated)
		}
	}
}
