package session

import (
	"context"
	"sync"
	"time"

	"github.com/windieos/windie/agent"
)

// Bounds of what a running call may report. More lines are dropped, and output waits for the next event.
const (
	progressEvery   = time.Second // between two events of a call
	maxProgress     = 200         // events of a call, before the one at its end
	maxProgressText = 500         // bytes of a line
	maxHeard        = 16          // events that wait to be appended
)

// hearer hears what a running call reports, from several goroutines. It waits for nothing until the call has ended: lines
// that come too often are dropped, and output is gathered.
type hearer struct {
	heard chan<- Progressed
	event Progressed // without what it reports

	mu     sync.Mutex
	pieces agent.Pieces
	last   time.Time   // of the last event
	events int         // so far
	later  *time.Timer // sends the output that waits; nil if none does
}

func (h *hearer) hear(r agent.Report) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pieces.Add(r.Output)
	if h.later == nil {
		h.send(r.Line)
	}
}

// send sends a line and the output that waits, or has the output sent later. It is called with mu held.
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

func (h *hearer) sendLater() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.later != nil {
		h.later = nil
		h.send("")
	}
}

// end sends the output that waits still, unless ctx ends. What is heard afterwards goes nowhere.
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

// hear appends what a call reported, unless it came after the call's result.
func (w *worker) hear(ctx context.Context, e Progressed) error {
	if c := w.state.Turn.call(e.Call); c == nil || c.Phase != CallStarted {
		return nil
	}
	return w.append(ctx, e)
}

// heardSoFar appends the reports that wait: what a call said comes before its result.
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
