// Package meter measures durations without a metrics library; its results are plain numbers.
//
//	var reading meter.Durations
//	defer reading.Since(time.Now())
//	h := reading.Histogram()
//
// A Histogram reports how many durations were within each bound.
package meter

import (
	"sync/atomic"
	"time"
)

// Bounds are the upper bounds of the buckets, in seconds. They extend from a fast lookup to the
// longest operation. All histograms have the same bounds, so they can be compared.
var Bounds = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}

// buckets is the number of Bounds plus one, for longer durations.
const buckets = 17

// Durations is a histogram of durations, with the buckets of Bounds. The zero value is empty and
// ready to use. The methods are safe for concurrent use and never block.
type Durations struct {
	counts [buckets]atomic.Uint64
	sum    atomic.Int64 // nanoseconds
}

// Add counts one duration.
func (d *Durations) Add(duration time.Duration) {
	i, seconds := 0, duration.Seconds()
	for i < len(Bounds) && seconds > Bounds[i] {
		i++
	}
	d.counts[i].Add(1)
	d.sum.Add(int64(duration))
}

// Since adds the time that has passed since start as one duration.
func (d *Durations) Since(start time.Time) { d.Add(time.Since(start)) }

// Histogram contains the counts of Durations. The counts may be from slightly different moments.
type Histogram struct {
	Count      uint64
	Sum        float64            // sum of all durations, in seconds
	Cumulative map[float64]uint64 // number of durations up to each bound; the keys are Bounds, in seconds
}

// Histogram returns the counts so far.
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
