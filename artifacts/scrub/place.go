package scrub

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// name is the key of the only row in the table scrubs.
const name = "artifacts"

// Kinds of damage.
const (
	damaged = "damaged" // the content differs from the stored content
	missing = "missing" // the content is missing
)

// errTaken ends a round that another process has taken over.
var errTaken = fault.New("scrub", sdkapi.LeaseLost, "another process is already scrubbing the artifacts; run windie doctor to see its results")

// place is the position of a round.
type place struct {
	after          string // the part (listPart or rowsPart) and the last id
	began          int64  // microseconds since 1970
	checked, bytes int64
}

// take returns the position at which to continue a round. ours is true if a round is due and no
// other process works on it. If force is true, it starts a new round in any case.
func (s *Scrubber) take(ctx context.Context, force bool) (at place, ours bool, err error) {
	const op = "scrub.take"
	err = s.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
		at, ours = place{}, false
		now, err := s.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		_, err = tx.NewRaw("INSERT INTO scrubs (name, owner, held, after, began, ended, checked, bytes) VALUES (?, '', 0, '', 0, 0, 0, 0) ON CONFLICT (name) DO NOTHING", name).Exec(ctx)
		if err != nil {
			return err
		}
		var held, ended int64
		err = tx.NewRaw("SELECT held, after, began, ended, checked, bytes FROM scrubs WHERE name = ?"+s.forUpdate(), name).
			Scan(ctx, &held, &at.after, &at.began, &ended, &at.checked, &at.bytes)
		if err != nil {
			return err
		}
		underWay := at.began > ended
		switch {
		case !force && held > now, !force && !underWay && now-at.began < roundEvery.Microseconds():
			return nil
		case force, !underWay:
			at = place{after: listPart, began: max(now, at.began+1)}
		}
		ours = true
		_, err = tx.NewRaw("UPDATE scrubs SET owner = ?, held = ?, after = ?, began = ?, checked = ?, bytes = ? WHERE name = ?",
			s.owner, now+holdTime.Microseconds(), at.after, at.began, at.checked, at.bytes, name).Exec(ctx)
		return err
	})
	return at, ours, err
}

// forUpdate locks a selected row until the transaction ends. SQLite has only one writer, so it
// needs no lock.
func (s *Scrubber) forUpdate() string {
	if s.db.Postgres() {
		return " FOR UPDATE"
	}
	return ""
}

// save stores the position of a round. It fails with errTaken if another process has taken the
// round over. If leave is true, another process may take it over at once.
func (s *Scrubber) save(ctx context.Context, at place, leave bool) error {
	hold := holdTime
	if leave {
		hold = 0
	}
	return s.own(ctx, func(ctx context.Context, tx bun.Tx, now int64) (sql.Result, error) {
		return tx.NewRaw("UPDATE scrubs SET held = ?, after = ?, checked = ?, bytes = ? WHERE name = ? AND owner = ? AND began = ?",
			now+hold.Microseconds(), at.after, at.checked, at.bytes, name, s.owner, at.began).Exec(ctx)
	})
}

// end ends a round. It deletes each damage that the round has not found again, because the artifact is then
// intact or deleted.
func (s *Scrubber) end(ctx context.Context, at place) error {
	return s.own(ctx, func(ctx context.Context, tx bun.Tx, now int64) (sql.Result, error) {
		if _, err := tx.NewRaw("DELETE FROM damages WHERE found < ?", at.began).Exec(ctx); err != nil {
			return nil, err
		}
		return tx.NewRaw("UPDATE scrubs SET held = 0, after = '', ended = ?, checked = ?, bytes = ? WHERE name = ? AND owner = ? AND began = ?",
			max(now, at.began), at.checked, at.bytes, name, s.owner, at.began).Exec(ctx)
	})
}

// own calls change, which must update the row of this process's round. If change updates no row, own fails
// with errTaken.
func (s *Scrubber) own(ctx context.Context, change func(ctx context.Context, tx bun.Tx, now int64) (sql.Result, error)) error {
	return s.db.Write(ctx, "scrub.own", func(ctx context.Context, tx bun.Tx) error {
		now, err := s.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		res, err := change(ctx, tx, now)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return cmp.Or(err, error(errTaken))
		}
		return nil
	})
}

// note stores that an artifact is damaged or missing.
func (s *Scrubber) note(ctx context.Context, id, what string) error {
	return s.db.Write(ctx, "scrub.note", func(ctx context.Context, tx bun.Tx) error {
		now, err := s.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		_, err = tx.NewRaw("INSERT INTO damages (id, what, found) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET what = excluded.what, found = excluded.found", id, what, now).Exec(ctx)
		return err
	})
}

// rows returns a page of the ids after the id after, in the database's order. It skips artifacts that are not stored
// completely or have expired.
func (r *round) rows(ctx context.Context, after string) (ids []string, err error) {
	now, err := r.db.Now(ctx, r.db.Read())
	if err == nil {
		err = r.db.Read().NewRaw("SELECT id FROM artifacts WHERE id > ? AND stored AND (expires = 0 OR expires > ?) ORDER BY id LIMIT ?", after, now, page).Scan(ctx, &ids)
	}
	return ids, database.FaultIn(ctx, "scrub.rows", err)
}

// isKept reports whether the database still lists an artifact as stored and not expired.
func (r *round) isKept(ctx context.Context, id string) (kept bool, err error) {
	now, err := r.db.Now(ctx, r.db.Read())
	if err == nil {
		err = r.db.Read().NewRaw("SELECT count(*) > 0 FROM artifacts WHERE id = ? AND stored AND (expires = 0 OR expires > ?)", id, now).Scan(ctx, &kept)
	}
	return kept, database.FaultIn(ctx, "scrub.isKept", err)
}

// named is the maximum number of ids in each list of Found.
const named = 20

// Found is the damage that all rounds have found, and the progress of the last round.
type Found struct {
	Damaged, Missing       int64
	DamagedIDs, MissingIDs []string // ids of damaged and missing artifacts, at most 20 of each
	// Began is the start of the running round. Ended is the end of the last complete round. Each is
	// zero if there is no such round.
	Began, Ended   time.Time
	Checked, Bytes int64 // number of artifacts and bytes that the last round has read so far
}

// Look returns the results of the rounds of all gateways.
func Look(ctx context.Context, db *database.DB) (f Found, err error) {
	const op = "scrub.Look"
	for what, to := range map[string]struct {
		count *int64
		ids   *[]string
	}{damaged: {&f.Damaged, &f.DamagedIDs}, missing: {&f.Missing, &f.MissingIDs}} {
		err := db.Read().NewRaw("SELECT count(*) FROM damages WHERE what = ?", what).Scan(ctx, to.count)
		if err == nil && *to.count > 0 {
			err = db.Read().NewRaw("SELECT id FROM damages WHERE what = ? ORDER BY id LIMIT ?", what, named).Scan(ctx, to.ids)
		}
		if err != nil {
			return f, database.FaultIn(ctx, op, err)
		}
	}
	var began, ended int64
	err = db.Read().NewRaw("SELECT began, ended, checked, bytes FROM scrubs WHERE name = ?", name).Scan(ctx, &began, &ended, &f.Checked, &f.Bytes)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return f, database.FaultIn(ctx, op, err)
	}
	if began > ended {
		f.Began = database.Time(began)
	}
	if ended > 0 {
		f.Ended = database.Time(ended)
	}
	return f, nil
}
