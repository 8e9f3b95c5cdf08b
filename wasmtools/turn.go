package wasmtools

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/wasmtools/abi"
)

// turnTime limits how long a guest computes before others that wait for a core get their turn.
const turnTime = time.Millisecond

// turn is a run's place in the queue for cores. Go cannot interrupt the machine code of a guest. When the
// guest visits the host, other goroutines run, and the guest passes its core to a waiting run. While the
// host waits on behalf of the guest, the run holds no core, so nested calls cannot wait for each other's
// cores.
type turn struct {
	cores *fair.Pool // nil: no limit
	user  string     // key of its turns
	wait  patience
	share *fair.Share
	since time.Time // start of the run, or of its last turn
}

var _ abi.Turn = (*turn)(nil)

// Return waits until a core is free, and takes the core for the run.
func (t *turn) Return() (err error) {
	if t.cores == nil {
		return nil
	}
	t.share, err = t.cores.Take(&t.wait, t.user, 1, fair.Short)
	t.since = time.Now()
	return err
}

// Leave gives back the core that the run has taken. If the run has no core, Leave does nothing.
func (t *turn) Leave() {
	t.share.Give()
	t.share = nil
}

// Visit gives other guests their turn if this guest has computed for longer than turnTime.
func (t *turn) Visit() error {
	now := time.Now()
	if now.Sub(t.since) < turnTime {
		return nil
	}
	if t.cores == nil || t.share != nil && t.cores.Stats().Waiting == 0 {
		t.since = now
		runtime.Gosched()
		return nil
	}
	t.Leave()
	return t.Return()
}

// patience is the context of a span. Most runs never wait, so patience creates a timer only on demand. Only
// one goroutine may use it.
type patience struct {
	context.Context // the caller's
	span            span
	timed           context.Context
	cancel          context.CancelFunc
}

// Deadline returns the deadline of the span. The context of the caller may have an earlier
// deadline.
func (p *patience) Deadline() (time.Time, bool) { return p.span.deadline, true }

// Done returns a channel that is closed when the span is over. The first call of Done creates a
// timer. The method end stops this timer.
func (p *patience) Done() <-chan struct{} {
	if p.timed == nil {
		p.timed, p.cancel = context.WithDeadline(p.Context, p.span.deadline)
	}
	return p.timed.Done()
}

// Err returns the reason why the span is over, or nil if it is not over.
func (p *patience) Err() error {
	if p.timed != nil {
		return p.timed.Err()
	}
	return p.span.err()
}

// end stops the timer, if Done created one.
func (p *patience) end() {
	if p.cancel != nil {
		p.cancel()
	}
}

// isOver reports whether err is the error of an ended context.
func isOver(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}
