package s3store

import (
	"context"
	"errors"
	"time"
)

// errStalled ends the context of a call in which nothing moves any more.
var errStalled = errors.New("nothing moved between here and the storage server for too long")

// watch ends a call's context when nothing has moved for a while. It also
// says why the call ended.
type watch struct {
	ctx    context.Context // for the call
	caller context.Context // whose end means that nobody waits any more
	cancel context.CancelCauseFunc
	timer  *time.Timer
	limit  time.Duration
}

// watchStalls watches a call that begins now, and ends no later than ctx. The
// caller also calls end.
func watchStalls(ctx context.Context, limit time.Duration) *watch {
	w := &watch{caller: ctx, limit: limit}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.timer = time.AfterFunc(limit, func() { w.cancel(errStalled) })
	return w
}

// moved notes that something has moved.
func (w *watch) moved() { w.timer.Reset(w.limit) }

// pause stops the clock while it is not the server's turn; moved starts it.
func (w *watch) pause() { w.timer.Stop() }

// end frees what the watch holds. It may be called again.
func (w *watch) end() {
	w.timer.Stop()
	w.cancel(nil)
}
