package promptlist

import (
	"context"
	"database/sql"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/state/database"
)

// removeBatch is the number of entries that one transaction deletes; other writers wait for it.
const removeBatch = 500

// Delete deletes a user's entry, and reports whether the list had it. A missing entry is not an error.
func (l *List) Delete(ctx context.Context, user, id string) (found bool, err error) {
	n, err := l.remove(ctx, "user_id = ? AND id = ?", user, id)
	return n > 0, err
}

// DeleteConversation deletes the entries of a user's conversation, and returns their number.
func (l *List) DeleteConversation(ctx context.Context, user, conversation string) (int64, error) {
	return l.remove(ctx, "user_id = ? AND conversation = ?", user, conversation)
}

// EraseUser deletes all entries of a user, and returns their number.
func (l *List) EraseUser(ctx context.Context, user string) (int64, error) {
	return l.remove(ctx, "user_id = ?", user)
}

// Prune deletes the entries of old single prompts, and returns the number of these entries. A
// prompt is old if it began before the given time. Entries of conversations stay. If dry is true,
// Prune only counts the entries.
func (l *List) Prune(ctx context.Context, before time.Time, dry bool) (n int64, err error) {
	return l.prune(ctx, dry, "conversation = '' AND began < ?", database.Micros(before))
}

// PruneConversations deletes the entries of old conversations, and returns the number of these
// entries. A conversation is old if its last prompt began before the given time. If dry is true,
// PruneConversations only counts the entries.
func (l *List) PruneConversations(ctx context.Context, before time.Time, dry bool) (n int64, err error) {
	at := database.Micros(before)
	return l.prune(ctx, dry, "conversation <> '' AND began < ? AND NOT EXISTS (SELECT 1 FROM prompts AS later "+
		"WHERE later.user_id = prompts.user_id AND later.conversation = prompts.conversation AND later.began >= ?)", at, at)
}

// prune deletes the entries that match a condition, or only counts them if dry is true.
func (l *List) prune(ctx context.Context, dry bool, condition string, values ...any) (n int64, err error) {
	if !dry {
		return l.remove(ctx, condition, values...)
	}
	err = l.db.Ask(ctx, "promptlist.Prune", func(ctx context.Context, db *bun.DB) error {
		return db.NewRaw("SELECT count(*) FROM prompts WHERE "+condition, values...).Scan(ctx, &n)
	})
	return n, err
}

// remove deletes the entries that match a condition, in several transactions, and returns their
// number. After an error, some entries may be deleted.
func (l *List) remove(ctx context.Context, condition string, values ...any) (int64, error) {
	return l.db.ChangeAll(ctx, "promptlist.remove", removeBatch, func(ctx context.Context, tx bun.Tx) (sql.Result, error) {
		return tx.NewRaw("DELETE FROM prompts WHERE (user_id, id) IN (SELECT user_id, id FROM prompts WHERE "+condition+" LIMIT ?)",
			append(append([]any{}, values...), removeBatch)...).Exec(ctx)
	})
}
