package session

import (
	"context"
	"sync"
	"time"

	"github.com/windieos/windie/agent"
)

// Limits of a running call's reports. Further lines are dropped; further output waits for the next
// event.
const (
	progressEvery   = time.Second // time between two events of a call
	maxProgress     = 200         // events of a call, before the last one
	maxProgressText = 500         // bytes of a line
	maxHeard        = 16          // events that wait to be appended
)

// hearer receives the reports of a running call, from several goroutines. It does not block until
// the call has ended: lines that come too often are dropped, and output is collected.
type hearer struct {
	heard chan<- Progressed
	event Progressed // template of its events

	mu     sync.Mutex
	pieces agent.Pieces
	last   time.Time   // time of the last event
	events int         // number of events so far
	later  *time.Timer // sends waiting output; nil if there is none
}

// hear takes a report. While output waits, it drops the line.
func (h *hearer) hear(r agent.Report) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pieces.Add(r.Output)
	if h.later == nil {
		h.send(r.Line)
	}
}

// send sends a line and the waiting output, or schedules the output. The caller holds mu.
func (h *hearer) send(line string) {
	e := h.event
	e.Message, e.Output = shorten(line, maxProgressText), h.pieces.Waiting()
	if h.events == maxProgress || e.Message == "" && e.Output == "" {
		return
	}
	if wait := progressEvery - time.Since(h.last); h.events == 0 || wait <= 0 {
		select {
		case h.heard <- e:
			h.last = time.Now()
			h.events++
			h.pieces.Sent()
			return
		default:
		}
	}
	if e.Output != "" {
		h.later = time.AfterFunc(max(progressEvery-time.Since(h.last), progressEvery/10), h.sendLater)
	}
}

// sendLater sends the output that waited for its interval.
func (h *hearer) sendLater() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.later != nil {
		h.later = nil
		h.send("")
	}
}

// end sends the remaining output, unless ctx ends. Later reports are ignored.
func (h *hearer) end(ctx context.Context) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.later != nil {
		h.later.Stop()
		h.later = nil
	}
	h.events = maxProgress
	e := h.event
	if e.Output = h.pieces.Waiting(); e.Output == "" {
		return
	}
	select {
	case h.heard <- e:
	case <-ctx.Done():
	}
}

// hear appends a report of a call, unless the call's result came first.
func (w *worker) hear(ctx context.Context, e Progressed) error {
	if c := w.state.Turn.call(e.Call); c == nil || c.Phase != CallStarted {
		return nil
	}
	return w.append(ctx, e)
}

// heardSoFar appends the waiting reports, so that a call's reports come before its result.
func (w *worker) heardSoFar(ctx context.Context) error {
	for {
		select {
		case e := <-w.heard:
			if err := w.hear(ctx, e); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}
