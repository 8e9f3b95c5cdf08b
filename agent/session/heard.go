package session

import (
	"context"

	"github.com/windieos/windie/state/journal"
)

// KindHeard is the kind of the event in a session's control stream by which a
// gateway notes that a turn's end is sent to a client, or has reached it.
const KindHeard = "turn.heard"

// Heard says that a turn's end was sent to a client. The same message, sent after it,
// is new; before it, the client has missed the end.
type Heard struct {
	Turn string `json:"turn"`
}

func (Heard) kind() string { return KindHeard }

// NoteHeard notes that a turn's end is sent to a client.
func (s *Sessions) NoteHeard(ctx context.Context, id, turn string) error {
	_, err := s.appendTo(ctx, controlOf(id), Heard{turn})
	return err
}

// WasHeard reports whether the last turn's end was sent to a client, by any gateway.
func (s *Sessions) WasHeard(ctx context.Context, id string, last TurnStarted) (bool, error) {
	return s.hasControl(ctx, id, last.Control, func(e journal.Event) bool {
		heard, is, err := As[Heard](e)
		return is && err == nil && heard.Turn == last.Turn
	})
}

// hasControl reports whether a session's control stream has a wanted event after a cursor.
func (s *Sessions) hasControl(ctx context.Context, id string, after int64, wanted func(journal.Event) bool) (bool, error) {
	for e, err := range s.events(ctx, controlOf(id), after) {
		if err != nil || wanted(e) {
			return err == nil, err
		}
	}
	return false, nil
}
