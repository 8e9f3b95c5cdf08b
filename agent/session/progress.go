package session

import (
	"context"
	"sync"
	"time"
)

// Bounds of what a running call may report: more is dropped.
const (
	progressEvery   = time.Second // between two lines of a call
	maxProgress     = 200         // lines of a call
	maxProgressText = 500         // bytes of a line
	maxHeard        = 16          // lines that wait to be appended
)

// hearer returns what hears how far a call is, from several goroutines. It waits for nothing: lines that come too
// often are dropped.
func hearer(heard chan<- Progressed, turn, call string) func(string) {
	var mu sync.Mutex
	var last time.Time
	lines := 0
	return func(text string) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); text == "" || lines == maxProgress || lines > 0 && now.Sub(last) < progressEvery {
			return
		}
		select {
		case heard <- Progressed{Turn: turn, Call: call, Message: shorten(text, maxProgressText)}:
			last, lines = time.Now(), lines+1
		default:
		}
	}
}

// hear appends a line of a call, unless it came after the call's result.
func (w *worker) hear(ctx context.Context, e Progressed) error {
	if c := w.state.Turn.call(e.Call); c == nil || c.Phase != CallStarted {
		return nil
	}
	return w.append(ctx, e)
}

// heardSoFar appends the lines that wait: what a call said comes before its result.
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
