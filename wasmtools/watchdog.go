package wasmtools

import (
	"context"
	"sync"
	"time"

	"github.com/windieos/windie/wasmtools/abi"
	"github.com/windieos/windie/wasmtools/fuel"
)

// lookEvery is how late a run is stopped at most, once its time is over.
const lookEvery = 5 * time.Millisecond

// watchdog stops what runs when its span is over. It looks at all runs of a
// guest every so often, and only while there are any: a timer for each run would
// take as long as a small guest does. Its zero value is ready.
type watchdog struct {
	mu    sync.Mutex
	first *watched    // of the runs, the last one that began
	tick  *time.Timer // nil while nobody looks
}

// watched is a run.
type watched struct {
	span  span
	call  *abi.Call
	meter *fuel.Meter // nil while there is none

	before, after *watched // in the list of a watchdog, whose mu guards them
}

// watch has r stopped when its span ends before unwatch, and never after.
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

// span is the time that a run has: until its caller leaves, or the deadline. Making a context
// with both takes as long as a small guest runs; whatever waits makes one for itself.
type span struct {
	caller   context.Context
	deadline time.Time
	warms    bool // the guest is to start and describe itself
}

// err returns why the span is over, nil if it is not.
func (s span) err() error {
	if err := s.caller.Err(); err != nil {
		return err
	}
	if time.Now().Before(s.deadline) {
		return nil
	}
	return context.DeadlineExceeded
}
