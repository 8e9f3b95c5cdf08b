package wasmtools

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// slots limits the number of calls of a plugin that run at once and the number that wait. If users are
// isolated, each user has a part of both. Nested calls have separate slots at each depth, so two calls
// never wait for each other.
type slots struct {
	limits  Limits
	byDepth [maxNested + 1]*fair.Pool
	waiting atomic.Int64
}

const (
	maxNested  = 4  // deepest nesting with separate slots
	maxWaiters = 16 // number of users whose calls may fill their queues
)

// slotWait is longer than any call.
const slotWait = 25 * time.Hour

// newSlots returns the slots of a plugin. If apart is set, one user gets at most three quarters of the
// slots, but at least one.
func newSlots(plugin string, l Limits, apart bool) *slots {
	s := &slots{limits: l}
	most := l.ConcurrentCalls
	if apart {
		most -= max(1, most/4)
	}
	for i := range s.byDepth {
		s.byDepth[i] = fair.New(fair.Options{
			Name: "calls of the plugin " + plugin, Capacity: l.ConcurrentCalls, Long: l.ConcurrentCalls,
			PerUser: max(1, most), Waiting: int(l.QueuedCalls), Wait: slotWait,
		})
	}
	return s
}

// take waits for a slot for user. It fails with OVERLOADED if too many calls wait, and with ctx's
// error if ctx ends.
func (s *slots) take(ctx context.Context, plugin, user string) (*fair.Share, error) {
	pool := s.byDepth[min(nested(ctx), maxNested)]
	n := s.waiting.Add(1)
	defer s.waiting.Add(-1)
	var share *fair.Share
	var err error
	if n > maxWaiters*s.limits.QueuedCalls+1 {
		err = fault.New("wasmtools.call", sdkapi.Overloaded, "too many calls are waiting")
	} else {
		share, err = pool.Take(ctx, user, 1, fair.Long)
	}
	if err == nil || isOver(err) {
		return share, err
	}
	return nil, fault.New("wasmtools.call", sdkapi.Overloaded,
		"the plugin %q already has %d running and %d waiting calls; its limits concurrent_calls and queued_calls do not allow this user more; try again later",
		plugin, pool.Stats().Taken, pool.Stats().Waiting).Because(err)
}

type nestedKey struct{}

// nested returns the number of plugin calls around the call of ctx. It is 0 for a call from outside.
func nested(ctx context.Context) int {
	n, _ := ctx.Value(nestedKey{}).(int)
	return n
}

// within returns the context for a call that a plugin makes in ctx.
func within(ctx context.Context) context.Context {
	return context.WithValue(ctx, nestedKey{}, nested(ctx)+1)
}
