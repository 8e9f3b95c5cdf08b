package session

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/meter"
	"github.com/windieos/windie/internal/ratelimit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// Sessions gives one gateway access to all sessions of a deployment. Make one with New. Its methods
// are safe for concurrent use.
type Sessions struct {
	cfg  Config
	ctx  context.Context // of the turns that run here
	stop context.CancelCauseFunc
	all  sync.WaitGroup

	texts    *texts
	held     held // turns that run here
	figures  figures
	turns    *ratelimit.Limiter
	workers  *workers
	draining context.Context // ends when no more turns begin here
	drain    context.CancelCauseFunc
}

// New returns the sessions in the journal of cfg. The caller must call Close.
func New(cfg Config) *Sessions {
	s := &Sessions{cfg: cfg.withDefaults(), workers: newWorkers(), texts: newTexts(cfg.Journal), turns: ratelimit.New(cfg.UserTurns, turnsPer)}
	s.ctx, s.stop = context.WithCancelCause(context.Background())
	s.draining, s.drain = context.WithCancelCause(s.ctx)
	return s
}

// closeTime is how long Close waits for models and tools that do not stop.
const closeTime = 10 * time.Second

// Close stops all turns on this gateway. Another gateway takes them over, or this gateway after a
// restart. To let turns end, call Drain before Close. Close may be called twice.
func (s *Sessions) Close() {
	s.workers.shut()
	s.stop(errStopping)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.all.Wait()
	}()
	wait := time.NewTimer(closeTime)
	defer wait.Stop()
	select {
	case <-ended:
	case <-wait.C:
		s.cfg.Log.Warn("a model or a tool did not stop in time; the gateway no longer waits for it")
	}
}

// stopping returns OVERLOADED once no more turns begin here.
func (s *Sessions) stopping() error {
	if s.draining.Err() == nil {
		return nil
	}
	return fault.New("session.start", sdkapi.Overloaded, "the gateway is stopping and starts no new turns; send the message again in a few seconds")
}

// Figures returns the counts so far.
func (s *Sessions) Figures() TurnFigures {
	out := TurnFigures{Running: s.held.count(), Took: map[string]meter.Histogram{}, Ends: map[string]map[EndReason]uint64{}}
	s.figures.mu.Lock()
	defer s.figures.mu.Unlock()
	for protocol, took := range s.figures.took {
		out.Took[protocol], out.Ends[protocol] = took.Histogram(), map[EndReason]uint64{}
	}
	for end, n := range s.figures.ends {
		out.Ends[end.protocol][end.reason] = n
	}
	return out
}

// turnsPer is the period of Config.UserTurns.
const turnsPer = time.Minute

// events yields the events of a stream from a cursor to the end. It stops at the first error, which
// it yields.
func (s *Sessions) events(ctx context.Context, stream string, after int64) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		for {
			list, err := s.cfg.Journal.Read(ctx, stream, after, journal.MaxEvents)
			if err != nil {
				yield(journal.Event{}, err)
			}
			if err != nil || len(list) == 0 {
				return
			}
			for _, e := range list {
				if after = e.Seq; !yield(e, nil) {
					return
				}
			}
		}
	}
}
