package session

import (
	"context"
	"errors"
	"log/slog"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// A session's state is stored from time to time, between two turns, in a stream that has only the
// last stored state. Readers of the session begin there. The oldest events are trimmed up to the
// mark: an older stored state, which is the snapshot for late readers.
//
//	trimmed            kept for clients that return      read by load
//	                 |                                 |
//	-----------------+---------------------------------+-------------->
//	               mark                              state           seq
const (
	// snapshotEvery is the number of events, not counting those of the last turn, after which the
	// state is stored again.
	snapshotEvery = 200

	// KeptEvents is the approximate maximum number of events that are stored for a session. The events of the last turn
	// do not count. When old events are removed, at least half of this number stays.
	KeptEvents = 10_000

	// pieceBytes is the size at which a new piece of a state begins. One part of a message always
	// fits, because it came in one event.
	pieceBytes = 256 << 10

	// maxPieces is the maximum number of pieces of one state. A larger state, of some 32 MB, is
	// read from all its events.
	maxPieces = 128
)

// maxLoads limits the tries of load. The second one succeeds, unless thousands of events come in
// between.
const maxLoads = 3

// load loads a session's state. kept is the number of the last event in the stored state.
func (s *Sessions) load(ctx context.Context, id string) (state *State, kept int64, err error) {
	for range maxLoads {
		if state, err = s.keptState(ctx, stateOf(id)); errors.Is(err, errForgotten) {
			continue
		} else if err != nil {
			return nil, 0, err
		}
		kept = state.Seq
		// Trimmed by another gateway, after it stored a newer state.
		if err = s.fold(ctx, id, state); !errors.Is(err, errForgotten) {
			break
		}
	}
	if err != nil {
		return nil, 0, err
	}
	return state, kept, nil
}

// fold applies new events to a state.
func (s *Sessions) fold(ctx context.Context, id string, state *State) error {
	for e, err := range s.events(ctx, streamOf(id), state.Seq) {
		if err != nil {
			return err
		}
		if err := state.Apply(e); err != nil {
			return fault.New("session.load", sdkapi.Internal, "the session's stored events are invalid; the gateway's log has the reason").Because(err)
		}
	}
	return nil
}

// keptState returns the state stored in a stream, or the zero state if there is none. It fails with
// errForgotten if a newer one replaces it meanwhile.
func (s *Sessions) keptState(ctx context.Context, stream string) (*State, error) {
	last, err := s.cfg.Journal.Append(ctx, stream)
	if err != nil || last == 0 {
		return &State{}, err
	}
	var pieces []piece
	for e, err := range s.events(ctx, stream, max(0, last-maxPieces)) {
		if err != nil {
			return nil, err
		}
		p, is, err := As[piece](e)
		switch {
		case err != nil:
			return nil, notWhole().Because(err)
		case is:
			pieces = append(pieces, p)
		}
		if e.Seq == last {
			break
		}
	}
	if len(pieces) == 0 || pieces[len(pieces)-1].Of > len(pieces) {
		switch now, err := s.cfg.Journal.Append(ctx, stream); {
		case err != nil:
			return nil, err
		case now != last: // a newer state replaced it meanwhile
			return nil, errForgotten
		}
		return nil, notWhole()
	}
	return joined(pieces[len(pieces)-pieces[len(pieces)-1].Of:])
}

// notWhole returns the error of a stored state with missing or invalid pieces.
func notWhole() *fault.Error {
	return fault.New("session.load", sdkapi.Internal, "the session snapshot is incomplete")
}

// joined joins the pieces of a state.
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

// split splits a state into pieces.
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

type splitting struct {
	pieces []piece
	size   int // of the last piece's messages
}

// add adds a message or, if joined is true, a further part of the previous one.
func (s *splitting) add(m Message, size int, joined bool) {
	if joined || s.size+size > pieceBytes {
		s.pieces = append(s.pieces, piece{Joined: joined})
		s.size = 0
	}
	s.size += size
	last := &s.pieces[len(s.pieces)-1]
	last.Messages = append(last.Messages, m)
}

// tidy stores w's state if that is due, and trims old events. After a failure, the next turn tries
// again.
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
		w.log.Warn("cannot store a session snapshot", slog.Any("err", err))
	}
}

// keepState replaces the state in a stream with w's.
func (s *Sessions) keepState(ctx context.Context, w *worker, stream string) error {
	pieces, err := split(w.state)
	if err != nil {
		return err
	}
	if len(pieces) > maxPieces {
		return tooLarge()
	}
	list, err := encode(pieces)
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

// tooLarge returns the error of a state that cannot be stored. The session still works: load reads all its events.
func tooLarge() error {
	return fault.New("session.keepState", sdkapi.StorageFull, "the session snapshot exceeds the limit of %d pieces or %d bytes", maxPieces, journal.MaxAppend)
}

// forget trims a session's events before the mark, if there are many after it, and sets the next
// mark.
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
		snapshot = nil // late readers call State
	}
	if err := s.cfg.Journal.Trim(ctx, streamOf(id), mark.Seq+1, snapshot); err != nil {
		return err
	}
	return s.keepState(ctx, w, markOf(id))
}
