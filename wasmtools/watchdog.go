package wasmtools

import (
	"context"
	"sync"
	"time"

	"github.com/windieos/windie/wasmtools/abi"
	"github.com/windieos/windie/wasmtools/fuel"
)

// lookEvery is the interval of the watchdog: a run stops at most that late.
const lookEvery = 5 * time.Millisecond

// watchdog stops runs whose span is over. It checks all runs of a guest at an interval, and only
// while there are any: a timer for each run would take as long as a small guest does. Its zero
// value is ready.
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

// span is the time of a run: it ends when the caller leaves, or at the deadline. A context with
// both takes as long to make as a small guest runs; code that waits makes one when needed.
type span struct {
	caller   context.Context
	deadline time.Time
	warms    bool // the guest is to start and describe itself
}

// err returns why the span is over, or nil if it is not.
func (s span) err() error {
	if err := s.caller.Err(); err != nil {
		return err
	}
	if time.Now().Before(s.deadline) {
		return nil
	}
	return context.DeadlineExceeded
}
