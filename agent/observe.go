package agent

import (
	"context"
	"slices"
)

// Observer is told of the calls of tools, to count, trace or record them. Its methods
// are called from several goroutines at once, and must be quick.
type Observer interface {
	// Begin is called before a call. The call has the context that it returns,
	// which comes from ctx. The tool is as the caller names it; where there is
	// none of that name to see, origin is zero.
	Begin(ctx context.Context, tool string, origin Origin) context.Context

	// End is called after it, with the context of the call and what came of it.
	// A Usage without a WallTime is of a call that did not reach the tool. The
	// call's arguments are as the caller gave them, and must not be kept.
	End(ctx context.Context, tool string, origin Origin, call Call, result Result, err error)
}

// Observe has o told of all calls from now on, also of those from within
// others. Those that run are not told of.
func (r *Registry) Observe(o Observer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := []Observer{o}
	if list := r.watching.Load(); list != nil {
		next = append(slices.Clone(*list), o)
	}
	r.watching.Store(&next)
}

// invokeWatched is invoke, between what the observers are told.
func (v View) invokeWatched(ctx context.Context, observers []Observer, name string, call Call) (Result, error) {
	var origin Origin
	if e := v.find(name); e != nil {
		origin = e.Origin
	}
	for _, o := range observers {
		ctx = o.Begin(ctx, name, origin)
	}
	res, err := v.invoke(ctx, name, call)
	for _, o := range observers {
		o.End(ctx, name, origin, call, res, err)
	}
	return res, err
}
