package wasmtools

import (
	"context"
	"sync"
	"time"

	"github.com/windieos/windie/wasmtools/abi"
	"github.com/windieos/windie/wasmtools/fuel"
)

// span is the time that a run has: until its caller leaves, or the deadline. A
// context with both would say the same, and take as long to make as a small
// guest takes to run; what waits makes one for itself.
type span struct {
	caller   context.Context
	deadline time.Time
}

// err tells why the span is over, nil if it is not.
func (s span) err() error {
	if err := s.caller.Err(); err != nil {
		return err
	}
	if time.Now().Before(s.deadline) {
		return nil
	}
	return context.DeadlineExceeded
}

// exchange returns what a run in s may exchange with the gateway.
func (g *guest) exchange(s span) abi.Limits {
	limits := g.Limits.exchange()
	limits.Deadline = s.deadline
	return limits
}

// whenOver stops what runs when s ends before done is called, and never after.
// Meter is nil while there is none.
func (s span) whenOver(call *abi.Call, meter *fuel.Meter) (done func()) {
	var mu sync.Mutex
	over := false
	stop := func() {
		mu.Lock()
		defer mu.Unlock()
		if over {
			return
		}
		call.Stop()
		if meter != nil {
			meter.Stop()
		}
	}
	timer := time.AfterFunc(time.Until(s.deadline), stop)
	stay := context.AfterFunc(s.caller, stop)
	return func() {
		timer.Stop()
		stay()
		mu.Lock()
		over = true
		mu.Unlock()
	}
}
