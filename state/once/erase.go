package once

import (
	"context"
	"database/sql"

	"github.com/uptrace/bun"
)

// EraseUser removes all keys of a user with what they stand for, and returns how many.
func (k *Keys) EraseUser(ctx context.Context, user string) (int64, error) {
	return k.erase(ctx, "user_id = ?", user)
}

// EraseTurns removes the keys of requests of a user that began a turn of a part, as an id of
// turns.Begun. It returns how many.
func (k *Keys) EraseTurns(ctx context.Context, user, part string) (int64, error) {
	return k.erase(ctx, "user_id = ? AND began LIKE ?", user, `%"part":"`+part+`"%`)
}

func (k *Keys) erase(ctx context.Context, condition string, values ...any) (int64, error) {
	return k.db.ChangeAll(ctx, op+".erase", cleanBatch, func(ctx context.Context, tx bun.Tx) (sql.Result, error) {
		return tx.NewRaw("DELETE FROM once WHERE (user_id, route, name) IN (SELECT user_id, route, name FROM once WHERE "+condition+" LIMIT ?)",
			append(append([]any{}, values...), cleanBatch)...).Exec(ctx)
	})
}
