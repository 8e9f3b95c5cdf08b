package sqljournal

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// Limits of the events that a follower has in memory.
const (
	followEvents = 256
	followBytes  = 1 << 20
)

// If the database fails, a follower retries every awayPause for at most awayTime. A database
// restart takes less.
const (
	awayTime  = 30 * time.Second
	awayPause = 100 * time.Millisecond
)

// Follow implements journal.Log.
func (j *Journal) Follow(ctx context.Context, stream string, after int64) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		if err := journal.CheckRead(stream, after, 1); err != nil {
			yield(journal.Event{}, err)
			return
		}
		f := follower{journal: j, watch: j.hub.watchStream(stream), cursor: after}
		defer j.hub.leave(f.watch)
		for {
			events, err := f.next(ctx)
			if err != nil {
				yield(journal.Event{}, err)
				return
			}
			for _, e := range events {
				if ctx.Err() != nil {
					break // next returns the error
				}
				f.cursor = e.Seq
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// follower is one call of Follow.
type follower struct {
	journal *Journal
	watch   *watch
	cursor  int64
	stream  int64 // the stream's id; 0 while it does not exist
	current bool  // whether the follower has caught up

	asked  bool      // whether the last read returned every event that the database had
	looked bool      // whether the follower has read at least once
	away   time.Time // when the database began to fail; zero while it works
}

// next waits for events after the cursor, and returns them.
func (f *follower) next(ctx context.Context) ([]journal.Event, error) {
	for {
		if err := f.journal.usable(ctx); err != nil {
			return nil, err
		}
		told, gap := f.journal.hub.next(f.watch, f.stream, f.cursor)
		if len(told) > 0 {
			return told, nil
		}
		f.asked = f.asked && !gap
		if !f.asked {
			asked, err := f.ask(ctx)
			if len(asked) > 0 || err != nil {
				return asked, err
			}
			continue
		}
		select {
		case <-f.watch.told:
		case <-f.watch.woken:
			f.asked = false
		case <-ctx.Done():
		case <-f.journal.closed:
		}
	}
}

// ask reads the next events from the database. If the database is away, it waits for awayPause and returns nothing, and
// the caller asks again.
func (f *follower) ask(ctx context.Context) ([]journal.Event, error) {
	p, err := f.journal.look(ctx, f.watch.stream, f.cursor, followEvents, followBytes)
	if f.isAway(err) {
		f.journal.pause(ctx)
		return nil, nil
	}
	if err == nil {
		err = f.place(p)
	}
	n := len(p.events)
	f.asked = n == 0 || p.events[n-1].Seq == p.last
	return p.events, err
}

// isAway reports whether to wait for the database. It returns false at the first read, whose error
// the caller can still report, and after awayTime.
func (f *follower) isAway(err error) bool {
	if fault.CodeOf(err) != sdkapi.StateUnavailable {
		f.looked, f.away = true, time.Time{}
		return false
	}
	if f.away.IsZero() {
		f.away = time.Now()
	}
	return f.looked && time.Since(f.away) < awayTime
}

// pause waits for awayPause, or until ctx ends or the journal is closed.
func (j *Journal) pause(ctx context.Context) {
	timer := time.NewTimer(awayPause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-j.closed:
	}
}

// place records the position of the stream. It returns a fault if the follower cannot continue.
func (f *follower) place(p page) error {
	const op = "sqljournal.Follow"
	if f.stream != 0 && f.stream != p.id {
		return fault.New(op, sdkapi.NotFound, "the stream %q was deleted", f.watch.stream)
	}
	f.stream = p.id
	f.journal.hub.saw(f.watch, p.mark)
	behind := p.last - f.cursor
	if f.current && behind > journal.MaxLag {
		return fault.New(op, sdkapi.FollowerLags, "the reader is %d events behind; reconnect, and continue after event %d", behind, f.cursor)
	}
	n := len(p.events)
	f.current = f.current || p.id != 0 && (n == 0 || p.events[n-1].Seq == p.last)
	return nil
}

// channel is the PostgreSQL channel on which gateways notify each other of changed topics.
const channel = "windie_journal"

// pollAtOnce is the number of streams or decisions in one query of the poller.
const pollAtOnce = 500

// runListener wakes callers that wait for a topic which another gateway has changed.
func (j *Journal) runListener() {
	ctx, cancel := j.untilClosed()
	defer cancel()
	j.db.Listen(ctx, channel, j.hub.wakeAll, func(notice string) { j.hub.wake(topicsOf(notice)...) })
}

// runPoller wakes callers that wait for a change, if its notice was lost or never sent.
func (j *Journal) runPoller() {
	ctx, cancel := j.untilClosed()
	defer cancel()
	background.Every(ctx, j.poll, func(ctx context.Context) {
		_ = j.pollOnce(ctx) // if the database fails, the next poll tries again
	})
}

// pollOnce checks all streams and decisions that have watchers. It stops at the first error.
func (j *Journal) pollOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	streams, decisions := j.hub.waiting()
	for names := range slices.Chunk(streams, pollAtOnce) {
		if err := j.pollStreams(ctx, names); err != nil {
			return err
		}
	}
	for ids := range slices.Chunk(decisions, pollAtOnce) {
		if err := j.pollDecisions(ctx, ids); err != nil {
			return err
		}
	}
	return nil
}

// pollStreams wakes the watchers of streams that have grown or were deleted since the watchers read them.
func (j *Journal) pollStreams(ctx context.Context, names []string) error {
	var rows []struct {
		ID   int64
		Name string
		Last int64
	}
	err := j.db.Ask(ctx, "sqljournal.poll", func(ctx context.Context, db *bun.DB) error {
		rows = nil
		return db.NewRaw("SELECT id, name, last FROM streams WHERE name IN (?)", bun.List(names)).Scan(ctx, &rows)
	})
	if err != nil {
		return err
	}
	now := map[string]mark{} // the zero mark for a missing stream
	for _, row := range rows {
		now[row.Name] = mark{row.ID, row.Last}
	}
	for _, name := range names {
		j.hub.wakeBehind(name, now[name])
	}
	return nil
}

// pollDecisions wakes the watchers of decisions that are no longer pending or no longer exist.
func (j *Journal) pollDecisions(ctx context.Context, ids []string) error {
	var open []string
	err := j.db.Ask(ctx, "sqljournal.poll", func(ctx context.Context, db *bun.DB) error {
		open = nil
		return db.NewRaw("SELECT id FROM decisions WHERE id IN (?) AND state = 'pending'", bun.List(ids)).Scan(ctx, &open)
	})
	if err != nil {
		return err
	}
	still := map[string]bool{}
	for _, id := range open {
		still[id] = true
	}
	for _, id := range ids {
		if !still[id] {
			j.hub.wake(decisionTopic(id))
		}
	}
	return nil
}
