package session

import (
	"context"
	"strings"

	"github.com/windieos/windie/journal"
)

// Asked returns what an approval is asked for, as the session told those who
// watch it. It is not ok where no session waits for the answer: the turn has
// ended since, or the question is about something else than a call of a turn.
func (s *Sessions) Asked(ctx context.Context, d journal.Decision) (asked ApprovalRequested, ok bool, err error) {
	id, ok := strings.CutPrefix(d.Stream, streamOf(""))
	if !ok || d.Kind != Approval {
		return asked, false, nil
	}
	state, _, err := s.load(ctx, id)
	if err != nil || !state.asks(d.ID) {
		return asked, false, err
	}
	for after := state.Began - 1; ; {
		events, err := s.cfg.Journal.Read(ctx, d.Stream, after, journal.MaxEvents)
		if err != nil || len(events) == 0 {
			return asked, false, err
		}
		for _, e := range events {
			after = e.Seq
			asked, is, err := As[ApprovalRequested](e)
			if err != nil || is && asked.Decision == d.ID {
				return asked, err == nil, err
			}
		}
	}
}

// asks reports whether a call of the open turn waits for that decision.
func (s *State) asks(decision string) bool {
	if s.Turn == nil {
		return false
	}
	for _, c := range s.Turn.in(CallAsked) {
		if c.Decision == decision {
			return true
		}
	}
	return false
}
