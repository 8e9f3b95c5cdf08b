package session

import "time"

// Limits bound a turn. A zero takes the default.
type Limits struct {
	Rounds      int           // times that the model is asked; default 50
	Tokens      int           // of all rounds together; default 1,000,000
	WallTime    time.Duration // from the message to the end, waiting for people included; default 1 h
	Repeated    int           // times that the very same call is made; default 3
	ResultBytes int           // of one result's text that the model is shown; default 64 KiB
	Parallel    int           // tools of one answer that run at once; default 8
}

func (l Limits) withDefaults() Limits {
	set := func(n *int, to int) {
		if *n == 0 {
			*n = to
		}
	}
	set(&l.Rounds, 50)
	set(&l.Tokens, 1_000_000)
	set(&l.Repeated, 3)
	set(&l.ResultBytes, 64<<10)
	set(&l.Parallel, 8)
	if l.WallTime == 0 {
		l.WallTime = time.Hour
	}
	return l
}
