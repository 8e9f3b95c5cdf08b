package gateway

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"
)

// openRequests counts the requests that are being answered, those that began
// before draining apart from those since.
type openRequests struct {
	since atomic.Int32 // which of the counts a request that begins now goes to
	count [2]atomic.Int64
}

// begin counts a request, and returns the count to take it from at its end.
func (o *openRequests) begin() *atomic.Int64 {
	count := &o.count[o.since.Load()]
	count.Add(1)
	return count
}

// now is how many requests are being answered.
func (o *openRequests) now() int64 { return o.count[0].Load() + o.count[1].Load() }

// drainStep is how often a draining server looks whether it is done.
const drainStep = 5 * time.Millisecond

// drain tells by /ready that requests should go elsewhere, and goes on taking
// those that come all the same until all that began before have been answered
// and the drain delay has passed. Whoever chooses between gateways needs a
// moment to notice, and what it sends until then would be refused.
func (s *Server) drain(ctx context.Context) {
	s.draining.Store(true)
	s.open.since.Store(1)
	until := time.Now().Add(s.cfg.DrainDelay)
	tick := time.NewTicker(drainStep)
	defer tick.Stop()
	for s.open.count[0].Load() > 0 || time.Now().Before(until) {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
	s.log.Debug("requests are refused now", slog.Int64("open", s.open.now()))
}
