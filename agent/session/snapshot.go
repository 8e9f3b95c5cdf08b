package session

import (
	"context"
	"errors"
	"log/slog"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/sdkapi"
)

// A session's state is kept now and then, between two turns, in a stream of
// its own that holds nothing but the last one. Who reads the session begins
// there. So that the session's events do not grow for ever, the oldest are
// forgotten, up to a mark: an older state that is kept likewise, and becomes
// the snapshot of those who come too late.
//
//	forgotten          kept for who comes back           read by load
//	                 |                                 |
//	-----------------+---------------------------------+-------------->
//	               mark                              state           seq
const (
	// snapshotEvery is how many events are read again, besides those of the
	// last turn, before the state is kept once more.
	snapshotEvery = 200

	// KeptEvents is how many events of a session are kept, besides those of
	// the last turn: at least half as many, and about as many at most.
	KeptEvents = 10_000

	// pieceBytes is how large an event with a piece of a state grows before the
	// next one is begun. A part of a message alone fits, as it came in an event.
	pieceBytes = 256 << 10

	// maxPieces bounds what is kept of one state. A larger one, of some 32 MB,
	// is read from all its events.
	maxPieces = 128
)

// KindSnapshot is the kind of a piece of a state, in the streams of states.
const KindSnapshot = "state.kept"

// piece is a part of a state. Those of one state are appended at once.
type piece struct {
	Of       int       `json:"of"`                 // how many there are
	State    *State    `json:"state,omitempty"`    // all but the messages and the memory; of the first piece
	Memory   *Recalled `json:"memory,omitempty"`   // of a piece without messages; there may be none
	Messages []Message `json:"messages,omitempty"` // the next ones
	Joined   bool      `json:"joined,omitempty"`   // the first of Messages belongs to the last one of the piece before
}

func (piece) kind() string { return KindSnapshot }

// errForgotten is the end of folding events of which the first are gone. The
// state that is kept has them.
var errForgotten = errors.New("the events are not kept any longer, and there is no snapshot; begin with Sessions.State")

// maxLoads is how often load begins again. Once is enough, unless thousands of
// events come in between.
const maxLoads = 3

// load reads a session's state, and says which number it was kept under last.
func (s *Sessions) load(ctx context.Context, id string) (state *State, kept int64, err error) {
	for range maxLoads {
		if state, err = s.keptState(ctx, stateOf(id)); err != nil {
			return nil, 0, err
		}
		kept = state.Seq
		if err = s.fold(ctx, id, state); !errors.Is(err, errForgotten) { // by another gateway, after it kept a newer state
			break
		}
	}
	if err != nil {
		return nil, 0, err
	}
	return state, kept, nil
}

// fold brings a state up to date.
func (s *Sessions) fold(ctx context.Context, id string, state *State) error {
	for {
		events, err := s.cfg.Journal.Read(ctx, streamOf(id), state.Seq, journal.MaxEvents)
		if err != nil || len(events) == 0 {
			return err
		}
		for _, e := range events {
			if err := state.Apply(e); err != nil {
				return fault.New("session.load", sdkapi.Internal, "the session cannot be read").Because(err)
			}
		}
	}
}

// keptState returns the state that a stream keeps, the zero one for none.
func (s *Sessions) keptState(ctx context.Context, stream string) (*State, error) {
	last, err := s.cfg.Journal.Append(ctx, stream)
	if err != nil || last == 0 {
		return &State{}, err
	}
	var pieces []piece
	for after := max(0, last-maxPieces); after < last; {
		events, err := s.cfg.Journal.Read(ctx, stream, after, journal.MaxEvents)
		if err != nil {
			return nil, err
		}
		if len(events) == 0 { // it was dropped
			break
		}
		for _, e := range events {
			after = e.Seq
			p, is, err := As[piece](e)
			switch {
			case err != nil:
				return nil, notWhole().Because(err)
			case is:
				pieces = append(pieces, p)
			}
		}
	}
	if len(pieces) == 0 || pieces[len(pieces)-1].Of > len(pieces) {
		return nil, notWhole()
	}
	return joined(pieces[len(pieces)-pieces[len(pieces)-1].Of:])
}

func notWhole() *fault.Error {
	return fault.New("session.load", sdkapi.Internal, "the state that was kept of the session is not whole")
}

