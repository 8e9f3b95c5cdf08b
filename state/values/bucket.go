package values

import (
	"context"
	"database/sql"
	"errors"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// Bucket has the stored values of one plugin, either for one user or for all users together. Make
// one with Store.User or Store.Plugin.
type Bucket struct {
	db     *database.DB
	plugin string
	user   string // empty for the values that all users share
	quota  int64  // bytes
	total  int64  // maximum bytes in all users' buckets of the plugin
}

// usage is the size of a bucket, or the change of its size.
type usage struct{ bytes, entries int64 }

// Get returns the value of a key. found is false if the key has no value.
func (b *Bucket) Get(ctx context.Context, key string) (value []byte, found bool, err error) {
	const op = "values.Get"
	if err := checkKey(op, key); err != nil {
		return nil, false, err
	}
	err = b.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) error {
		err := db.DB.QueryRowContext(ctx, "SELECT value FROM plugin_values WHERE plugin = $1 AND user_id = $2 AND name = $3", b.plugin, b.user, []byte(key)).Scan(&value)
		found = err == nil
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return value, found, failed(op, err)
}

// Set stores the value of a key. If the bucket would exceed its quota, Set fails with a TOOL_ERROR,
// and ErrQuota is in the chain of that error. An invalid key or value fails with VALIDATION_ERROR.
func (b *Bucket) Set(ctx context.Context, key string, value []byte) error {
	const op = "values.Set"
	if err := checkKey(op, key); err != nil {
		return err
	}
	if len(value) > MaxValue {
		return fault.New(op, sdkapi.ValidationError, "the value is too long to store").
			At("value", "expected at most %d bytes, not %d", MaxValue, len(value))
	}
	value = append([]byte{}, value...) // nil would become NULL
	return failed(op, b.change(ctx, op, func(ctx context.Context, tx bun.Tx, all int64) (added usage, err error) {
		var used int64
		var old sql.NullInt64 // bytes of the previous value
		err = tx.NewRaw("SELECT coalesce((SELECT bytes FROM plugin_stores WHERE plugin = ?0 AND user_id = ?1), 0), "+
			"(SELECT length(value) FROM plugin_values WHERE plugin = ?0 AND user_id = ?1 AND name = ?2)", b.plugin, b.user, []byte(key)).Scan(ctx, &used, &old)
		if err != nil {
			return added, err
		}
		added = usage{bytes: int64(len(value)) - old.Int64}
		if !old.Valid {
			added = usage{bytes: int64(len(key)) + int64(len(value)) + EntryCost, entries: 1}
		}
		switch {
		case added.bytes > 0 && used+added.bytes > b.quota:
			return added, b.full(op, used, added.bytes)
		case added.bytes > 0 && b.user != "" && all+added.bytes > b.total:
			return added, b.allFull(op, all)
		}
		_, err = tx.Tx.ExecContext(ctx, "INSERT INTO plugin_values (plugin, user_id, name, value) VALUES ($1, $2, $3, $4) "+
			"ON CONFLICT (plugin, user_id, name) DO UPDATE SET value = excluded.value", b.plugin, b.user, []byte(key), value)
		return added, err
	}))
}

// Delete removes the entry of a key. A missing entry is not an error.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	const op = "values.Delete"
	_, found, err := b.Get(ctx, key)
	if err != nil || !found {
		return err // without a write
	}
	return failed(op, b.change(ctx, op, func(ctx context.Context, tx bun.Tx, _ int64) (added usage, err error) {
		var size int64
		err = tx.NewRaw("DELETE FROM plugin_values WHERE plugin = ? AND user_id = ? AND name = ? RETURNING length(value)", b.plugin, b.user, []byte(key)).Scan(ctx, &size)
		if errors.Is(err, sql.ErrNoRows) { // another call has removed it
			return added, nil
		}
		return usage{bytes: -int64(len(key)) - size - EntryCost, entries: -1}, err
	}))
}

