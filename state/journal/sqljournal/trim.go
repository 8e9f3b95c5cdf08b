package sqljournal

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"math"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/state/journal"
)

// sweepAtOnce is how many events one transaction deletes, so that appends can run in between.
const sweepAtOnce = 5000

// Trim implements journal.Log. It first updates the stream's row, which hides the events from
// readers. Then it deletes the rows of the events.
func (j *Journal) Trim(ctx context.Context, stream string, before int64, snapshot json.RawMessage) error {
	const op = "sqljournal.Trim"
	if err := cmp.Or(journal.CheckTrim(stream, snapshot), j.usable(ctx)); err != nil {
		return err
	}
	if before <= 1 {
		return nil
	}
	var id, trimmed int64
	err := j.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
		id = 0
		end := bun.SafeQuery("CASE WHEN last < ? THEN last ELSE ? END", before-1, before-1)
		err := tx.NewRaw("UPDATE streams SET trimmed = ?, snapshot = ? WHERE name = ? AND trimmed < ? RETURNING id, trimmed",
			end, text(snapshot), stream, end).Scan(ctx, &id, &trimmed)
		return orNone(err)
	})
	if err != nil || id == 0 {
		return err
	}
	j.hub.shrunk(stream)
	return j.removeEvents(ctx, op, id, trimmed)
}

// Drop implements journal.Log. It first hides the stream from readers. Then it deletes the stream's
// events. If the process ends before the deletion, the next process deletes the events.
func (j *Journal) Drop(ctx context.Context, stream string) error {
	const op = "sqljournal.Drop"
	if err := cmp.Or(journal.CheckStream(stream), j.usable(ctx)); err != nil {
		return err
	}
	topics := []topic{streamTopic(stream)}
	var id int64
	err := j.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
		id, topics = 0, topics[:1]
		var asked []string
		if err := tx.NewRaw("DELETE FROM decisions WHERE stream = ? RETURNING id", stream).Scan(ctx, &asked); err != nil {
			return err
		}
		for _, question := range asked {
			topics = append(topics, decisionTopic(question))
		}
		err := orNone(tx.NewRaw("DELETE FROM streams WHERE name = ? RETURNING id", stream).Scan(ctx, &id))
		if err == nil && id != 0 {
			_, err = tx.NewRaw("INSERT INTO dropped (stream_id) VALUES (?)", id).Exec(ctx)
		}
		if err != nil {
			return err
		}
		return tell(ctx, j.db, tx, topics)
	})
	if err != nil {
		return err
	}
	j.hub.wake(topics...)
	if id == 0 {
		return nil
	}
	return j.removeDropped(ctx, op, id)
}

// sweepDropped deletes events of dropped streams that an earlier process left.
func (j *Journal) sweepDropped() {
	const op = "sqljournal.sweep"
	ctx, cancel := j.untilClosed()
	defer cancel()
	var ids []int64
	err := j.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) error {
		ids = nil
		return db.NewRaw("SELECT stream_id FROM dropped").Scan(ctx, &ids)
	})
	for _, id := range ids {
		if err == nil {
			err = j.removeDropped(ctx, op, id)
		}
	}
	_ = err // the remaining rows only take space until the next start
}

// removeDropped deletes the events of a dropped stream, and then its row in the table dropped. The next start repeats
// an interrupted removal.
func (j *Journal) removeDropped(ctx context.Context, op string, id int64) error {
	if err := j.removeEvents(ctx, op, id, math.MaxInt64); err != nil {
		return err
	}
	_, err := j.db.Change(ctx, op, func(ctx context.Context, tx bun.Tx) (sql.Result, error) {
		return tx.NewRaw("DELETE FROM dropped WHERE stream_id = ?", id).Exec(ctx)
	})
	return err
}

// removeEvents deletes a stream's events up to last, which are invisible to readers already.
func (j *Journal) removeEvents(ctx context.Context, op string, id, last int64) error {
	for {
		var first sql.NullInt64
		err := j.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) error {
			return db.NewRaw("SELECT min(seq) FROM events WHERE stream_id = ?", id).Scan(ctx, &first)
		})
		if err != nil || !first.Valid || first.Int64 > last {
			return err
		}
		end := min(last, first.Int64+sweepAtOnce-1)
		err = j.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
			for _, table := range []bun.Ident{"events", "pieces"} {
				if _, err := tx.NewRaw("DELETE FROM ? WHERE stream_id = ? AND seq <= ?", table, id, end).Exec(ctx); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}

// orNone returns nil for sql.ErrNoRows, and other errors unchanged.
func orNone(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}
