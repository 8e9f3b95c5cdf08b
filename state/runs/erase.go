package runs

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/state/database"
)

// EraseUser deletes all runs that a user requested, including unfinished runs, and returns their
// number.
func (p *Plane) EraseUser(ctx context.Context, user string) (int64, error) {
	if user == "" {
		return 0, nil
	}
	return p.remove(ctx, false, "requested_by = ?", user)
}

// Prune deletes the runs that ended earlier than the parameter before, and returns their number. If
// dry is true, it deletes nothing and only counts these runs.
func (p *Plane) Prune(ctx context.Context, before time.Time, dry bool) (int64, error) {
	return p.remove(ctx, dry, "ended > 0 AND ended < ?", database.Micros(before))
}

// removeBatch is how many runs one query selects.
const removeBatch = 100

// remove deletes the runs that satisfy an SQL condition with one value, and returns their number.
// If dry is set, it only counts them. If it fails, n is the number of runs deleted so far.
func (p *Plane) remove(ctx context.Context, dry bool, condition string, value any) (n int64, err error) {
	if dry {
		err = p.db.Ask(ctx, "runs.Prune", func(ctx context.Context, db *bun.DB) error {
			return db.NewRaw("SELECT count(*) FROM runs WHERE "+condition, value).Scan(ctx, &n)
		})
		return n, err
	}
	for {
		var ids []string
		err := p.db.Ask(ctx, "runs.remove", func(ctx context.Context, db *bun.DB) error {
			ids = nil
			return db.NewRaw("SELECT id FROM runs WHERE "+condition+" ORDER BY id LIMIT ?", value, removeBatch).Scan(ctx, &ids)
		})
		if err != nil || len(ids) == 0 {
			return n, err
		}
		for _, id := range ids {
			if err := p.delete(ctx, id); err != nil {
				return n, err
			}
			n++
		}
	}
}

// delete deletes a run: first its events, then its row, then events that were added in between. If
// it fails early, the row still exists, so that a later call finds the run again.
func (p *Plane) delete(ctx context.Context, id string) error {
	if err := p.log.Drop(ctx, StreamOf(id)); err != nil {
		return err
	}
	err := p.db.Write(ctx, "runs.delete", func(ctx context.Context, tx bun.Tx) error {
		if _, err := tx.NewRaw("DELETE FROM run_hooks WHERE run_id = ?", id).Exec(ctx); err != nil {
			return err
		}
		_, err := tx.NewRaw("DELETE FROM runs WHERE id = ?", id).Exec(ctx)
		return err
	})
	if err != nil {
		return err
	}
	return p.log.Drop(ctx, StreamOf(id))
}
