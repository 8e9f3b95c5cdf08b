package identity

import (
	"context"

	"github.com/uptrace/bun"
)

// Revocations are stored in a list, so that each gateway closes the open connections of a revoked
// install. The list is numbered in the order of commits: a reader that continues after a number
// misses nothing, whatever the clocks show.

// Revocation records a revoked install or a deleted user.
type Revocation struct {
	Seq     int64 // number of the revocation in the list, from 1
	User    string
	Install string // id of the revoked install; empty if the user was deleted with all installs
}

// LastRevocation returns the number of the newest revocation, or 0 if there are no revocations.
func (i *Identity) LastRevocation(ctx context.Context) (seq int64, err error) {
	err = i.db.Ask(ctx, "identity.LastRevocation", func(ctx context.Context, db *bun.DB) error {
		return db.NewRaw("SELECT coalesce(max(seq), 0) FROM revocations").Scan(ctx, &seq)
	})
	return seq, err
}

// Revocations returns the revocations whose number is greater than the parameter after. It returns
// at most 500, oldest first. If no revocations follow, the query is cheap, so callers can poll.
func (i *Identity) Revocations(ctx context.Context, after int64) (list []Revocation, err error) {
	err = i.db.Ask(ctx, "identity.Revocations", func(ctx context.Context, db *bun.DB) error {
		return db.NewRaw("SELECT seq, user_id AS user, install_id AS install FROM revocations WHERE seq > ? ORDER BY seq LIMIT ?", after, pageSize).Scan(ctx, &list)
	})
	return list, err
}

// Revoked reports whether a user is deleted or their install is revoked. If install is empty, it
// checks only the user.
func (i *Identity) Revoked(ctx context.Context, user, install string) (bool, error) {
	var letIn int
	err := i.db.Ask(ctx, "identity.Revoked", func(ctx context.Context, db *bun.DB) error {
		if install == "" {
			return db.NewRaw("SELECT count(*) FROM users WHERE id = ?", user).Scan(ctx, &letIn)
		}
		return db.NewRaw("SELECT count(*) FROM installs WHERE id = ? AND user_id = ? AND revoked = 0", install, user).Scan(ctx, &letIn)
	})
	return letIn == 0, err
}

// Revoke revokes an install, with effect from the next request, and adds it to the list of
// revocations. It also revokes the OAuth grants that people gave while they were signed in with the
// install's token. A grant is deleted. For any other install, a second call is not an error. Revoke
// fails with NOT_FOUND for an unknown install.
func (i *Identity) Revoke(ctx context.Context, install string) error {
	return i.db.Write(ctx, "identity.Revoke", func(ctx context.Context, tx bun.Tx) error {
		return i.RevokeIn(ctx, tx, install)
	})
}

// RevokeIn is Revoke within a transaction of the caller.
func (i *Identity) RevokeIn(ctx context.Context, tx bun.Tx, install string) error {
	now, err := i.listing(ctx, tx)
	if err != nil {
		return err
	}
	if err := revokeOne(ctx, tx, install, now); err != nil {
		return err
	}
	var grants []string
	if err := tx.NewRaw("SELECT install_id FROM oauth_grants WHERE parent_id = ? ORDER BY install_id", install).Scan(ctx, &grants); err != nil {
		return err
	}
	for _, grant := range grants {
		if err := revokeOne(ctx, tx, grant, now); err != nil {
			return err
		}
	}
	// A client can connect again and again, so the installs of ended grants are not kept.
	_, err = tx.NewRaw("DELETE FROM installs WHERE id IN (SELECT install_id FROM oauth_grants WHERE install_id = ? OR parent_id = ?)", install, install).Exec(ctx)
	return err
}

// revokeOne revokes an install at the time now, in microseconds since 1970. The caller has called
// listing.
func revokeOne(ctx context.Context, tx bun.Tx, install string, now int64) error {
	result, err := tx.NewRaw("INSERT INTO revocations (seq, user_id, install_id, at) "+
		"SELECT (SELECT coalesce(max(seq), 0) + 1 FROM revocations), user_id, id, ? FROM installs WHERE id = ?", now, install).Exec(ctx)
	if err := changedOne(result, err, "identity.Revoke", "there is no install %q", install); err != nil {
		return err
	}
	_, err = tx.NewRaw("UPDATE installs SET revoked = ? WHERE id = ? AND revoked = 0", now, install).Exec(ctx)
	return err
}

// DeleteUser deletes a user with all installs, and records the deletion in the list of revocations.
// Other data of the user is not deleted. Ids are never reused, so no other user gets that data. It
// fails with NOT_FOUND for an unknown user.
func (i *Identity) DeleteUser(ctx context.Context, user string) error {
	const op = "identity.DeleteUser"
	return i.db.Write(ctx, op, func(ctx context.Context, tx bun.Tx) error {
		now, err := i.listing(ctx, tx)
		if err != nil {
			return err
		}
		result, err := tx.NewRaw("DELETE FROM users WHERE id = ?", user).Exec(ctx)
		if err := changedOne(result, err, op, "there is no user %q", user); err != nil {
			return err
		}
		for _, table := range []string{"console_visits", "mcp_sessions"} {
			if _, err = tx.NewRaw("DELETE FROM ? WHERE user_id = ?", bun.Ident(table), user).Exec(ctx); err != nil {
				return err
			}
		}
		_, err = tx.NewRaw("INSERT INTO revocations (seq, user_id, install_id, at) SELECT coalesce(max(seq), 0) + 1, ?, '', ? FROM revocations", user, now).Exec(ctx)
		return err
	})
}

// listing locks the list before an entry is added, and returns the time in microseconds since 1970. Other
// callers wait until the transaction ends. If numbers were committed out of order, readers would miss
// some.
func (i *Identity) listing(ctx context.Context, tx bun.Tx) (now int64, err error) {
	if i.db.Postgres() {
		if _, err := tx.NewRaw("LOCK TABLE revocations IN EXCLUSIVE MODE").Exec(ctx); err != nil {
			return 0, err
		}
	}
	return i.db.Now(ctx, tx)
}
