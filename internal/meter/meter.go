// Package meter measures without a metrics library: its results are plain numbers.
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

// Bounds are the upper ends of the buckets, in seconds: from a lookup to the longest that anything
// may take. All histograms have the same, so they compare.
var Bounds = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}

// buckets is one for each of Bounds, and one for what is above.
const buckets = 17

// Durations counts times by length. The zero value is empty. Its methods are safe for concurrent
// use, and wait for nothing.
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
