package session

import (
	"cmp"
	"context"
	"time"
)

// graceTime is how long what was told to stop is waited for. A model or a tool
// that does not listen goes on behind the turn's back; what it says then is
// lost. A cancel takes less than a second because of it.
const graceTime = 500 * time.Millisecond

// overdue returns what is closed graceTime after ctx has ended. The caller
// calls stop when it waits no longer.
func overdue(ctx context.Context) (late <-chan struct{}, stop func()) {
	after, cancel := context.WithCancel(context.WithoutCancel(ctx))
	told := context.AfterFunc(ctx, func() { time.AfterFunc(graceTime, cancel) })
	return after.Done(), func() { told(); cancel() }
}

// each works on calls side by side, at most so many at once, and hands over
// what comes of each as soon as it is there. It returns when all work has
// ended, which the first error ends early, or when that takes too long.
func each[T any](ctx context.Context, w *worker, calls []*Call, most int, work func(context.Context, *Call) (T, error), done func(*Call, T) error) (err error) {
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
	slots := make(chan struct{}, most)
	for _, c := range calls {
		w.all.Go(func() {
			f := finished{call: c}
			select {
			case slots <- struct{}{}:
				f.value, f.err = work(ctx, c)
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
			if r.err == nil && keep { // also behind an error of another: it has been done
				r.err = done(r.call, r.value)
				keep = r.err == nil
			}
			if r.err != nil {
				err = cmp.Or(err, r.err)
				stop()
			}
		case <-late:
			return cmp.Or(err, context.Cause(ctx))
		}
	}
	return err
}
