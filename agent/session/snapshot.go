package session

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"

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

	pieceBytes = 512 << 10 // of a state, in one event: less than journal.MaxData in base64
	maxPieces  = 64        // of one state. A larger one, of 32 MB, is folded from its events
)

// KindSnapshot is the kind of a piece of a state, in the streams of states.
const KindSnapshot = "state.kept"

// piece is a part of a state's JSON. Those of one state are appended at once.
type piece struct {
	Of   int    `json:"of"` // how many there are
	Text []byte `json:"text"`
}

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
	events, err := s.cfg.Journal.Read(ctx, stream, max(0, last-maxPieces), journal.MaxEvents)
	if err != nil {
		return nil, err
	}
	var text []byte
	for left, e := range slices.Backward(events) { // from the last piece back to the first
		var p piece
		if err = json.Unmarshal(e.Data, &p); err != nil || e.Kind != KindSnapshot {
			break
		}
		text = append(p.Text, text...)
		if len(events)-left == p.Of {
			state := &State{}
			return state, json.Unmarshal(text, state)
		}
	}
	return nil, fault.New("session.load", sdkapi.Internal, "the state that was kept of the session is not whole").Because(err)
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
	text, err := json.Marshal(w.state)
	if err != nil {
		return err
	}
	pieces := slices.Collect(slices.Chunk(text, pieceBytes))
	if len(pieces) > maxPieces {
		return fault.New("session.keepState", sdkapi.StorageFull, "the session's state has %d bytes, of at most %d", len(text), maxPieces*pieceBytes)
	}
	events := make([]event, len(pieces))
	for i, p := range pieces {
		events[i] = event{KindSnapshot, piece{len(pieces), p}}
	}
	list, err := encode(events)
	if err != nil {
		return err
	}
	last, err := s.cfg.Journal.AppendAs(ctx, w.lease, stream, list...)
	if err != nil {
		return err
	}
	return s.cfg.Journal.Trim(ctx, stream, last-int64(len(list))+1, nil)
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
	snapshot, err := json.Marshal(mark)
	if err != nil {
		return err
	}
	if len(snapshot) > journal.MaxData {
		snapshot = nil // who comes too late asks for the state
	}
	if err := s.cfg.Journal.Trim(ctx, streamOf(id), mark.Seq+1, snapshot); err != nil {
		return err
	}
	return s.keepState(ctx, w, markOf(id))
}
