package owned

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/trouble"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// Limits of one round of the janitor.
const (
	expiredBatch = 100 // expired artifacts per database write; a round may have many batches
	checkedBatch = 200 // rows whose content is checked
)

// Run runs the janitor until ctx ends. Several janitors may run, in this process and in other
// processes. Deleting an artifact twice does no harm: no view shows an artifact that is due for
// deletion, and ids are never reused.
func (s *Store) Run(ctx context.Context) {
	check := uuid.NewString() // random, so that several janitors check different rows
	background.About(ctx, s.opts.Every, func(ctx context.Context) {
		r := &round{Store: s, check: check}
		r.run(ctx)
		r.report(ctx)
		check = r.check
	})
}

// Clean runs one round of the janitor, beginning with the first row. If one job fails, the other
// jobs still run. The error joins all failures.
func (s *Store) Clean(ctx context.Context) (Done, error) {
	r := &round{Store: s}
	r.run(ctx)
	return r.done, r.err
}

type round struct {
	*Store
	check string // rows with greater ids are checked next
	done  Done
	err   error // the first failure of each job, and the failure that ended it
}

// run runs all jobs. If the store is not ready, it runs none: an unmounted disk looks as if all
// artifacts were gone.
func (r *round) run(ctx context.Context) {
	err := r.inner.Ready(ctx)
	if err == nil {
		err = errors.Join(r.removeExpired(ctx), r.checkRows(ctx), r.sweep(ctx))
	}
	if ctx.Err() == nil { // after ctx ends, errors have no other cause
		r.err = err
	}
	r.expired.Add(r.done.Expired)
	r.gone.Add(r.done.Gone)
	r.swept.Add(r.done.Swept)
	r.failed.Add(r.done.Failed)
}

// report logs the round. It logs nothing if the round did nothing.
func (r *round) report(ctx context.Context) {
	level, message := slog.LevelInfo, "artifacts cleaned"
	switch {
	case r.err != nil:
		level, message = slog.LevelWarn, "the janitor could not clean some artifacts; it retries in its next round"
	case r.done == Done{}:
		return
	}
	r.opts.Log.Log(ctx, level, message, slog.Int64("expired", r.done.Expired), slog.Int64("gone", r.done.Gone),
		slog.Int64("swept", r.done.Swept), slog.Int64("failed", r.done.Failed), slog.Any("err", r.err))
}

// row has the columns of an artifact that the janitor reads.
type row struct {
	ID      string `bun:"id"`
	Expires int64  `bun:"expires"`
	Missing int64  `bun:"missing"`
}

// outcome sorts the rows of one batch by result.
type outcome struct {
	removed []string // content deleted, so the row can be deleted
	absent  []string // content newly found missing
	back    []string // content found again after it was missing
}

// removeExpired deletes expired artifacts in batches. It deletes content before rows, so that after
// a crash the row still exists, and so that a full disk gets space to delete rows.
func (r *round) removeExpired(ctx context.Context) error {
	const op = "owned.removeExpired"
	now, err := r.db.Now(ctx, r.db.Read())
	if err != nil {
		return database.FaultIn(ctx, op, err)
	}
	var last row // failed rows are skipped
	for t := new(trouble.Count); ; {
		var rows []row
		err := r.db.Read().NewRaw("SELECT id, expires FROM artifacts WHERE expires > 0 AND expires <= ? AND missing = 0 "+
			"AND (expires, id) > (?, ?) ORDER BY expires, id LIMIT ?", now, last.Expires, last.ID, expiredBatch).Scan(ctx, &rows)
		if err != nil {
			return errors.Join(t.First, database.FaultIn(ctx, op, err))
		}
		var out outcome
		for _, row := range rows {
			t.Note(r.removeBytes(ctx, row.ID, &out))
			if t.Enough() || ctx.Err() != nil {
				break
			}
		}
		r.done.Failed += t.Take()
		if err := r.settle(ctx, op, now, out); err != nil {
			return errors.Join(t.First, err)
		}
		r.done.Expired += int64(len(out.removed))
		if len(rows) < expiredBatch || t.Enough() || ctx.Err() != nil {
			return t.First
		}
		last = rows[len(rows)-1]
	}
}

