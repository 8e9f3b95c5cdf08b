package wasmtools

import (
	"context"
	"time"

	"github.com/windieos/windie/wasmtools/abi"
)

// span is the time that a run has: until its caller leaves, or the deadline.
// Making a context with both takes as long as a small guest runs; whatever waits
// makes one for itself.
type span struct {
	caller   context.Context
	deadline time.Time
}

// err returns why the span is over, nil if it is not.
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
