package agent

import (
	"context"
	"slices"
)

// Observer counts, traces or records calls of tools. Its methods are called from
// several goroutines at once, and must be quick.
type Observer interface {
	// Begin is called before a call, and returns the call's context, made from ctx. tool is
	// the name that the caller gave; origin is zero if the caller sees no tool of that name.
	Begin(ctx context.Context, tool string, origin Origin) context.Context

	// End is called after the call, with its context and result; a Usage without a WallTime means
	// that the tool was not reached. call has the caller's arguments, which must not be kept.
	End(ctx context.Context, tool string, origin Origin, call Call, result Result, err error)
}

// Observe calls o for all calls that begin from now on, also for calls within calls.
func (r *Registry) Observe(o Observer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := append(slices.Clone(*r.watching.Load()), o)
	r.watching.Store(&next)
}
