package session

import (
	"cmp"
	"context"
	"time"
)

// graceTime limits the wait for a model or tool that was canceled. If it continues, its answer is
// lost. So a cancel takes less than a second.
const graceTime = 500 * time.Millisecond

// overdue returns a channel that is closed graceTime after ctx has ended. The caller calls stop
// when it no longer waits.
func overdue(ctx context.Context) (late <-chan struct{}, stop func()) {
	after, cancel := context.WithCancel(context.WithoutCancel(ctx))
	unwatch := context.AfterFunc(ctx, func() { time.AfterFunc(graceTime, cancel) })
	return after.Done(), func() { unwatch(); cancel() }
}

// each runs work on calls in parallel, at most limit at a time, and calls done with each result. It
// returns when all work has ended or is overdue. The first error stops the remaining work.
func each[T any](ctx context.Context, w *worker, calls []*Call, limit int, work func(context.Context, *Call) (T, error), done func(*Call, T) error) (err error) {
	type finished struct {
		call  *Call
		value T
		err   error
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	late, rest := overdue(ctx)
	defer rest()
	results := make(chan finished, len(calls))
	slots := make(chan struct{}, limit)
	for _, c := range calls {
		w.all.Go(func() {
			f := finished{call: c}
			select {
			case slots <- struct{}{}:
				if f.err = ctx.Err(); f.err == nil { // select chooses randomly if both channels are ready
					f.value, f.err = work(ctx, c)
				}
				<-slots
			case <-ctx.Done():
				f.err = ctx.Err()
			}
			results <- f
		})
	}
	for keep, left := true, len(calls); left > 0; left-- {
		select {
		case r := <-results:
			if r.err == nil && keep { // also after an error of another call, because this one was made
				if r.err = w.heardSoFar(ctx); r.err == nil {
					r.err = done(r.call, r.value)
				}
				keep = r.err == nil
			}
			if r.err != nil {
				err = cmp.Or(err, r.err)
				stop()
			}
		case e := <-w.heard:
			left++ // it has no result
			if r := w.hear(ctx, e); r != nil {
				err, keep = cmp.Or(err, r), false
				stop()
			}
		case <-late:
			return cmp.Or(err, context.Cause(ctx))
		}
	}
	return err
}
