package responses

import (
	"context"
	"database/sql"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/state/database"
)

// removeBatch is the number of responses that one transaction deletes; other writers wait for it.
const removeBatch = 100

// Delete deletes a user's response. It fails with NOT_FOUND if the user has no such response.
// Responses that continue it can no longer be continued.
func (s *Store) Delete(ctx context.Context, user, id string) error {
	n, err := s.remove(ctx, "user_id = ? AND id = ?", user, id)
	if err == nil && n == 0 {
		return missing("responses.Delete")
	}
	return err
}

// EraseUser deletes all responses of a user, and returns their number.
func (s *Store) EraseUser(ctx context.Context, user string) (int64, error) {
	return s.remove(ctx, "user_id = ?", user)
}

// Prune deletes the responses that were last used before a time, and returns their number. If dry
// is true, it only counts them.
func (s *Store) Prune(ctx context.Context, before time.Time, dry bool) (n int64, err error) {
	if !dry {
		return s.remove(ctx, "used < ?", database.Micros(before))
	}
	err = s.db.Ask(ctx, "responses.Prune", func(ctx context.Context, db *bun.DB) error {
		return db.NewRaw("SELECT count(*) FROM responses WHERE used < ?", database.Micros(before)).Scan(ctx, &n)
	})
	return n, err
}

// remove deletes the responses that match a condition, in several transactions, and returns their
// number.
func (s *Store) remove(ctx context.Context, condition string, values ...any) (int64, error) {
	return s.db.ChangeAll(ctx, "responses.remove", removeBatch, func(ctx context.Context, tx bun.Tx) (sql.Result, error) {
		return tx.NewRaw("DELETE FROM responses WHERE (user_id, id) IN (SELECT user_id, id FROM responses WHERE "+condition+" LIMIT ?)",
			append(append([]any{}, values...), removeBatch)...).Exec(ctx)
	})
}
