package once

import (
	"context"
	"database/sql"

	"github.com/uptrace/bun"
)

// EraseUser deletes all claims of a user, and returns their number.
func (k *Keys) EraseUser(ctx context.Context, user string) (int64, error) {
	return k.erase(ctx, "user_id = ?", user)
}

// EraseTurns deletes claims of a user, and returns their number. A claim is the stored record of an
// idempotency key. EraseTurns deletes only the claims of requests that began a turn in one session.
// part identifies this session, in the form of turns.Begun.Part.
func (k *Keys) EraseTurns(ctx context.Context, user, part string) (int64, error) {
	// not LIKE: it has wildcards, and SQLite's ignores case
	return k.erase(ctx, "user_id = ? AND replace(began, ?, '') <> began", user, `"part":"`+part+`"`)
}

// erase deletes the claims that match a condition, cleanBatch in each transaction, and returns their number.
func (k *Keys) erase(ctx context.Context, condition string, values ...any) (int64, error) {
	return k.db.ChangeAll(ctx, op+".erase", cleanBatch, func(ctx context.Context, tx bun.Tx) (sql.Result, error) {
		return tx.NewRaw("DELETE FROM once WHERE (user_id, route, name) IN (SELECT user_id, route, name FROM once WHERE "+condition+" LIMIT ?)",
			append(append([]any{}, values...), cleanBatch)...).Exec(ctx)
	})
}
