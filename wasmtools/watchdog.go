package wasmtools

import (
	"context"
	"sync"
	"time"

	"github.com/windieos/windie/wasmtools/abi"
	"github.com/windieos/windie/wasmtools/fuel"
)

// lookEvery is the interval of the watchdog. The watchdog stops a run at most lookEvery after its deadline.
const lookEvery = 5 * time.Millisecond

// watchdog stops runs whose span is over. It checks all runs of a guest at an interval, while there are
// runs. A timer for each run would take as long as a run of a small guest. The zero value of watchdog is
// ready.
type watchdog struct {
	mu    sync.Mutex
	first *watched    // most recently started run
	tick  *time.Timer // nil while no check is planned
}

// watched is a run under the watchdog.
type watched struct {
	span  span
	call  *abi.Call
	meter *fuel.Meter // nil while there is none

	before, after *watched // neighbours in the list of a watchdog, whose mu guards them
}

// watch makes the watchdog stop r when its span ends. After unwatch it never does.
func (w *watchdog) watch(r *watched) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.after = w.first; r.after != nil {
		r.after.before = r
	}
	w.first = r
	if w.tick == nil {
		w.tick = time.AfterFunc(lookEvery, w.look)
	}
}

// unwatch removes r, which watch added. Afterwards r may be reused.
func (w *watchdog) unwatch(r *watched) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.before != nil {
		r.before.after = r.after
	} else {
		w.first = r.after
	}
	if r.after != nil {
		r.after.before = r.before
	}
	r.before, r.after = nil, nil
}

// look stops the runs whose span is over, and plans the next check while there are runs.
func (w *watchdog) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.first == nil {
		w.tick = nil
		return
	}
	for r := w.first; r != nil; r = r.after {
		if r.span.err() == nil {
			continue
		}
		r.call.Stop()
		if r.meter != nil {
			r.meter.Stop()
		}
	}
	w.tick.Reset(lookEvery)
}

// span is the time of a run. It ends when the caller leaves, or at the deadline. Creating a context with a
// deadline takes as long as a run of a small guest, so only code that waits creates one; see patience.
type span struct {
	caller   context.Context
	deadline time.Time
	warms    bool // the guest is to start and describe itself
}

// err returns context.Canceled or context.DeadlineExceeded if the span is over, and nil otherwise.
func (s span) err() error {
	if err := s.caller.Err(); err != nil {
		return err
	}
	if time.Now().Before(s.deadline) {
		return nil
	}
	return context.DeadlineExceeded
}
