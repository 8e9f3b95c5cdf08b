package perception

import (
	"context"
	"maps"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/meter"
	"github.com/windieos/windie/sdkapi"
)

// Stats are what Scenes did since they were made.
type Stats struct {
	Hits   uint64 // scenes asked for that were cached
	Shared uint64 // those that were being read for another caller
	Misses uint64 // those that had to be read

	Outcomes   map[sdkapi.Code]uint64 // of Misses: how many ended so; "" for a scene
	Reading    int                    // those being read, or waiting for it, now
	Pixels     uint64                 // of all screens that the engine was given
	Durations  meter.Histogram        // of the engine's reading, without the wait for a turn
	CacheBytes int64                  // that the scenes kept take, packed
}

// counts is what Stats come from. Scenes.mu guards it, but for took.
type counts struct {
	hits, shared, misses, pixels uint64

	outcomes map[sdkapi.Code]uint64
	took     meter.Durations
}

func (c *counts) outcome(err error) {
	if c.outcomes == nil {
		c.outcomes = map[sdkapi.Code]uint64{}
	}
	c.outcomes[fault.CodeOf(err)]++
}

// Stats returns what was counted so far.
func (s *Scenes) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Stats{
		Hits: s.counts.hits, Shared: s.counts.shared, Misses: s.counts.misses,
		Outcomes: maps.Clone(s.counts.outcomes), Reading: len(s.loads), Pixels: s.counts.pixels,
		Durations: s.counts.took.Histogram(), CacheBytes: s.cache.packed.Bytes(),
	}
}

// read has the engine read a screen, and measures it.
func (s *Scenes) read(ctx context.Context, screen Screen, how sdkapi.Reading) ([]Row, error) {
	size := screen.Bounds().Size()
	s.mu.Lock()
	s.counts.pixels += uint64(size.X) * uint64(size.Y)
	s.mu.Unlock()
	defer s.counts.took.Since(time.Now())
	return s.engine.Read(ctx, screen, how)
}
