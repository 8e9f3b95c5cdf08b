package values

import (
	"context"

	"github.com/uptrace/bun"
)

// emptyBatch is how many entries one transaction deletes; other writers wait for it.
const emptyBatch = 100

// Forget deletes all values of a plugin, for all users. A plugin without values is not an error.
func (s *Store) Forget(plugin string) error {
	const op = "values.Forget"
	ctx := context.Background()
	var users []string
	err := s.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) error {
		users = nil
		return db.NewRaw("SELECT user_id FROM plugin_stores WHERE plugin = ?", plugin).Scan(ctx, &users)
	})
	for _, user := range users {
		if err == nil {
			_, err = s.Plugin(plugin, 0).of(user).empty(ctx, op)
		}
	}
	return failed(op, err)
}

// EraseUser deletes all values that plugins have stored for a user, and returns the number of
// deleted entries. It does not delete the values that all users share.
func (s *Store) EraseUser(ctx context.Context, user string) (removed int64, err error) {
	const op = "values.EraseUser"
	var plugins []string
	err = s.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) error {
		plugins = nil
		return db.NewRaw("SELECT plugin FROM plugin_stores WHERE user_id = ? AND user_id <> ''", user).Scan(ctx, &plugins)
	})
	for _, plugin := range plugins {
		if err == nil {
			var n int64
			n, err = s.Plugin(plugin, 0).of(user).empty(ctx, op)
			removed += n
		}
	}
	return removed, failed(op, err)
}

// of returns the same plugin's bucket for another user, or the shared one if user is empty.
func (b *Bucket) of(user string) *Bucket {
	return &Bucket{db: b.db, plugin: b.plugin, user: user}
}

// empty deletes all entries, and returns their number.
func (b *Bucket) empty(ctx context.Context, op string) (removed int64, err error) {
	for more := true; more && err == nil; {
		var n int64
		err = b.change(ctx, op, func(ctx context.Context, tx bun.Tx, _ int64) (usage, error) {
			var sizes []int64
			err := tx.NewRaw("DELETE FROM plugin_values WHERE plugin = ?0 AND user_id = ?1 AND name IN "+
				"(SELECT name FROM plugin_values WHERE plugin = ?0 AND user_id = ?1 LIMIT ?2) RETURNING length(name) + length(value)",
				b.plugin, b.user, emptyBatch).Scan(ctx, &sizes)
			n = int64(len(sizes))
			added := usage{entries: -n, bytes: -n * EntryCost}
			for _, size := range sizes {
				added.bytes -= size
			}
			return added, err
		})
		if err == nil {
			removed, more = removed+n, n == emptyBatch
		}
	}
	return removed, err
}
