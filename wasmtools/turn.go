package wasmtools

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/windieos/windie/internal/fair"
	"github.com/windieos/windie/wasmtools/abi"
)

// turnTime is how long a guest computes at most before others that wait for a core have theirs.
const turnTime = time.Millisecond

// turn is a run's place among others that take cores. Go cannot interrupt the machine code of a
// guest: at its visits to the host it lets other goroutines run, and gives up its share of the
// cores to others that wait for one. While the host waits for something on behalf of the guest,
// it holds no share: calls within calls cannot wait for each other's.
type turn struct {
	cores *fair.Pool // nil for no bound
	user  string     // the key of its turns
	wait  patience
	share *fair.Share
	since time.Time // when it began, or others last had theirs
}

var _ abi.Turn = (*turn)(nil)

// Return takes a share of the cores.
func (t *turn) Return() (err error) {
	if t.cores == nil {
		return nil
	}
	t.share, err = t.cores.Take(&t.wait, t.user, 1, fair.Short)
	t.since = time.Now()
	return err
}

// Leave gives the share back. It may be repeated.
func (t *turn) Leave() {
	t.share.Give()
	t.share = nil
}

// Visit lets others run, if the guest has had its time.
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

// patience is the context of a span. Most runs wait for nothing: a timer is made for those that
// do. It is used by one goroutine.
type patience struct {
	context.Context // the caller's
	span            span
	timed           context.Context
	cancel          context.CancelFunc
}

func (p *patience) Deadline() (time.Time, bool) { return p.span.deadline, true }

func (p *patience) Done() <-chan struct{} {
	if p.timed == nil {
		p.timed, p.cancel = context.WithDeadline(p.Context, p.span.deadline)
	}
	return p.timed.Done()
}

func (p *patience) Err() error {
	if p.timed != nil {
		return p.timed.Err()
	}
	return p.span.err()
}

func (p *patience) end() {
	if p.cancel != nil {
		p.cancel()
	}
}

// isOver reports whether err is that of a context that ended.
func isOver(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}
