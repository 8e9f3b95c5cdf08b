package sqljournal

import (
	"cmp"
	"context"
	"database/sql"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
)

// Streams implements journal.Log.
func (j *Journal) Streams(ctx context.Context, prefix, after string, limit int) ([]journal.Stream, error) {
	if err := cmp.Or(journal.CheckStreams(prefix, after, limit), j.usable(ctx)); err != nil {
		return nil, err
	}
	var rows []struct {
		Name string
		Last int64
		Used sql.NullInt64
	}
	err := j.db.Ask(ctx, "sqljournal.Streams", func(ctx context.Context, db *bun.DB) error {
		rows = nil
		of := db.NewSelect().TableExpr("streams AS s").ColumnExpr("s.name, s.last, e.time AS used").
			Join("LEFT JOIN events AS e ON e.stream_id = s.id AND e.seq = s.last").Where("s.name > ?", after)
		if prefix != "" {
			of = of.Where("s.name >= ? AND s.name < ?", prefix, journal.EndOf(prefix))
		}
		return of.Order("s.name").Limit(int64(limit)).Scan(ctx, &rows)
	})
	list := make([]journal.Stream, len(rows))
	for i, r := range rows {
		list[i] = journal.Stream{Name: r.Name, Last: r.Last}
		if r.Used.Valid {
			list[i].Used = database.Time(r.Used.Int64)
		}
	}
	return list, err
}
