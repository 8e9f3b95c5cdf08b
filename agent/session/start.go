package session

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// Busy selects what happens to a message that arrives while a turn is open.
type Busy string

// The values of Busy.
const (
	Reject    Busy = "reject"    // refuse the message with TURN_RUNNING
	Queue     Busy = "queue"     // queue the message until the end of the turn
	Interrupt Busy = "interrupt" // cancel the open turn, and wait for its end
)

// Started describes a message that a session has accepted.
type Started struct {
	Turn   string // id of the turn that the message begins
	Seq    int64  // number of the event that began the turn; 0 while the message is queued
	Queued bool   // whether the message waits until the open turn has ended
}

// Start adds a user's message to a session. The parameter busy selects what happens if a turn is open. When Start
// returns without an error, the message is on disk, and the turn will run to its end. Start fails with
// SESSION_NOT_FOUND if the user has no such session, with TURN_RUNNING if a turn is open and busy is Reject, and with
// OVERLOADED if the gateway is stopping or too many messages are waiting.
func (s *Sessions) Start(ctx context.Context, id, user string, parts []Part, busy Busy) (Started, error) {
	return s.start(ctx, id, user, Queued{Parts: parts}, busy, func(*State) error { return nil })
}

// StartQuery works like Start, but also stores query, the client's id for the message. CancelQuery finds the message by
// this id. Different messages may have the same id. If an equal message with the same id is already waiting, or if
// the open turn began with it, StartQuery adds nothing and returns a zero Started.
func (s *Sessions) StartQuery(ctx context.Context, id, user, query string, parts []Part, busy Busy) (Started, error) {
	started, err := s.start(ctx, id, user, Queued{Query: query, Parts: parts}, busy, func(state *State) error {
		if state.answers(query, parts) {
			return errSame
		}
		return nil
	})
	if errors.Is(err, errSame) {
		return Started{}, nil
	}
	return started, err
}

// StartAs works like Start, but also stores ref with the turn. The parameter ref is the client's id for the message.
// The parameter began must be the current State.Began. If another turn has begun in the meantime, StartAs fails with
// TURN_RUNNING. Therefore a message that a client sends twice begins only one turn.
func (s *Sessions) StartAs(ctx context.Context, id, user, ref string, began int64, parts []Part) (Started, error) {
	return s.start(ctx, id, user, Queued{Ref: ref, Parts: parts}, Reject, func(state *State) error {
		if state.Began != began {
			return running()
		}
		return nil
	})
}

// StartOnce works like Start, but ignores a message that the client sends again, and returns a zero Started for it. The
// parameter ref is the client's id for the message. It must not be empty. StartOnce knows the ids of waiting messages
// and of the last maxRefs turns.
func (s *Sessions) StartOnce(ctx context.Context, id, user, ref string, parts []Part, busy Busy) (Started, error) {
	started, err := s.start(ctx, id, user, Queued{Ref: ref, Parts: parts}, busy, func(state *State) error {
		if state.Said(ref) {
			return errSame
		}
		return nil
	})
	if fault.CodeOf(err) == sdkapi.TurnRunning { // perhaps on this message
		if state, failed := s.State(ctx, id, user); failed == nil && state.Said(ref) {
			err = errSame
		}
	}
	if errors.Is(err, errSame) {
		return Started{}, nil
	}
	return started, err
}

// errSame refuses a message that the session has already.
var errSame = errors.New("the session already has this message")

// start begins a turn with a message if may allows it.
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
		return Started{Turn: said.Turn, Queued: true}, s.queue(ctx, id, user, said, busy, may)
	case err != nil:
		return Started{}, err
	}
	if err = s.owns(w.state, user); err == nil {
		err = may(w.state)
	}
	if err == nil {
		err = s.admit(ctx, user)
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

// beginAtOnce opens a turn with a message that was not queued.
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
	if len(waiting) == 0 { // the queue was read up to control
		queued = control
	}
	return s.begin(ctx, w, said, control, queued)
}

// begin opens a turn. Events of the control stream up to control do not concern it; entries of its
// queue up to queued were taken.
func (s *Sessions) begin(ctx context.Context, w *worker, said Queued, control, queued int64) error {
	fence := newFence()
	return w.append(ctx, append(s.recall(ctx, w.state, fence), TurnStarted{
		Turn: said.Turn, Ref: said.Ref, Started: time.Now().UTC(), Fence: fence, Parts: said.Parts, Control: control, Queued: queued, Install: said.Install,
		Query: said.Query,
	})...)
}

// queue queues a message until the open turn has ended, if may allows it and the queue does not
// have the same message.
func (s *Sessions) queue(ctx context.Context, id, user string, said Queued, busy Busy, may func(*State) error) error {
	state, err := s.State(ctx, id, user)
	if err == nil {
		err = may(state)
	}
	if err != nil {
		return err
	}
	waiting, err := s.waiting(ctx, id, state)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(waiting, said.isSame) {
		return errSame
	}
	if len(waiting) >= MaxQueued {
		return fault.New("session.queue", sdkapi.Overloaded, "the session already has %d queued messages, the maximum; send the message again after the next answer", MaxQueued)
	}
	if err := s.admit(ctx, user); err != nil {
		return err
	}
	seq, err := s.appendTo(ctx, controlOf(id), said)
	if err != nil {
		return err
	}
	if busy == Interrupt && state.Turn != nil {
		if _, err := s.appendTo(ctx, controlOf(id), CancelAsked{state.Turn.ID}); err != nil {
			return err
		}
	}
	return s.noticed(ctx, id, seq)
}

