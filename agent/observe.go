package agent

import (
	"context"
	"slices"
)

// Observer observes calls of tools, to count, trace or record them. Its methods must be safe for
// concurrent use and return quickly.
type Observer interface {
	// Begin is called before a call. It returns the context for the call, derived from ctx. tool is
	// the name from the caller; origin is zero if the caller's view has no such tool.
	Begin(ctx context.Context, tool string, origin Origin) context.Context

	// End is called after the call, with its context and result. A Usage without a WallTime means
	// that the call did not reach the tool. call has the caller's arguments, which End must not
	// retain.
	End(ctx context.Context, tool string, origin Origin, call Call, result Result, err error)
}

// Observe calls o for each call that begins from now on, also for nested calls.
func (r *Registry) Observe(o Observer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := append(slices.Clone(*r.watching.Load()), o)
	r.watching.Store(&next)
}