// List returns one page of the keys that begin with prefix, in byte order. The page has at most
// limit keys. cursor is the last key of the previous page, and empty for the first page. A limit of
// 0, or above MaxList, means MaxList.
func (b *Bucket) List(ctx context.Context, prefix, cursor string, limit int) (keys []string, err error) {
	const op = "values.List"
	if limit < 0 {
		return nil, fault.New(op, sdkapi.ValidationError, "invalid limit for the list of keys").At("limit", "expected 0 or more, not %d", limit)
	}
	if limit == 0 || limit > MaxList {
		limit = MaxList
	}
	query := "SELECT name FROM plugin_values WHERE plugin = ? AND user_id = ? AND name >= ? AND name > ?"
	values := []any{b.plugin, b.user, []byte(prefix), []byte(cursor)}
	if end := behind(prefix); end != nil {
		query, values = query+" AND name < ?", append(values, end)
	}
	err = b.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) error {
		keys = nil
		return db.NewRaw(query+" ORDER BY name LIMIT ?", append(values, limit)...).Scan(ctx, &keys)
	})
	return keys, failed(op, err)
}

// behind returns the first bytes that sort after all keys with prefix; nil if there are none.
func behind(prefix string) []byte {
	for end := []byte(prefix); len(end) > 0; end = end[:len(end)-1] {
		if end[len(end)-1] < 0xff {
			end[len(end)-1]++
			return end
		}
	}
	return nil
}

// Usage returns the size of the bucket in bytes, and its number of entries. The size is counted as
// for the quota: each entry adds EntryCost bytes to the size of its key and value.
func (b *Bucket) Usage(ctx context.Context) (bytes, entries int64, err error) {
	const op = "values.Usage"
	err = b.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) error {
		return db.NewRaw("SELECT coalesce(sum(bytes), 0), coalesce(sum(entries), 0) FROM plugin_stores WHERE plugin = ? AND user_id = ?", b.plugin, b.user).Scan(ctx, &bytes, &entries)
	})
	return bytes, entries, failed(op, err)
}

// change runs do in a transaction that excludes other changes of the plugin's values. do gets the
// total bytes of all users' buckets, and returns the change of this bucket's size.
func (b *Bucket) change(ctx context.Context, op string, do func(ctx context.Context, tx bun.Tx, all int64) (usage, error)) error {
	return b.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
		var all int64
		err := tx.NewRaw("INSERT INTO plugin_totals (plugin, bytes) VALUES (?, 0) "+
			"ON CONFLICT (plugin) DO UPDATE SET bytes = plugin_totals.bytes RETURNING bytes", b.plugin).Scan(ctx, &all)
		if err != nil {
			return err
		}
		added, err := do(ctx, tx, all)
		if err != nil || added == (usage{}) {
			return err
		}
		_, err = tx.NewRaw("INSERT INTO plugin_stores (plugin, user_id, bytes, entries) VALUES (?, ?, ?, ?) ON CONFLICT (plugin, user_id) "+
			"DO UPDATE SET bytes = plugin_stores.bytes + excluded.bytes, entries = plugin_stores.entries + excluded.entries",
			b.plugin, b.user, added.bytes, added.entries).Exec(ctx)
		if err == nil && added.entries < 0 {
			_, err = tx.NewRaw("DELETE FROM plugin_stores WHERE plugin = ? AND user_id = ? AND entries = 0", b.plugin, b.user).Exec(ctx)
		}
		if err == nil && b.user != "" {
			_, err = tx.NewRaw("UPDATE plugin_totals SET bytes = bytes + ? WHERE plugin = ?", added.bytes, b.plugin).Exec(ctx)
		}
		return err
	})
}

// allFull returns the error for the limit of all users' buckets together.
func (b *Bucket) allFull(op string, used int64) error {
	return fault.New(op, sdkapi.ToolError, "the plugin %q already stores %d of its %d bytes for all users together; the operator can raise total_bytes in its grant", b.plugin, used, b.total).Because(ErrQuota)
}

// full returns the error for the quota of this bucket. used is its size, and more the size of the
// refused change, in bytes.
func (b *Bucket) full(op string, used, more int64) error {
	return fault.New(op, sdkapi.ToolError, "the plugin %q already stores %d of its %d bytes, and another %d bytes do not fit; delete stored values, or ask the operator to raise its quota", b.plugin, used, b.quota, more).Because(ErrQuota)
}

// checkKey returns VALIDATION_ERROR for a key that is empty, too long or not UTF-8.
func checkKey(op, key string) error {
	if key != "" && len(key) <= MaxKey && utf8.ValidString(key) {
		return nil
	}
	return fault.New(op, sdkapi.ValidationError, "invalid key: expected 1 to %d bytes of UTF-8, but the key has %d bytes", MaxKey, len(key)).
		At("key", "expected 1 to %d bytes of UTF-8, not %.*q", MaxKey, MaxKey, key)
}
