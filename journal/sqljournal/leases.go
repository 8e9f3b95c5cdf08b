package sqljournal

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/database"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/sdkapi"
)

// Lease implements journal.Leases. A key that was given back has no owner, and
// keeps its token for the next one's to be above.
func (j *Journal) Lease(ctx context.Context, key, owner string, ttl time.Duration) (journal.Lease, error) {
	const op = "sqljournal.Lease"
	if err := journal.CheckLease(key, owner, ttl); err != nil {
		return journal.Lease{}, err
	}
	if err := j.usable(ctx); err != nil {
		return journal.Lease{}, err
	}
	var token, expires int64
	err := j.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
		now, err := j.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		token, expires = 0, now+ttl.Microseconds()
		err = tx.NewRaw(`INSERT INTO leases AS l (key, owner, token, expires) VALUES (?, ?, 1, ?)
			ON CONFLICT (key) DO UPDATE SET owner = EXCLUDED.owner, expires = EXCLUDED.expires,
				token = l.token + CASE WHEN l.owner = EXCLUDED.owner THEN 0 ELSE 1 END
			WHERE l.owner = EXCLUDED.owner OR l.owner = '' OR l.expires <= ?
			RETURNING token`, key, owner, expires, now).Scan(ctx, &token)
		return orNone(err)
	})
	switch {
	case err != nil:
		return journal.Lease{}, err
	case token == 0:
		return journal.Lease{}, fault.New(op, sdkapi.LeaseHeld, "somebody else works on %q", key)
	}
	return journal.Lease{Key: key, Owner: owner, Token: token, Expires: database.Time(expires)}, nil
}

// Release implements journal.Leases.
func (j *Journal) Release(ctx context.Context, lease journal.Lease) error {
	if err := j.usable(ctx); err != nil {
		return err
	}
	return j.db.Write(ctx, "sqljournal.Release", func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.NewRaw("UPDATE leases SET owner = '', expires = 0 WHERE key = ? AND owner = ? AND token = ?",
			lease.Key, lease.Owner, lease.Token).Exec(ctx)
		return err
	})
}
