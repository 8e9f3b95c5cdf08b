package session

import (
	"context"

	"github.com/windieos/windie/journal"
)

// KindHeard is the kind of the event in a session's control stream by which a
// gateway notes that a turn's end has come to a client.
const KindHeard = "turn.heard"

// Heard says that somebody was told how a turn ended. A client that says the
// same again behind it says something new; before it, it may have missed the end.
type Heard struct {
	Turn string `json:"turn"`
}

func (Heard) kind() string { return KindHeard }

// NoteHeard notes that a client was told how a turn ended.
func (s *Sessions) NoteHeard(ctx context.Context, id, turn string) error {
	_, err := s.control(ctx, id, Heard{turn})
	return err
}

// WasHeard reports whether a client was told how the last turn ended, on
// whichever gateway.
func (s *Sessions) WasHeard(ctx context.Context, id string, last TurnStarted) (bool, error) {
	for after := last.Control; ; {
		events, err := s.cfg.Journal.Read(ctx, controlOf(id), after, journal.MaxEvents)
		if err != nil || len(events) == 0 {
			return false, err
		}
		for _, e := range events {
			after = e.Seq
			if heard, is, err := As[Heard](e); is && err == nil && heard.Turn == last.Turn {
				return true, nil
			}
		}
	}
}
