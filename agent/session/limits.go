package session

import (
	"cmp"
	"time"

	"github.com/windieos/windie/state/journal"
)

// Limits bound a turn. A zero takes the default.
type Limits struct {
	Rounds      int           // requests to the model; default 50
	Tokens      int           // of all rounds together; default 1,000,000
	WallTime    time.Duration // from the message to the end, with waits for people; default 1 h
	Repeated    int           // equal calls; default 3
	ResultBytes int           // of one result's text for the model; default 64 KiB
	Parallel    int           // tools of one answer that run at once; default 8
	Answer      time.Duration // wait for the client's result, or the user's approval; default 10 min
	Unaware     time.Duration // wait for an approval in sessions whose client may not know of it; default 2 min
}

// DefaultLimits returns the default of each limit.
func DefaultLimits() Limits {
	return Limits{Rounds: 50, Tokens: 1_000_000, WallTime: time.Hour, Repeated: 3, ResultBytes: 64 << 10, Parallel: 8, Answer: journal.DefaultExpiry, Unaware: 2 * time.Minute}
}

func (l Limits) withDefaults() Limits {
	preset := DefaultLimits()
	return Limits{
		Rounds: cmp.Or(l.Rounds, preset.Rounds), Tokens: cmp.Or(l.Tokens, preset.Tokens), WallTime: cmp.Or(l.WallTime, preset.WallTime),
		Repeated: cmp.Or(l.Repeated, preset.Repeated), ResultBytes: cmp.Or(l.ResultBytes, preset.ResultBytes), Parallel: cmp.Or(l.Parallel, preset.Parallel),
		Answer: cmp.Or(l.Answer, preset.Answer), Unaware: cmp.Or(l.Unaware, preset.Unaware),
	}
}
