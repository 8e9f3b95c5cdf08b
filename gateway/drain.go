package gateway

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/windieos/windie/gateway/sockets"
)

// openRequests counts the requests that are being answered, those that began
// before draining apart from those since.
type openRequests struct {
	since atomic.Int32 // which of the counts a request that begins now goes to
	count [2]atomic.Int64
}

// begin counts a request, and returns the count to take it from at its end.
func (o *openRequests) begin() *atomic.Int64 {
	count := &o.count[o.since.Load()]
	count.Add(1)
	return count
}

// now is how many requests are being answered.
func (o *openRequests) now() int64 { return o.count[0].Load() + o.count[1].Load() }

// Draining checks every drainStep whether it is done. After the drain timeout no more
// requests are taken; streams get Times.Last to send what has happened, and requests to
// end, before they are cut off. Serve returns at most closeTime after the drain timeout,
// which is longer than fasthttp waits for connections that never sent anything.
const (
	drainStep = 5 * time.Millisecond
	closeTime = 6 * time.Second
)

// drain answers /ready with 503, and goes on as before for the drain delay: a
// load balancer needs a moment to notice. Then drain starts no turns, and returns
// when ctx ends, or when the open requests and the turns of this gateway have
// ended. Clients that watch such a turn see its end; other streams and sockets
// end at once. Requests that still arrive are answered until drain returns.
func (s *Server) drain(ctx context.Context) {
	s.Draining.Store(true)
	s.open.since.Store(1)
	tick := time.NewTicker(drainStep)
	defer tick.Stop()
	for until := time.Now().Add(s.app.DrainDelay); time.Now().Before(until) && ctx.Err() == nil; {
		<-tick.C
	}
	s.endAll()
	s.Sockets.Shut()
	turns := s.drainTurns(ctx)
	for !s.atRest(turns) {
		select {
		case <-ctx.Done():
			s.Log.Info("the drain timeout has passed: what has not ended is left, and goes on when a gateway runs again")
			s.endStreams()
			return
		case <-tick.C:
		}
	}
	s.Log.Debug("requests are refused now", slog.Int64("open", s.open.now()))
}

// drainTurns lets turns end, and returns a channel that closes when they have ended or ctx has.
func (s *Server) drainTurns(ctx context.Context) <-chan struct{} {
	turns := make(chan struct{})
	go func() {
		defer close(turns)
		if s.app.Sessions != nil {
			s.app.Sessions.Drain(ctx)
		}
	}()
	return turns
}

// atRest ends streams that have nothing more to send, and reports whether all work has ended.
func (s *Server) atRest(turns <-chan struct{}) bool {
	streams := s.Watchers.End(s.app.Sessions.Working)
	sockets := s.Sockets.Finish(func(c *sockets.Conn) bool { return c.Watching.Load() == 0 })
	select {
	case <-turns:
		return streams+sockets == 0 && s.open.count[0].Load() == 0
	default:
		return false
	}
}

// endStreams ends all streams, once they have sent what has happened.
func (s *Server) endStreams() {
	for until := time.Now().Add(s.app.Times.Last); time.Now().Before(until); time.Sleep(drainStep) {
		streams := s.Watchers.End(func(string) bool { return false })
		sockets := s.Sockets.Finish(func(c *sockets.Conn) bool { return c.Watching.Load() == 0 })
		if streams+sockets == 0 {
			return
		}
	}
	s.Sockets.Finish(func(*sockets.Conn) bool { return true })
}

// watchers are the streams of sessions' events to clients. A drain ends them.
type watchers struct {
	mu   sync.Mutex
	open map[*watcher]struct{}
}

// watcher is one of them.
type watcher struct {
	session string
	end     context.CancelFunc
}

// Add notes a stream of a session's events. When the returned context ends, the
// stream must send what has happened and end; it calls ended then.
func (w *watchers) Add(ctx context.Context, session string) (until context.Context, ended func()) {
	until, cancel := context.WithCancel(ctx)
	one := &watcher{session, cancel}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == nil {
		w.open = map[*watcher]struct{}{}
	}
	w.open[one] = struct{}{}
	return until, func() {
		cancel()
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.open, one)
	}
}

// End ends the streams of sessions that nobody works on, and returns how many
// streams there are, those included that are about to end.
func (w *watchers) End(working func(session string) bool) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	for one := range w.open {
		if !working(one.session) {
			one.end()
		}
	}
	return len(w.open)
}
