package sqljournal

import (
	"cmp"
	"context"
	"time"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
)

// Lease implements journal.Leases. The database has no row for a released key. The first token of a
// new row is the current time, so it is above all tokens of an earlier row with the same key.
func (j *Journal) Lease(ctx context.Context, key, owner string, ttl time.Duration) (journal.Lease, error) {
	const op = "sqljournal.Lease"
	if err := cmp.Or(journal.CheckLease(key, owner, ttl), j.usable(ctx)); err != nil {
		return journal.Lease{}, err
	}
	if j.leave == nil {
		return journal.Lease{}, fault.New(op, sdkapi.StateUnavailable, "only a gateway may take leases, and this program is not a gateway; send the request to the gateway")
	}
	var token, expires int64
	err := j.together(ctx, op, func(ctx context.Context, tx bun.Tx) error {
		now, err := j.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		token, expires = 0, now+ttl.Microseconds()
		err = tx.NewRaw(`INSERT INTO leases AS l (key, owner, token, expires) VALUES (?, ?, ?, ?)
			ON CONFLICT (key) DO UPDATE SET owner = EXCLUDED.owner, expires = EXCLUDED.expires,
				token = l.token + CASE WHEN l.owner = EXCLUDED.owner THEN 0 ELSE 1 END
			WHERE l.owner = EXCLUDED.owner OR l.owner = '' OR l.expires <= ?
			RETURNING token`, key, owner, now, expires, now).Scan(ctx, &token)
		return orNone(err)
	})
	switch {
	case err != nil:
		return journal.Lease{}, err
	case token == 0:
		return journal.Lease{}, fault.New(op, sdkapi.LeaseHeld, "another worker holds the lease of %q; try again later", key)
	}
	return journal.Lease{Key: key, Owner: owner, Token: token, Expires: database.Time(expires)}, nil
}

// together runs do in a transaction. On SQLite it uses the writer's transaction: one of its own
// would make all appends wait for the disk once more. On PostgreSQL, which runs transactions in
// parallel, it is a separate one, because the writer locks rows in a fixed order.
func (j *Journal) together(ctx context.Context, op string, do func(ctx context.Context, tx bun.Tx) error) error {
	if j.db.Postgres() {
		return j.db.Write(ctx, op, do)
	}
	_, err := j.ask(ctx, &request{do: do, size: rowBytes})
	return err
}

// Release implements journal.Leases.
func (j *Journal) Release(ctx context.Context, lease journal.Lease) error {
	if err := j.usable(ctx); err != nil {
		return err
	}
	return j.together(ctx, "sqljournal.Release", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw("DELETE FROM leases WHERE key = ? AND owner = ? AND token = ?", lease.Key, lease.Owner, lease.Token).Exec(ctx)
		return err
	})
}

// Evict implements journal.Leases.
func (j *Journal) Evict(ctx context.Context, key string) error {
	if err := cmp.Or(journal.CheckKey(key), j.usable(ctx)); err != nil {
		return err
	}
	return j.together(ctx, "sqljournal.Evict", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw("DELETE FROM leases WHERE key = ?", key).Exec(ctx)
		return err
	})
}

// reclaim ends all leases if Options.Reclaim is set. The caller has made sure that nobody else has
// the journal open.
func (j *Journal) reclaim(ctx context.Context, options Options) error {
	if !options.Reclaim {
		return nil
	}
	return j.db.Write(ctx, "sqljournal.Open", func(ctx context.Context, tx bun.Tx) error {
		now, err := j.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		_, err = tx.NewRaw("UPDATE leases SET expires = ? WHERE owner <> '' AND expires > ?", now, now).Exec(ctx)
		return err
	})
}

// Abandoned implements journal.Leases.
func (j *Journal) Abandoned(ctx context.Context, prefix string) ([]journal.Lease, error) {
	if err := cmp.Or(journal.CheckPrefix(prefix), j.usable(ctx)); err != nil {
		return nil, err
	}
	var rows []struct {
		Key, Owner     string
		Token, Expires int64
	}
	err := j.db.Ask(ctx, "sqljournal.Abandoned", func(ctx context.Context, db *bun.DB) error {
		now, err := j.db.Now(ctx, db)
		if err != nil {
			return err
		}
		rows = nil
		return db.NewRaw(`SELECT key, owner, token, expires FROM leases
			WHERE owner <> '' AND expires <= ? AND substr(key, 1, ?) = ?
			ORDER BY expires, key LIMIT ?`, now, utf8.RuneCountInString(prefix), prefix, journal.MaxAbandoned).Scan(ctx, &rows)
	})
	if err != nil {
		return nil, err
	}
	list := make([]journal.Lease, len(rows))
	for i, r := range rows {
		list[i] = journal.Lease{Key: r.Key, Owner: r.Owner, Token: r.Token, Expires: database.Time(r.Expires)}
	}
	return list, nil
}
