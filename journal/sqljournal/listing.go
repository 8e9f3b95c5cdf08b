package sqljournal

import (
	"cmp"
	"context"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/database"
	"github.com/windieos/windie/journal"
)

// List implements journal.Decisions.
func (j *Journal) List(ctx context.Context, l journal.Listing) ([]journal.Decision, error) {
	if err := cmp.Or(journal.CheckListing(l), j.usable(ctx)); err != nil {
		return nil, err
	}
	var rows []decisionRow
	var now int64
	err := j.db.Ask(ctx, "sqljournal.List", func(ctx context.Context, db *bun.DB) (err error) {
		rows = nil
		if now, err = j.db.Now(ctx, db); err != nil {
			return err
		}
		return listed(db.NewSelect().Model(&rows), l, now).Limit(int64(l.Limit)).Scan(ctx)
	})
	list := make([]journal.Decision, len(rows))
	for i, row := range rows {
		list[i] = row.decision().At(database.Time(now))
	}
	return list, err
}

// listed adds to a query which decisions are asked for, and their order. One that
// expired without anybody looking is kept as pending still.
func listed(of *bun.SelectQuery, l journal.Listing, now int64) *bun.SelectQuery {
	of = of.Where("user_id = ? AND kind = ?", l.User, l.Kind)
	if l.Stream != "" {
		of = of.Where("substr(stream, 1, ?) = ?", len([]rune(l.Stream)), l.Stream)
	}
	switch l.State {
	case journal.Pending:
		of = of.Where("state = ? AND expires > ?", l.State, now)
	case journal.Expired:
		of = of.Where("(state = ? OR state = ? AND expires <= ?)", l.State, journal.Pending, now)
	case journal.Decided:
		of = of.Where("state = ? AND denied = ?", l.State, l.Denied)
	}
	than, order := ">", "created, id"
	if l.Newest {
		than, order = "<", "created DESC, id DESC"
	}
	if l.After != nil {
		of = of.Where("(created, id) ? (?, ?)", bun.Safe(than), database.Micros(l.After.Created), l.After.ID)
	}
	return of.OrderExpr(order)
}
