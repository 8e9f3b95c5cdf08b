package agent

import (
	"context"
	"slices"
)

// Observer observes calls of tools, to count, trace or record them. Its methods must be safe for
// concurrent use and return quickly.
type Observer interface {
	// Begin is called before a call. It returns the context for the call, derived from ctx. tool is
	// the name from the caller. If the caller's view has no such tool, origin is zero.
	Begin(ctx context.Context, tool string, origin Origin) context.Context

	// End is called after the call, with its context and result. A Usage without a WallTime means
	// that the call did not reach the tool. call has the caller's arguments, which End must not
	// retain.
	End(ctx context.Context, tool string, origin Origin, call Call, result Result, err error)
}

// Observe adds an observer of all later calls of tools. The observer also sees a call that one tool
// makes to another tool.
func (r *Registry) Observe(observer Observer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := append(slices.Clone(*r.watching.Load()), observer)
	r.watching.Store(&next)
}
