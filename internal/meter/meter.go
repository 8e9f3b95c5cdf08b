// Package meter measures for those who know no metrics library: they count in
// it, and hand out plain numbers.
//
//	var reading meter.Durations
//	defer reading.Since(time.Now())
//	h := reading.Histogram()
//
// A Histogram says how many of the measured times were within each bound.
package meter

import (
	"sync/atomic"
	"time"
)

// Bounds are the upper ends of the buckets, in seconds: from what a lookup
// takes to the longest that anything may. All histograms have the same, so that
// they can be laid over each other.
var Bounds = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}

// buckets is one for each of Bounds, and one for what is above.
const buckets = 17

// Durations counts times by how long they are. The zero value has counted none
// yet. Its methods may be called from several goroutines at once, and wait for
// nothing.
type Durations struct {
	counts [buckets]atomic.Uint64
	sum    atomic.Int64 // nanoseconds
}

// Add counts a time.
func (d *Durations) Add(took time.Duration) {
	i, seconds := 0, took.Seconds()
	for i < len(Bounds) && seconds > Bounds[i] {
		i++
	}
	d.counts[i].Add(1)
	d.sum.Add(int64(took))
}

// Since counts the time from start to now.
func (d *Durations) Since(start time.Time) { d.Add(time.Since(start)) }

// Histogram is what was counted at one moment, or about then.
type Histogram struct {
	Count      uint64
	Sum        float64            // of all times, in seconds
	Cumulative map[float64]uint64 // how many were within each of Bounds
}

// Histogram returns what was counted so far.
func (d *Durations) Histogram() Histogram {
	h := Histogram{Sum: time.Duration(d.sum.Load()).Seconds(), Cumulative: make(map[float64]uint64, len(Bounds))}
	for i := range d.counts {
		h.Count += d.counts[i].Load()
		if i < len(Bounds) {
			h.Cumulative[Bounds[i]] = h.Count
		}
	}
	return h
}
