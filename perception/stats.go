package perception

import (
	"context"
	"maps"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/meter"
	"github.com/windieos/windie/sdkapi"
)

// Stats has the counts of the work of Scenes since their creation.
type Stats struct {
	Hits   uint64 // requests for scenes that were cached
	Shared uint64 // requests that joined the reading of another caller
	Misses uint64 // requests that started a reading

	Outcomes   map[sdkapi.Code]uint64 // number of finished readings for each error code; "" counts successes
	Reading    int                    // number of readings that run or wait now
	Pixels     uint64                 // pixels of all screens passed to the engine
	Durations  meter.Histogram        // durations of Engine.Read, without the time that readings wait
	CacheBytes int64                  // bytes of the packed scenes in the cache
}

// counts accumulates Stats. Scenes.mu guards all fields except took.
type counts struct {
	hits, shared, misses, pixels uint64

	outcomes map[sdkapi.Code]uint64
	took     meter.Durations
}

// outcome counts a finished reading by the code of its error. The caller holds Scenes.mu.
func (c *counts) outcome(err error) {
	if c.outcomes == nil {
		c.outcomes = map[sdkapi.Code]uint64{}
	}
	c.outcomes[fault.CodeOf(err)]++
}

// Stats returns the counts so far.
func (s *Scenes) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Stats{
		Hits: s.counts.hits, Shared: s.counts.shared, Misses: s.counts.misses,
		Outcomes: maps.Clone(s.counts.outcomes), Reading: len(s.loads), Pixels: s.counts.pixels,
		Durations: s.counts.took.Histogram(), CacheBytes: s.cache.packed.Bytes(),
	}
}

// read calls the engine's Read and measures it.
func (s *Scenes) read(ctx context.Context, screen Screen, how sdkapi.Reading) ([]Row, error) {
	size := screen.Bounds().Size()
	s.mu.Lock()
	s.counts.pixels += uint64(size.X) * uint64(size.Y)
	s.mu.Unlock()
	defer s.counts.took.Since(time.Now())
	return s.engine.Read(ctx, screen, how)
}
