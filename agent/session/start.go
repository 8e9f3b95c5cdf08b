package session

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/sdkapi"
)

// Busy says what becomes of a message that comes while a turn is open.
type Busy string

// The ways to be busy.
const (
	Reject    Busy = "reject"    // TURN_RUNNING
	Queue     Busy = "queue"     // it waits for the turn's end
	Interrupt Busy = "interrupt" // likewise, and the turn is canceled
)

// MaxQueued bounds how many messages of a session wait.
const MaxQueued = 20

// Started is a message that a session was given.
type Started struct {
	Turn   string // that it begins
	Seq    int64  // of the event that began it; 0 while it is queued
	Queued bool   // once the open one has ended
}

// Start gives a session a user's message, on disk before it returns, and works
// on it until the turn has ended, however long that takes.
func (s *Sessions) Start(ctx context.Context, id, user string, parts []Part, busy Busy) (Started, error) {
	return s.start(ctx, id, user, Queued{Parts: parts}, busy, func(*State) error { return nil })
}

// StartAs is Start for a message that the client has a name for, which the
// turn's first event tells. Began is the State's that the client goes by: where
// another turn has begun since, it is TURN_RUNNING, even if that has ended. So a
// message that is sent twice at once begins one turn.
func (s *Sessions) StartAs(ctx context.Context, id, user, ref string, began int64, parts []Part) (Started, error) {
	return s.start(ctx, id, user, Queued{Ref: ref, Parts: parts}, Reject, func(state *State) error {
		if state.Began != began {
			return running()
		}
		return nil
	})
}

// start begins a turn of a session of which may has nothing against it.
func (s *Sessions) start(ctx context.Context, id, user string, said Queued, busy Busy, may func(*State) error) (Started, error) {
	if err := s.stopping(); err != nil {
		return Started{}, err
	}
	said.Turn, said.Install = "turn_"+strings.ToLower(rand.Text()), installOf(ctx)
	w, err := s.take(ctx, id)
	if err == nil && w.state.Turn != nil { // of a gateway that is gone
		s.work(id, w)
		err = running()
	}
	switch {
	case fault.CodeOf(err) == sdkapi.TurnRunning && busy != Reject:
		return Started{Turn: said.Turn, Queued: true}, s.queue(ctx, id, user, said, busy)
	case err != nil:
		return Started{}, err
	}
	if err = s.owns(w.state, user); err == nil {
		err = may(w.state)
	}
	if err == nil {
		err = s.beginAtOnce(ctx, id, w, said)
	}
	if err != nil {
		s.leave(ctx, id, w)
		return Started{}, err
	}
	started := Started{Turn: said.Turn, Seq: w.state.Seq}
	s.work(id, w)
	return started, nil
}

// beginAtOnce opens a turn with a message that did not wait.
func (s *Sessions) beginAtOnce(ctx context.Context, id string, w *worker, said Queued) error {
	control, err := s.cfg.Journal.Append(ctx, controlOf(id))
	if err != nil {
		return err
	}
	waiting, err := s.waiting(ctx, id, w.state)
	if err != nil {
		return err
	}
	queued := w.state.Queued
	if len(waiting) == 0 { // nothing up to control is of use any longer
		queued = control
	}
	return s.begin(ctx, w, said, control, queued)
}

// begin opens a turn. What the control stream has up to control is not about
// it, and of its queue all up to queued has been taken.
func (s *Sessions) begin(ctx context.Context, w *worker, said Queued, control, queued int64) error {
	fence := newFence()
	return w.append(ctx, append(s.recall(ctx, w.state, fence), TurnStarted{
		Turn: said.Turn, Ref: said.Ref, Started: time.Now().UTC(), Fence: fence, Parts: said.Parts, Control: control, Queued: queued, Install: said.Install,
	})...)
}

// queue keeps a message until the open turn has ended.
func (s *Sessions) queue(ctx context.Context, id, user string, said Queued, busy Busy) error {
	state, err := s.State(ctx, id, user)
	if err != nil {
		return err
	}
	waiting, err := s.waiting(ctx, id, state)
	if err != nil {
		return err
	}
	if len(waiting) >= MaxQueued {
		return fault.New("session.queue", sdkapi.Overloaded, "%d messages wait for this session already; wait for its answers", MaxQueued)
	}
	seq, err := s.control(ctx, id, said)
	if err != nil {
		return err
	}
	if busy == Interrupt && state.Turn != nil {
		if _, err := s.control(ctx, id, CancelAsked{state.Turn.ID}); err != nil {
			return err
		}
	}
	return s.noticed(ctx, id, seq)
}

// noticeEvery is how often noticed looks.
const noticeEvery = 20 * time.Millisecond

// noticed returns when it is sure that somebody takes up the message of that
// number: a turn that is open has a worker, now or when its lease has run out,
// and whoever ends a turn looks for messages. Where none is open, somebody may
// have looked before the message came and be about to give the lease back: then
// it is taken here, as soon as it can be.
func (s *Sessions) noticed(ctx context.Context, id string, seq int64) error {
	for {
		state, _, err := s.load(ctx, id)
		if err != nil || state.Turn != nil || state.Queued >= seq {
			return err
		}
		w, err := s.take(ctx, id)
		if err == nil {
			s.work(id, w)
			return nil
		}
		if fault.CodeOf(err) != sdkapi.TurnRunning {
			return err
		}
		select {
		case <-ctx.Done():
			return fault.From(ctx.Err())
		case <-time.After(noticeEvery):
		}
	}
}

// waiting returns the entries of the queue that no turn has begun with.
func (s *Sessions) waiting(ctx context.Context, id string, state *State) ([]journal.Event, error) {
	var queued []journal.Event
	for after := state.Queued; ; {
		events, err := s.cfg.Journal.Read(ctx, controlOf(id), after, journal.MaxEvents)
		if err != nil || len(events) == 0 {
			return queued, err
		}
		for _, e := range events {
			if after = e.Seq; e.Kind == KindQueued {
				queued = append(queued, e)
			}
		}
	}
}

// beginQueued opens a turn with the message that has waited longest, if there
// is one.
func (s *Sessions) beginQueued(ctx context.Context, id string, w *worker) error {
	waiting, err := s.waiting(ctx, id, w.state)
	if err == nil {
		waiting, err = s.stillWaiting(ctx, w, waiting)
	}
	if err != nil || len(waiting) == 0 {
		return err
	}
	if err := s.stopping(); err != nil {
		return err
	}
	said, _, err := As[Queued](waiting[0])
	if err != nil {
		return err
	}
	return s.begin(ctx, w, said, waiting[0].Seq, waiting[0].Seq) // what was asked since it was queued counts
}

// Cancel asks whoever works on a turn to end it, which takes less than a
// second. The turn may have ended by itself meanwhile.
func (s *Sessions) Cancel(ctx context.Context, id, user, turn string) error {
	if _, err := s.State(ctx, id, user); err != nil {
		return err
	}
	_, err := s.control(ctx, id, CancelAsked{turn})
	return err
}

// control tells those who work on a session something, under a number.
func (s *Sessions) control(ctx context.Context, id string, e Event) (seq int64, err error) {
	told, err := encode([]Event{e})
	if err != nil {
		return 0, err
	}
	return s.cfg.Journal.Append(ctx, controlOf(id), told...)
}
