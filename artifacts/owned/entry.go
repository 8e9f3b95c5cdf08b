package owned

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// entry is an artifact's row in the table. The zero value means that there is no row.
type entry struct {
	found   bool
	stored  bool
	owner   string
	expires int64     // microseconds since 1970; 0: never
	asked   time.Time // time of the query
}

// current reports whether a cached entry can be used without a query. The expiry may change, so
// entries of existing rows get old.
func (e entry) current() bool { return !e.found || !e.expired() && time.Since(e.asked) < askAgain }

// expired reports whether the expiry has passed, by the clock of this machine.
func (e entry) expired() bool { return e.expires > 0 && e.expires <= database.Micros(time.Now()) }

// seenBy reports whether owner can see the artifact now. An artifact without a row is older than
// the table; only the view "" shows it.
func (e entry) seenBy(owner string) bool {
	switch {
	case !e.found:
		return owner == ""
	case !e.stored, e.expired():
		return false
	}
	return owner == "" || owner == e.owner
}

// expiresAt returns the expiry; zero means never.
func (e entry) expiresAt() time.Time {
	if e.expires == 0 {
		return time.Time{}
	}
	return database.Time(e.expires)
}

// lookup returns the entry of an artifact, from the cache if it is recent. If the database does not
// respond, it returns an old cached entry.
func (s *Store) lookup(ctx context.Context, op, id string) (entry, error) {
	known, ok := s.known.Get(id)
	if ok && known.current() {
		return known, nil
	}
	e, err := s.ask(ctx, op, id)
	if err != nil && ok && ctx.Err() == nil {
		return known, nil
	}
	return e, err
}

// ask reads the entry of an artifact from the database.
func (s *Store) ask(ctx context.Context, op, id string) (entry, error) {
	e := entry{found: true, asked: time.Now()}
	err := s.db.Read().NewRaw("SELECT owner, stored, expires FROM artifacts WHERE id = ?", id).Scan(ctx, &e.owner, &e.stored, &e.expires)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		s.known.Remove(id)
		return entry{}, nil // not cached, see confirm: a Put may be about to insert it
	case err != nil:
		return entry{}, database.FaultIn(ctx, op, err)
	case e.stored:
		s.known.Add(id, e)
	}
	return e, nil
}

// confirm queries the row of an artifact again if it had none but its content exists: a Put may
// have inserted the row in between. If the content is old, it caches that there is no row.
func (s *Store) confirm(ctx context.Context, op, id string, e entry, info artifacts.Info) (entry, error) {
	switch {
	case e.found:
		return e, nil
	case time.Since(info.CreatedAt) > clocksApart:
		s.known.Add(id, e)
		return e, nil
	}
	return s.lookup(ctx, op, id)
}

// claim inserts the row of an artifact before its content is stored. It fails with Internal if the
// id is in use.
func (s *Store) claim(ctx context.Context, op, id, owner string) error {
	err := s.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
		now, err := s.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		if err := s.fits(ctx, op, tx, owner, 1); err != nil {
			return err
		}
		_, err = tx.NewRaw("INSERT INTO artifacts (id, owner, created, stored, expires, missing) VALUES (?, ?, ?, ?, ?, 0)",
			id, owner, now, false, now+claimTime.Microseconds()).Exec(ctx)
		return err
	})
	switch {
	case err == nil:
		return nil
	case database.IsDuplicate(err):
		return fault.New(op, sdkapi.Internal, "the artifact %q already exists and was not changed; choose another id", id).Because(err)
	}
	return database.FaultIn(ctx, op, err)
}

// finish makes a claimed artifact visible and starts its retention. It continues after the end of
// ctx, because the content is stored.
func (s *Store) finish(ctx context.Context, op, id, owner string, size int64) (entry, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
	defer cancel()
	e := entry{found: true, stored: true, owner: owner, asked: time.Now()}
	err := s.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
		now, err := s.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		if s.opts.TTL > 0 { // rounded up to whole seconds, the unit of the API
			e.expires = (now + s.opts.TTL.Microseconds() + expiryUnit - 1) / expiryUnit * expiryUnit
		}
		res, err := tx.NewRaw("UPDATE artifacts SET stored = ?, created = ?, expires = ?, size = ? WHERE id = ? AND owner = ? AND NOT stored AND expires > ?",
			true, now, e.expires, size, id, owner, now).Exec(ctx)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); n != 1 {
			return errors.Join(fmt.Errorf("the database changed %d rows, not 1, when the gateway stored the owner of the artifact %s", n, id), err)
		}
		return s.fits(ctx, op, tx, owner, 0)
	})
	if err != nil {
		return entry{}, database.FaultIn(ctx, op, err)
	}
	s.known.Add(id, e)
	return e, nil
}

// fits returns QUOTA_EXCEEDED if the owner's limits do not allow the number more of further
// artifacts. Concurrent calls of Put may each fit and together exceed the limits.
func (s *Store) fits(ctx context.Context, op string, tx bun.Tx, owner string, more int64) error {
	if owner == "" || s.opts.OwnerBytes <= 0 && s.opts.OwnerCount <= 0 {
		return nil
	}
	const how = "delete artifacts with DELETE " + sdkapi.ArtifactsPath + "ID, or wait until some expire"
	var count, size int64
	err := tx.NewRaw("SELECT count(*), coalesce(sum(size + ?), 0) FROM artifacts WHERE owner = ?", Overhead, owner).Scan(ctx, &count, &size)
	switch {
	case err != nil:
		return err
	case s.opts.OwnerCount > 0 && count+more > s.opts.OwnerCount:
		return fault.Exceeded(op, "artifacts", count, s.opts.OwnerCount, how)
	case s.opts.OwnerBytes > 0 && size+more > s.opts.OwnerBytes:
		return fault.Exceeded(op, "artifact_bytes", size, s.opts.OwnerBytes, how)
	}
	return nil
}

// release deletes the row of a Put that failed before it stored content. If it fails, the row
// expires.
func (s *Store) release(ctx context.Context, op, id, owner string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
	defer cancel()
	_, _ = s.db.Change(ctx, op, func(ctx context.Context, tx bun.Tx) (sql.Result, error) {
		return tx.NewRaw("DELETE FROM artifacts WHERE id = ? AND owner = ? AND NOT stored", id, owner).Exec(ctx)
	})
}

// forget deletes the row, if there is one, of an artifact whose content was deleted.
func (s *Store) forget(ctx context.Context, op, id string, e entry) error {
	s.known.Remove(id)
	if !e.found {
		return nil
	}
	_, err := s.db.Change(ctx, op, func(ctx context.Context, tx bun.Tx) (sql.Result, error) {
		return tx.NewRaw("DELETE FROM artifacts WHERE id = ?", id).Exec(ctx)
	})
	return database.FaultIn(ctx, op, err)
}

// ended returns the fault of an ended context: CANCELED or TIMEOUT.
func ended(op string, err error) error {
	return fault.From(fmt.Errorf("%s: %w", op, err))
}