// joined returns the state that pieces are of.
func joined(pieces []piece) (*State, error) {
	if len(pieces) == 0 || pieces[0].State == nil {
		return nil, notWhole()
	}
	state := pieces[0].State
	for _, p := range pieces {
		if p.Memory != nil {
			state.Memory = *p.Memory
		}
		messages := p.Messages
		if last := len(state.Messages) - 1; p.Joined && last >= 0 && len(messages) > 0 {
			state.Messages[last].Parts = append(state.Messages[last].Parts, messages[0].Parts...)
			messages = messages[1:]
		}
		state.Messages = append(state.Messages, messages...)
	}
	return state, nil
}

// split returns the pieces that a state is kept in.
func split(state *State) ([]piece, error) {
	head := *state
	head.Messages, head.Memory = nil, Recalled{}
	s := splitting{pieces: []piece{{State: &head}}}
	if state.Memory.Text != "" {
		s.pieces, s.size = append(s.pieces, piece{Memory: &state.Memory}), pieceBytes
	}
	for _, m := range state.Messages {
		run, from, size := m, 0, 0 // parts of m that stay together
		for i, p := range m.Parts {
			text, err := marshal(p)
			if err != nil {
				return nil, err
			}
			if size > 0 && size+len(text) > pieceBytes {
				run.Parts = m.Parts[from:i]
				s.add(run, size, from > 0)
				from, size = i, 0
			}
			size += len(text)
		}
		run.Parts = m.Parts[from:]
		s.add(run, size, from > 0)
	}
	for i := range s.pieces {
		s.pieces[i].Of = len(s.pieces)
	}
	return s.pieces, nil
}

// splitting is a split at work.
type splitting struct {
	pieces []piece
	size   int // of the last piece's messages
}

// add adds a message, or more of the one before.
func (s *splitting) add(m Message, size int, joined bool) {
	if joined || s.size+size > pieceBytes {
		s.pieces = append(s.pieces, piece{Joined: joined})
		s.size = 0
	}
	s.size += size
	last := &s.pieces[len(s.pieces)-1]
	last.Messages = append(last.Messages, m)
}

// tidy keeps the state of a session on which nobody works but w, where that is
// due, and forgets what is old. What fails is tried again after the next turn.
func (s *Sessions) tidy(ctx context.Context, id string, w *worker) {
	if w.state.Turn != nil || w.state.Seq-w.kept < snapshotEvery {
		return
	}
	err := s.keepState(ctx, w, stateOf(id))
	if err == nil {
		w.kept = w.state.Seq
		err = s.forget(ctx, id, w)
	}
	if err != nil {
		w.log.Warn("the state of a session is not kept", slog.Any("err", err))
	}
}

// keepState puts w's state in place of the one that a stream keeps.
func (s *Sessions) keepState(ctx context.Context, w *worker, stream string) error {
	pieces, err := split(w.state)
	if err != nil {
		return err
	}
	if len(pieces) > maxPieces {
		return tooLarge()
	}
	events := make([]Event, len(pieces))
	for i, p := range pieces {
		events[i] = p
	}
	list, err := encode(events)
	if err != nil {
		return err
	}
	size := 0
	for _, e := range list {
		size += len(e.Data)
	}
	if size > journal.MaxAppend {
		return tooLarge()
	}
	last, err := s.cfg.Journal.AppendAs(ctx, w.lease, stream, list...)
	if err != nil {
		return err
	}
	return s.cfg.Journal.Trim(ctx, stream, last-int64(len(list))+1, nil)
}

func tooLarge() error {
	return fault.New("session.keepState", sdkapi.StorageFull, "the session's state has more than %d pieces, or %d bytes", maxPieces, journal.MaxAppend)
}

// forget forgets a session's events before the mark, once there are many
// behind it, and marks where it will next.
func (s *Sessions) forget(ctx context.Context, id string, w *worker) error {
	if err := s.cfg.Journal.Trim(ctx, controlOf(id), w.state.Queued+1, nil); err != nil {
		return err
	}
	mark, err := s.keptState(ctx, markOf(id))
	if err != nil || w.state.Seq-mark.Seq < KeptEvents/2 {
		return err
	}
	snapshot, err := marshal(mark)
	if err != nil {
		return err
	}
	if len(snapshot) > journal.MaxValue {
		snapshot = nil // who comes too late asks for the state
	}
	if err := s.cfg.Journal.Trim(ctx, streamOf(id), mark.Seq+1, snapshot); err != nil {
		return err
	}
	return s.keepState(ctx, w, markOf(id))
}
