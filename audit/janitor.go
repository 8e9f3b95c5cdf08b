package audit

import (
	"context"
	"database/sql"
	"log/slog"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/database"
)

// Bounds of removing what is old.
const (
	cleanEvery = 10 * time.Minute // about
	cleanBatch = 200              // rows of a transaction: others wait for it
	cleanTime  = 30 * time.Second // of a transaction
)

// Run removes records that are older than Options.TTL, until ctx ends. Several
// gateways may do so at once.
func (l *Log) Run(ctx context.Context) {
	if l.opts.TTL <= 0 {
		return
	}
	background.About(ctx, cleanEvery, func(ctx context.Context) {
		removed, err := l.Clean(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			l.opts.Log.Warn("old records of calls cannot be removed now; it is tried again", slog.Any("err", err))
		case removed > 0:
			l.opts.Log.Info("old records of calls removed", slog.Int64("rows", removed))
		}
	})
}

// Clean removes what is older than Options.TTL now, and returns the number of
// rows, each with one record or more.
func (l *Log) Clean(ctx context.Context) (removed int64, err error) {
	if l.opts.TTL <= 0 {
		return 0, nil
	}
	before := database.Micros(time.Now().Add(-l.opts.TTL))
	for n := int64(cleanBatch); n == cleanBatch && err == nil; removed += n {
		n, err = l.cleanSome(ctx, before)
	}
	return removed, err
}

// cleanSome removes a batch of what ended before.
func (l *Log) cleanSome(ctx context.Context, before int64) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, cleanTime)
	defer cancel()
	return l.db.Change(ctx, "audit.Clean", func(ctx context.Context, tx bun.Tx) (sql.Result, error) {
		return tx.NewRaw("DELETE FROM audit WHERE (time, id) IN (SELECT time, id FROM audit WHERE time < ? ORDER BY time LIMIT ?)",
			before, cleanBatch).Exec(ctx)
	})
}
