package session

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/progress"
	"github.com/windieos/windie/internal/trouble"
	"github.com/windieos/windie/state/journal"
)

// The ids of sessions begin with their protocol and a hash of their user, so that a user's sessions
// can be found by name.

// streamsOf lists the functions that name the streams of a session. The stream with its events is
// last.
var streamsOf = []func(id string) string{controlOf, stateOf, markOf, textsOf, streamOf}

// Listed is a session in a list.
type Listed struct {
	ID   string
	Used time.Time // time of the session's last event
}

// List returns at most limit sessions whose ids begin with prefix. The parameter after is the id of the last session of
// the previous page. It is empty for the first page.
func List(ctx context.Context, log journal.Log, prefix, after string, limit int) ([]Listed, error) {
	if after != "" {
		after = streamOf(after)
	}
	streams, err := log.Streams(ctx, streamOf(prefix), after, limit)
	list := make([]Listed, len(streams))
	for i, s := range streams {
		list[i] = Listed{strings.TrimPrefix(s.Name, streamOf("")), s.Used}
	}
	return list, err
}

// Erase deletes a session with all of its streams and decisions, even if a worker works on the
// session. The worker's next event then fails with LEASE_LOST. Erase may be called again.
func Erase(ctx context.Context, log journal.Journal, id string) error {
	for _, lease := range []string{leaseOf(id), HostLease(id)} {
		if err := log.Evict(ctx, lease); err != nil {
			return err
		}
	}
	for _, stream := range streamsOf {
		if err := log.Drop(ctx, stream(id)); err != nil {
			return err
		}
	}
	return nil
}

// EraseUser deletes all sessions of a user, and the data that an interrupted Erase has left. It
// returns the number of deleted sessions that had events. If it cannot delete a session, it
// continues with the others. The error then contains the first failure for each kind of stream.
func EraseUser(ctx context.Context, log journal.Journal, user string) (erased int64, err error) {
	for _, prefix := range []string{PromptsOf(user), GeneralOf(user), DesktopOf(user), HostOf(user)} {
		for _, stream := range streamsOf {
			n, failed := eraseAll(ctx, log, stream(""), prefix)
			erased, err = erased+n, errors.Join(err, failed)
			if ctx.Err() != nil {
				return erased, err
			}
		}
	}
	return erased, err
}

// eraseAll deletes the sessions that have a stream of one kind, and returns how many had events.
// The error is the first failure.
func eraseAll(ctx context.Context, log journal.Journal, kind, prefix string) (erased int64, err error) {
	var t trouble.Count
	for after := ""; ; {
		list, err := log.Streams(ctx, kind+prefix, after, journal.MaxEvents)
		if err != nil || len(list) == 0 {
			return erased, cmp.Or(t.First, err)
		}
		for _, s := range list {
			after = s.Name
			id := strings.TrimPrefix(s.Name, kind)
			last, err := log.Append(ctx, streamOf(id))
			if err == nil {
				err = Erase(ctx, log, id)
			}
			if t.Note(err); t.Enough() || ctx.Err() != nil {
				return erased, cmp.Or(t.First, ctx.Err())
			}
			if err == nil && last > 0 {
				erased++
			}
		}
	}
}

// Times of deleting a session whose turn is open.
const (
	deleteWait  = 3 * time.Second // for the turn's end
	deletePause = 50 * time.Millisecond
)

// Delete ends a user's session and deletes it as Erase does. It fails with SESSION_NOT_FOUND if the
// user has no such session.
func (s *Sessions) Delete(ctx context.Context, id, user string) error {
	state, err := s.State(ctx, id, user)
	if err != nil {
		return err
	}
	if state.Turn != nil {
		if err := s.askToDelete(ctx, id, state.Turn.ID); err != nil {
			return err
		}
	}
	for until := time.Now().Add(deleteWait); state.Turn != nil && time.Now().Before(until); {
		if err := background.Sleep(ctx, deletePause); err != nil {
			return err
		}
		if state, _, err = s.load(ctx, id); err != nil {
			return err
		}
	}
	defer s.texts.forget(id)
	return Erase(ctx, s.cfg.Journal, id)
}

// askToDelete asks for the end of the open turn, and of a turn that may have begun since.
func (s *Sessions) askToDelete(ctx context.Context, id, turn string) error {
	// A gateway of an older version knows only CancelAsked.
	events, err := encode([]Event{DeleteAsked{}, CancelAsked{turn}})
	if err == nil {
		_, err = s.cfg.Journal.Append(ctx, controlOf(id), events...)
	}
	return err
}

// Prune deletes old sessions of all users. A session is old if its last event happened before the
// given time. Prune considers only sessions whose id begins with prefix, for example "v1/", and for
// which wanted returns true. A session with an open turn is never old, because turns append events
// often. Prune returns the number of old sessions. If dry is true, it only counts them. It reports
// its progress with progress.Report. If it cannot delete a session, it continues with the others,
// and returns the first failure.
func Prune(ctx context.Context, log journal.Journal, prefix string, wanted func(id string) bool, before time.Time, dry bool) (removed int64, err error) {
	var t trouble.Count
	for after := ""; ; {
		streams, err := log.Streams(ctx, streamOf(prefix), after, journal.MaxEvents)
		if err != nil || len(streams) == 0 {
			return removed, cmp.Or(t.First, err)
		}
		for _, s := range streams {
			after = s.Name
			id := strings.TrimPrefix(s.Name, streamOf(""))
			if s.Used.IsZero() || !s.Used.Before(before) || !wanted(id) {
				continue
			}
			pruned, err := pruneOne(ctx, log, s, id, dry)
			if t.Note(err); t.Enough() || ctx.Err() != nil {
				return removed, cmp.Or(t.First, ctx.Err())
			}
			if pruned {
				removed++
				progress.Report(ctx, "sessions", removed, 0)
			}
		}
	}
}

// pruneOne deletes a session, unless it was used since s was listed. If dry is true, it deletes
// nothing. It reports whether it has deleted the session, or would have.
func pruneOne(ctx context.Context, log journal.Journal, s journal.Stream, id string, dry bool) (bool, error) {
	if last, err := log.Append(ctx, s.Name); err != nil || last != s.Last {
		return false, err
	}
	if dry {
		return true, nil
	}
	err := Erase(ctx, log, id)
	return err == nil, err
}