// isSame reports whether an event is the same message: by its ref, or by its query and content.
func (q Queued) isSame(e journal.Event) bool {
	said, is, err := As[Queued](e)
	switch {
	case !is || err != nil || said.Ref != q.Ref || said.Query != q.Query:
		return false
	case q.Ref != "":
		return true
	}
	return q.Query != "" && sameParts(said.Parts, q.Parts)
}

// noticeEvery is the pause between two checks of noticed.
const noticeEvery = 20 * time.Millisecond

// noticed waits until a worker has taken, or will take, message seq from the queue. The worker of
// an open turn does so at the turn's end. If no turn is open, a worker may have checked the queue
// too early and still have the lease; then noticed takes the lease as soon as it is free.
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
		if err := background.Sleep(ctx, noticeEvery); err != nil {
			return fault.From(err)
		}
	}
}

// waiting returns the queued messages that began no turn and were not canceled, without those
// before the deletion of the session.
func (s *Sessions) waiting(ctx context.Context, id string, state *State) (queued []journal.Event, err error) {
	for e, err := range s.events(ctx, controlOf(id), state.Queued) {
		if err != nil {
			return queued, err
		}
		switch e.Kind {
		case KindQueued:
			queued = append(queued, e)
		case KindCancelAsked:
			queued, err = without(queued, e)
		case KindDeleteAsked:
			queued = nil
		}
		if err != nil {
			return queued, err
		}
	}
	return queued, nil
}

// without returns queued, less the messages that cancels names.
func without(queued []journal.Event, cancels journal.Event) (left []journal.Event, err error) {
	return slices.DeleteFunc(queued, func(e journal.Event) bool {
		said, _, failed := As[Queued](e)
		if failed != nil {
			err = failed
		}
		return failed == nil && asksFor(cancels, said.Turn)
	}), err
}

// beginQueued opens a turn with the oldest waiting message, if there is one.
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
	// A cancel counts if it came after the message was queued.
	return s.begin(ctx, w, said, waiting[0].Seq, waiting[0].Seq)
}

// Cancel asks the turn's worker to end the turn. The turn then ends in less than a second. It may also end by itself
// before the worker acts.
func (s *Sessions) Cancel(ctx context.Context, id, user, turn string) error {
	if _, err := s.State(ctx, id, user); err != nil {
		return err
	}
	_, err := s.appendTo(ctx, controlOf(id), CancelAsked{turn})
	return err
}

// CancelQuery finds a message by the id that StartQuery or StartAs has stored, and cancels the message. If the message
// began the open turn, CancelQuery ends the turn. If the message waits, CancelQuery removes it. It returns the id of
// the turn, and whether the message was waiting. If it finds no message, the id is empty.
func (s *Sessions) CancelQuery(ctx context.Context, id, user, query string) (turn string, waited bool, err error) {
	state, err := s.State(ctx, id, user)
	if err != nil || query == "" {
		return "", false, err
	}
	waiting, err := s.waiting(ctx, id, state)
	if err != nil {
		return "", false, err
	}
	for _, e := range waiting {
		if said, is, err := As[Queued](e); is && err == nil && said.Query == query {
			return said.Turn, true, s.Cancel(ctx, id, user, said.Turn)
		}
	}
	state, err = s.State(ctx, id, user) // it may have begun since
	if err != nil || state.Turn == nil || state.QueryID() != query {
		return "", false, err
	}
	return state.Turn.ID, false, s.Cancel(ctx, id, user, state.Turn.ID)
}

// admit charges a user for a turn that is about to begin or to wait. All protocols begin turns
// here, so it applies to all of them.
func (s *Sessions) admit(ctx context.Context, user string) error {
	if err := s.cfg.Budget(ctx, user); err != nil {
		return err
	}
	got := s.turns.Take(user, 1)
	if got.OK {
		return nil
	}
	f := fault.New("session.admit", sdkapi.RateLimited, "").After(got.Retry)
	f.Message = fmt.Sprintf("turns are limited to %d per minute for each user; try again in %d s", got.Limit, f.Details.RetryAfter)
	return f
}

// NoteHeard records that a client has received the end of a turn.
func (s *Sessions) NoteHeard(ctx context.Context, id, turn string) error {
	_, err := s.appendTo(ctx, controlOf(id), Heard{turn})
	return err
}

// WasHeard reports whether a client has received the end of a turn, as recorded by NoteHeard. turn
// is the start of the session's last turn.
func (s *Sessions) WasHeard(ctx context.Context, id string, turn TurnStarted) (bool, error) {
	return s.hasControl(ctx, id, turn.Control, func(e journal.Event) bool {
		heard, is, err := As[Heard](e)
		return is && err == nil && heard.Turn == turn.Turn
	})
}

// hasControl reports whether a session's control stream has, after a cursor, an event for which
// wanted returns true.
func (s *Sessions) hasControl(ctx context.Context, id string, after int64, wanted func(journal.Event) bool) (bool, error) {
	for e, err := range s.events(ctx, controlOf(id), after) {
		if err != nil || wanted(e) {
			return err == nil, err
		}
	}
	return false, nil
}
