package audit

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/state/database"
)

// Erased is the text that replaces the id of an erased user in the records. It also replaces the
// names of tools that the user's clients registered.
const Erased = "erased"

// eraseBatch is the number of rows that one transaction changes.
const eraseBatch = 100

// cleanBatch is the number of rows that one transaction deletes; other writers wait for it.
const cleanBatch = 200

// EraseUser removes a user's identity and data from the records: sessions, ids of calls, digests, and those names of
// tools that a client registered or a model invented. It keeps the record of each call, with time and outcome. It
// returns the number of changed rows.
func (l *Log) EraseUser(ctx context.Context, user string) (changed int64, err error) {
	if user == Erased {
		return 0, nil
	}
	for n := eraseBatch; n == eraseBatch; changed += int64(n) {
		err := l.db.Write(ctx, "audit.EraseUser", func(ctx context.Context, tx bun.Tx) error {
			var rows []row
			if err := tx.NewSelect().Model(&rows).Where("user_id = ?", user).Limit(eraseBatch).Scan(ctx); err != nil {
				return err
			}
			n = len(rows)
			for _, r := range rows {
				if err := erase(ctx, tx, r); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return changed, err
		}
	}
	return changed, nil
}

// erase replaces a row with one without the user's data. It keeps the row's key, so that the row
// keeps its place in the log.
func erase(ctx context.Context, tx bun.Tx, r row) error {
	records, err := r.unpack()
	if err != nil {
		return err
	}
	tool := r.Tool
	for i, old := range records {
		if old.Origin == "" || old.Origin == "client" {
			tool = Erased
		}
		records[i] = Record{
			Time: old.Time, ID: old.ID, Origin: old.Origin, Decision: old.Decision, Code: old.Code, Duration: old.Duration,
			Fuel: old.Fuel, Memory: old.Memory, HostCalls: old.HostCalls, Egress: old.Egress, Tokens: old.Tokens,
		}
	}
	group := group{records: []byte{'['}}
	for i := range records {
		group.records = append(records[i].appendTo(group.records), ',')
	}
	group.records[len(group.records)-1] = ']'
	_, err = tx.NewRaw("UPDATE audit SET user_id = ?, tool = ?, records = ? WHERE time = ? AND id = ?", Erased, tool, string(group.records), r.Time, r.ID).Exec(ctx)
	return err
}

// ErasedUser records that a user's data was erased. It records the number of deleted items of each
// kind, but not the user's id.
func (l *Log) ErasedUser(ctx context.Context, removed map[string]int64) error {
	now := time.Now()
	var groups [][]any
	for kind, n := range removed {
		r := Record{Time: now, ID: rand.Int64(), Decision: None, Removed: n} //nolint:gosec // it is no secret
		text := append(append([]byte{'['}, r.appendTo(nil)...), ']')
		groups = append(groups, []any{database.Micros(now), r.ID, Erased, "erase." + kind, "", string(Done), string(text)})
	}
	return l.db.Write(ctx, "audit.ErasedUser", func(ctx context.Context, tx bun.Tx) error {
		return l.db.Insert(ctx, tx, "INSERT INTO audit ("+columns+")", groups)
	})
}

// Prune deletes the rows of all records that are older than the given time, and returns their
// number. If dry is true, Prune only counts the rows.
func (l *Log) Prune(ctx context.Context, before time.Time, dry bool) (n int64, err error) {
	if dry {
		err = l.db.Ask(ctx, "audit.Prune", func(ctx context.Context, db *bun.DB) error {
			return db.NewRaw("SELECT count(*) FROM audit WHERE time < ?", database.Micros(before)).Scan(ctx, &n)
		})
		return n, err
	}
	return l.db.ChangeAll(ctx, "audit.Prune", cleanBatch, func(ctx context.Context, tx bun.Tx) (sql.Result, error) {
		return tx.NewRaw("DELETE FROM audit WHERE (time, id) IN (SELECT time, id FROM audit WHERE time < ? ORDER BY time LIMIT ?)",
			database.Micros(before), cleanBatch).Exec(ctx)
	})
}
