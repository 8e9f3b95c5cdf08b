package session

import (
	"cmp"
	"time"

	"github.com/windieos/windie/journal"
)

// Limits bound a turn. A zero takes the default.
type Limits struct {
	Rounds      int           // times that the model is asked; default 50
	Tokens      int           // of all rounds together; default 1,000,000
	WallTime    time.Duration // from the message to the end, waiting for people included; default 1 h
	Repeated    int           // times that the very same call is made; default 3
	ResultBytes int           // of one result's text that the model is shown; default 64 KiB
	Parallel    int           // tools of one answer that run at once; default 8
	ClientWait  time.Duration // for what came of a call at the client; default journal.DefaultExpiry
}

// DefaultLimits returns the limits of who sets none.
func DefaultLimits() Limits {
	return Limits{Rounds: 50, Tokens: 1_000_000, WallTime: time.Hour, Repeated: 3, ResultBytes: 64 << 10, Parallel: 8, ClientWait: journal.DefaultExpiry}
}

func (l Limits) withDefaults() Limits {
	preset := DefaultLimits()
	return Limits{
		Rounds: cmp.Or(l.Rounds, preset.Rounds), Tokens: cmp.Or(l.Tokens, preset.Tokens), WallTime: cmp.Or(l.WallTime, preset.WallTime),
		Repeated: cmp.Or(l.Repeated, preset.Repeated), ResultBytes: cmp.Or(l.ResultBytes, preset.ResultBytes), Parallel: cmp.Or(l.Parallel, preset.Parallel),
		ClientWait: cmp.Or(l.ClientWait, preset.ClientWait),
	}
}
