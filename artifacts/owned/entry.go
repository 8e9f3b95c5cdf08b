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

// entry is what the table knows of one artifact. The zero value is one without a row.
type entry struct {
	found   bool
	stored  bool
	owner   string
	expires int64 // in microseconds since 1970; 0 for never
	asked   time.Time
}

// current reports whether to believe it without asking: until when an artifact is kept may change.
func (e entry) current() bool { return !e.found || !e.expired() && time.Since(e.asked) < askAgain }

func (e entry) expired() bool { return e.expires > 0 && e.expires <= database.Micros(time.Now()) }

// seenBy reports whether there is such an artifact for owner now. One without
// a row is older than the table: everybody's, and nobody's in particular.
func (e entry) seenBy(owner string) bool {
	switch {
	case !e.found:
		return owner == ""
	case !e.stored, e.expired():
		return false
	}
	return owner == "" || owner == e.owner
}

// expiresAt returns when the artifact expires, zero for never.
func (e entry) expiresAt() time.Time {
	if e.expires == 0 {
		return time.Time{}
	}
	return database.Time(e.expires)
}

// lookup returns what is known of an artifact, and asks the database only for
// what no view has asked for lately. While it does not answer, what was known counts.
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

// ask returns what the database knows of an artifact.
func (s *Store) ask(ctx context.Context, op, id string) (entry, error) {
	e := entry{found: true, asked: time.Now()}
	err := s.db.Read().NewRaw("SELECT owner, stored, expires FROM artifacts WHERE id = ?", id).Scan(ctx, &e.owner, &e.stored, &e.expires)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		s.known.Remove(id)
		return entry{}, nil // not remembered, see confirm: it may be about to be put
	case err != nil:
		return entry{}, database.FaultIn(ctx, op, err)
	case e.stored:
		s.known.Add(id, e)
	}
	return e, nil
}

// confirm looks again for the row of an artifact without a row that turned out to have bytes: the
// row of new bytes may have come between the two looks. For old bytes it remembers that there is no
// row.
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

// claim takes an id for an artifact on its way. It fails with Internal for one in use.
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
		return fault.New(op, sdkapi.Internal, "there is an artifact %q already; it was left as it is", id).Because(err)
	}
	return database.FaultIn(ctx, op, err)
}

// finish makes a claimed artifact visible, whether or not the caller is still there: its bytes are. Its age counts from now.
func (s *Store) finish(ctx context.Context, op, id, owner string, size int64) (entry, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
	defer cancel()
	e := entry{found: true, stored: true, owner: owner, asked: time.Now()}
	err := s.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
		now, err := s.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		if s.opts.TTL > 0 { // rounded up, so that it can be written in whole seconds
			e.expires = (now + s.opts.TTL.Microseconds() + expiryUnit - 1) / expiryUnit * expiryUnit
		}
		res, err := tx.NewRaw("UPDATE artifacts SET stored = ?, created = ?, expires = ?, size = ? WHERE id = ? AND owner = ? AND NOT stored AND expires > ?",
			true, now, e.expires, size, id, owner, now).Exec(ctx)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); n != 1 {
			return errors.Join(fmt.Errorf("%d rows were claimed for %s", n, id), err)
		}
		return s.fits(ctx, op, tx, owner, 0)
	})
	if err != nil {
		return entry{}, database.FaultIn(ctx, op, err)
	}
	s.known.Add(id, e)
	return e, nil
}

// fits returns QUOTA_EXCEEDED if an owner keeps too much, or would with more artifacts. Puts at the
// same time may each fit, and not all of them.
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

// release gives back the id of a Put that failed before any bytes. Should it fail, the row expires.
func (s *Store) release(ctx context.Context, op, id, owner string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
	defer cancel()
	_, _ = s.db.Change(ctx, op, func(ctx context.Context, tx bun.Tx) (sql.Result, error) {
		return tx.NewRaw("DELETE FROM artifacts WHERE id = ? AND owner = ? AND NOT stored", id, owner).Exec(ctx)
	})
}

// forget removes the row, if it has one, of an artifact whose bytes were removed.
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

// ended reports the end of a context; the fault says which kind it was.
func ended(op string, err error) error {
	return fault.From(fmt.Errorf("%s: %w", op, err))
}
