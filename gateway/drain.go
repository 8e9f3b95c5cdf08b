package gateway

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/windieos/windie/gateway/sockets"
)

// openRequests counts open requests. It counts requests that began before draining separately
// from later ones.
type openRequests struct {
	since atomic.Int32 // index of the count for new requests: 0 before draining, then 1
	count [2]atomic.Int64
}

// begin counts a request and returns the count that the caller decrements when it ends.
func (o *openRequests) begin() *atomic.Int64 {
	count := &o.count[o.since.Load()]
	count.Add(1)
	return count
}

// now returns the number of open requests.
func (o *openRequests) now() int64 { return o.count[0].Load() + o.count[1].Load() }

// Draining checks every drainStep whether all work has ended. After the drain timeout, the
// gateway refuses requests, gives open streams and requests Times.Last to finish, and then cuts
// them off. Serve returns at most closeTime after the drain timeout. closeTime is longer than
// fasthttp waits for connections that never sent a byte.
const (
	drainStep = 5 * time.Millisecond
	closeTime = 6 * time.Second
)

// drain makes /ready answer 503 and, for the drain delay, changes nothing else: a load
// balancer needs a moment to notice. Then new turns are refused. drain returns when ctx ends,
// or when the open requests and the turns of this gateway have ended. Clients that watch such
// a turn see its end; other streams and sockets end at once. The gateway answers new requests
// until drain returns.
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
			s.Log.Info("the drain timeout has passed: unfinished turns stop now and continue when a gateway runs again")
			s.endStreams()
			return
		case <-tick.C:
		}
	}
	s.Log.Debug("new requests are refused: the gateway is stopping", slog.Int64("open", s.open.now()))
}

// drainTurns refuses new turns and returns a channel that closes when all turns have ended or
// ctx has.
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

// atRest ends streams that have nothing more to send and reports whether all work has ended.
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

// endStreams ends all streams after they have sent their pending events, at the latest after
// Times.Last.
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

// watchers tracks the open event streams of sessions, so that a drain can end them. The zero
// value is ready to use.
type watchers struct {
	mu   sync.Mutex
	open map[*watcher]struct{}
}

// watcher is one open event stream.
type watcher struct {
	session string
	end     context.CancelFunc
}

// Add registers an open event stream of a session, so that the gateway can end the stream when it
// drains. When the returned context ends, the stream must send its pending events and end. When the
// stream has ended, the caller must call release.
func (w *watchers) Add(ctx context.Context, session string) (stream context.Context, release func()) {
	stream, cancel := context.WithCancel(ctx)
	one := &watcher{session, cancel}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == nil {
		w.open = map[*watcher]struct{}{}
	}
	w.open[one] = struct{}{}
	return stream, func() {
		cancel()
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.open, one)
	}
}

// End ends the event streams of each session, unless working returns true for the session. It does
// not wait for the streams, and returns the number of open streams.
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
