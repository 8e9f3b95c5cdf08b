package owned

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/progress"
	"github.com/windieos/windie/internal/trouble"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// MaxPage is the maximum number of artifacts in one page of a list.
const MaxPage = 100

var (
	_ artifacts.Lister = view{}
	_ artifacts.Lister = linking{}
)

type listRow struct {
	ID      string
	Created int64
	Size    int64
	Expires int64
	Kept    bool
	Stored  bool
}

// List implements artifacts.Lister.
func (v view) List(ctx context.Context, after string, limit int) (artifacts.Page, error) {
	const op = "owned.List"
	limit = min(max(limit, 1), MaxPage)
	created, id, err := parseCursor(after)
	if err != nil {
		return artifacts.Page{}, err
	}
	var rows []listRow
	err = v.of.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) error {
		rows = nil
		of := db.NewSelect().Table("artifacts").Column("id", "created", "size", "expires", "kept").
			Where("stored AND missing = 0 AND (expires = 0 OR expires > ?)", database.Micros(time.Now()))
		if v.owner != "" {
			of = of.Where("owner = ?", v.owner)
		}
		if after != "" {
			of = of.Where("(created, id) < (?, ?)", created, id)
		}
		return of.OrderExpr("created DESC, id DESC").Limit(int64(limit+1)).Scan(ctx, &rows)
	})
	if err != nil {
		return artifacts.Page{}, err
	}
	var page artifacts.Page
	if len(rows) > limit {
		rows = rows[:limit]
		page.Next = fmt.Sprintf("%d-%s", rows[limit-1].Created, rows[limit-1].ID)
	}
	for _, r := range rows {
		listed := artifacts.Listed{ID: r.ID, Size: r.Size, CreatedAt: database.Time(r.Created).Truncate(time.Second), Kept: r.Kept}
		listed.ExpiresAt = entry{expires: r.Expires}.expiresAt()
		page.Artifacts = append(page.Artifacts, listed)
	}
	return page, nil
}

// parseCursor parses the Next of a page. An empty cursor returns zero values, and an invalid one
// fails with VALIDATION_ERROR.
func parseCursor(cursor string) (created int64, id string, err error) {
	if cursor == "" {
		return 0, "", nil
	}
	first, id, _ := strings.Cut(cursor, "-")
	created, err = strconv.ParseInt(first, 10, 64)
	if err != nil || !artifacts.ValidID(id) {
		return 0, "", fault.New("owned.List", sdkapi.ValidationError, "invalid page cursor in the query parameter \"after\"; list again without this parameter").
			At("query.after", "expected the field next of the previous page")
	}
	return created, id, nil
}

// Keep implements artifacts.Lister.
func (v view) Keep(ctx context.Context, id string, kept bool) (artifacts.Info, error) {
	const op = "owned.Keep"
	if _, err := v.Stat(ctx, id); err != nil {
		return artifacts.Info{}, err
	}
	ttl := v.of.opts.TTL.Microseconds()
	_, err := v.of.db.Change(ctx, op, func(ctx context.Context, tx bun.Tx) (sql.Result, error) {
		if kept || ttl == 0 {
			return tx.NewRaw("UPDATE artifacts SET kept = ?, expires = 0 WHERE id = ? AND stored", kept, id).Exec(ctx)
		}
		return tx.NewRaw("UPDATE artifacts SET kept = ?, expires = (created + ?) / ? * ? WHERE id = ? AND stored AND kept",
			false, ttl+expiryUnit-1, expiryUnit, expiryUnit, id).Exec(ctx)
	})
	if err != nil {
		return artifacts.Info{}, database.FaultIn(ctx, op, err)
	}
	e, err := v.of.ask(ctx, op, id)
	if err == nil && !e.seenBy(v.owner) {
		err = artifacts.NotFound(op, id)
	}
	if err != nil {
		return artifacts.Info{}, err
	}
	return v.describe(ctx, op, id, e)
}

// EraseUser deletes all artifacts of an owner, and returns their number. It deletes the content
// first. If a Put is still running, EraseUser deletes its artifact too, and the Put fails.
func (s *Store) EraseUser(ctx context.Context, owner string) (removed int64, err error) {
	if owner == "" {
		return 0, fault.New("owned.EraseUser", sdkapi.ValidationError, "the owner is missing; name the user whose artifacts the gateway must remove")
	}
	return s.removeAll(ctx, "owner = ?", owner)
}

// Forget removes an owner's artifacts from the cache, so that views query the database again.
func (s *Store) Forget(owner string) {
	for _, id := range s.known.Keys() {
		if e, ok := s.known.Peek(id); ok && e.owner == owner {
			s.known.Remove(id)
		}
	}
}

