package session

import (
	"context"

	"github.com/windieos/windie/journal"
)

// Asked returns the question of an approval, as in the session's events. It is
// not ok if no session waits for the answer: the turn has ended since, or the
// question is not about a call of a turn.
func (s *Sessions) Asked(ctx context.Context, d journal.Decision) (asked ApprovalRequested, ok bool, err error) {
	id, ok := Of(d)
	if !ok || d.Kind != Approval {
		return asked, false, nil
	}
	state, _, err := s.load(ctx, id)
	if err != nil {
		return asked, false, err
	}
	if c := state.Turn.asking(d); c == nil || c.Phase != CallAsked {
		return asked, false, nil
	}
	for e, err := range s.events(ctx, d.Stream, state.Began-1) {
		if err != nil {
			return asked, false, err
		}
		asked, is, err := As[ApprovalRequested](e)
		if err != nil || is && asked.Decision == d.ID {
			return asked, err == nil, err
		}
	}
	return asked, false, nil
}