// removeBytes deletes the content of an artifact, even if Stat fails. If there was no content, the
// row is kept and marked as missing.
func (r *round) removeBytes(ctx context.Context, id string, out *outcome) error {
	_, err := r.inner.Stat(ctx, id)
	absent := fault.CodeOf(err) == sdkapi.ArtifactNotFound
	if err := r.unlink(ctx, id); err != nil {
		return err
	}
	if absent {
		out.absent = append(out.absent, id)
	} else {
		out.removed = append(out.removed, id)
	}
	return nil
}

// checkRows checks whether the content of some rows exists. The next round continues with the next
// rows, and after the last row with the first.
func (r *round) checkRows(ctx context.Context) error {
	const op = "owned.checkRows"
	now, err := r.db.Now(ctx, r.db.Read())
	if err != nil {
		return database.FaultIn(ctx, op, err)
	}
	var rows []row
	err = r.db.Read().NewRaw("SELECT id, missing FROM artifacts WHERE id > ? AND (stored OR expires <= ?) ORDER BY id LIMIT ?",
		r.check, now, checkedBatch).Scan(ctx, &rows)
	if err != nil {
		return database.FaultIn(ctx, op, err)
	}
	r.check = ""
	if len(rows) == checkedBatch {
		r.check = rows[checkedBatch-1].ID
	}
	var out outcome
	t := new(trouble.Count)
	for _, row := range rows {
		t.Note(r.checkBytes(ctx, row, now, &out))
		if t.Enough() || ctx.Err() != nil {
			break
		}
	}
	r.done.Failed += t.Take()
	err = r.settle(ctx, op, now, out)
	if err == nil {
		r.done.Gone += int64(len(out.removed))
	}
	return errors.Join(t.First, err)
}

// checkBytes checks whether the content of a row exists. If it has been missing for absentTime,
// checkBytes deletes leftovers, so that the row can be deleted.
func (r *round) checkBytes(ctx context.Context, row row, now int64, out *outcome) error {
	_, err := r.inner.Stat(ctx, row.ID)
	absent := fault.CodeOf(err) == sdkapi.ArtifactNotFound
	switch {
	case err != nil && !absent:
		return err
	case !absent && row.Missing > 0:
		out.back = append(out.back, row.ID)
	case absent && row.Missing == 0:
		out.absent = append(out.absent, row.ID)
	case absent && row.Missing <= now-absentTime.Microseconds():
		if err := r.unlink(ctx, row.ID); err != nil {
			return err
		}
		out.removed = append(out.removed, row.ID)
	}
	return nil
}

// settle stores the outcome of a batch. It continues after the end of ctx, for at most tidyTime.
func (r *round) settle(ctx context.Context, op string, now int64, out outcome) error {
	if len(out.removed)+len(out.absent)+len(out.back) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
	defer cancel()
	if err := r.unlinked(ctx, out.removed); err != nil {
		return err
	}
	err := r.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
		for _, c := range []struct {
			ids   []string
			query string
			args  []any
		}{
			{out.removed, "DELETE FROM artifacts WHERE id IN (?)", nil},
			{out.absent, "UPDATE artifacts SET missing = ? WHERE missing = 0 AND id IN (?)", []any{now}},
			{out.back, "UPDATE artifacts SET missing = 0 WHERE id IN (?)", nil},
		} {
			if len(c.ids) == 0 {
				continue
			}
			if _, err := tx.NewRaw(c.query, append(c.args, bun.List(c.ids))...).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	for _, id := range out.removed {
		r.known.Remove(id)
	}
	return database.FaultIn(ctx, op, err)
}

// sweep deletes the leftovers of the store, if it is an artifacts.Sweeper.
func (r *round) sweep(ctx context.Context) error {
	store, ok := r.inner.(artifacts.Sweeper)
	if !ok {
		return nil
	}
	n, err := store.Sweep(ctx, time.Now().Add(-sweepAge))
	r.done.Swept += int64(n)
	if err != nil {
		r.done.Failed++
	}
	return err
}