// Prune deletes the artifacts that were stored before the given time, unless Keep protects them. It
// returns the number of these artifacts. If dry is true, it only counts them.
func (s *Store) Prune(ctx context.Context, before time.Time, dry bool) (n int64, err error) {
	const old = "created < ? AND stored AND NOT kept"
	if dry {
		err = s.db.Ask(ctx, "owned.Prune", func(ctx context.Context, db *bun.DB) error {
			return db.NewRaw("SELECT count(*) FROM artifacts WHERE "+old, database.Micros(before)).Scan(ctx, &n)
		})
		return n, err
	}
	return s.removeAll(ctx, old, database.Micros(before))
}

// removeAll deletes the artifacts that match a condition. If one fails, the others are still
// deleted; err is the first failure.
func (s *Store) removeAll(ctx context.Context, condition string, values ...any) (removed int64, err error) {
	const op = "owned.removeAll"
	var t trouble.Count
	for after := ""; ; {
		var rows []listRow
		err := s.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) error {
			rows = nil
			return db.NewRaw("SELECT id, stored FROM artifacts WHERE "+condition+" AND id > ? ORDER BY id LIMIT ?",
				append(append([]any{}, values...), after, expiredBatch)...).Scan(ctx, &rows)
		})
		if err != nil || len(rows) == 0 {
			return removed, cmp.Or(t.First, err)
		}
		after = rows[len(rows)-1].ID
		n, err := s.removeSome(ctx, op, rows, &t)
		removed += n
		progress.Report(ctx, "artifacts", removed, 0)
		if err != nil || t.Enough() || ctx.Err() != nil {
			return removed, cmp.Or(err, t.First, ctx.Err())
		}
	}
}

// removeSome deletes a batch as far as possible, and returns the number of deleted artifacts.
func (s *Store) removeSome(ctx context.Context, op string, rows []listRow, t *trouble.Count) (removed int64, err error) {
	var stored []string // artifacts whose content is deleted
	for _, row := range rows {
		if row.Stored {
			err = s.unlink(ctx, row.ID)
		} else {
			err = s.removeEarly(ctx, op, row.ID)
		}
		switch t.Note(err); {
		case err == nil && row.Stored:
			stored = append(stored, row.ID)
		case err == nil:
			removed++
		}
		if t.Enough() || ctx.Err() != nil {
			break
		}
	}
	if len(stored) == 0 {
		return removed, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
	defer cancel()
	if err := s.unlinked(ctx, stored); err != nil {
		return removed, err
	}
	_, err = s.db.Change(ctx, op, func(ctx context.Context, tx bun.Tx) (sql.Result, error) {
		return tx.NewRaw("DELETE FROM artifacts WHERE id IN (?)", bun.List(stored)).Exec(ctx)
	})
	for _, id := range stored {
		s.known.Remove(id)
	}
	if err == nil {
		removed += int64(len(stored))
	}
	return removed, database.FaultIn(ctx, op, err)
}

// removeEarly deletes an artifact whose Put is still running, content first. Its row is kept
// without an owner until it expires: content may still arrive, and the Put may crash before it
// deletes that.
func (s *Store) removeEarly(ctx context.Context, op, id string) error {
	if err := s.inner.Delete(ctx, id); err != nil {
		return err
	}
	n, err := s.db.Change(ctx, op, func(ctx context.Context, tx bun.Tx) (sql.Result, error) {
		return tx.NewRaw("UPDATE artifacts SET owner = '' WHERE id = ? AND NOT stored", id).Exec(ctx)
	})
	if err != nil || n == 1 {
		return database.FaultIn(ctx, op, err)
	}
	if err := s.inner.Delete(ctx, id); err != nil { // it was stored or deleted meanwhile
		return err
	}
	return s.forget(ctx, op, id, entry{found: true})
}

// unlink deletes content. The deletion is permanent after unlinked.
func (s *Store) unlink(ctx context.Context, id string) error {
	if many, ok := s.inner.(artifacts.Unlinker); ok {
		return many.Unlink(ctx, id)
	}
	return s.inner.Delete(ctx, id)
}

// unlinked makes deletions by unlink permanent. Call it before deleting the rows; otherwise the
// content could reappear after a power cut, without a row.
func (s *Store) unlinked(ctx context.Context, ids []string) error {
	if many, ok := s.inner.(artifacts.Unlinker); ok && len(ids) > 0 {
		return many.Unlinked(ctx, ids...)
	}
	return nil
}
