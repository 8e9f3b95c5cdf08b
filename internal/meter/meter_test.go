package meter

import (
	"fmt"
	"testing"
	"time"
)

// A time at a bound is within it, and one above all bounds is counted too.
func TestDurations(t *testing.T) {
	t.Parallel()
	if len(Bounds)+1 != buckets {
		t.Fatalf("%d bounds and %d buckets", len(Bounds), buckets)
	}
	var d Durations
	for _, took := range []time.Duration{0, 500 * time.Microsecond, time.Second, time.Second + 1, 2 * time.Minute} {
		d.Add(took)
	}
	h := d.Histogram()
	if h.Count != 5 || h.Sum < 122 || h.Sum > 122.001 {
		t.Errorf("%d times, %v s", h.Count, h.Sum)
	}
	for bound, want := range map[float64]uint64{.0005: 2, .5: 2, 1: 3, 2.5: 4, 60: 4} {
		t.Run(fmt.Sprint(bound), func(t *testing.T) {
			if got := h.Cumulative[bound]; got != want {
				t.Errorf("%d within %v s, not %d", got, bound, want)
			}
		})
	}
}
