package sqljournal

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/journal"
)

// eachByItself are the statements by which SQLite appends: many small ones, and
// parsed once, since a long one takes it more time to parse than these to run.
// PostgreSQL has the same in three questions, as each is a round trip.
type eachByItself struct{ holds, grow, keep *sql.Stmt }

// prepareEach prepares them the first time. Only the writer calls it.
func (j *Journal) prepareEach(ctx context.Context) (*eachByItself, error) {
	if j.each != nil || j.db.Postgres() {
		return j.each, nil
	}
	var e eachByItself
	for _, s := range []struct {
		to   **sql.Stmt
		text string
	}{
		{&e.holds, "SELECT 1 FROM leases WHERE key = ? AND owner = ? AND token = ?"},
		{&e.grow, "INSERT INTO streams AS s (id, name, last, trimmed) VALUES (?, ?, ?, 0) " +
			"ON CONFLICT (name) DO UPDATE SET last = s.last + EXCLUDED.last RETURNING id, last"},
		{&e.keep, "INSERT INTO events (stream_id, seq, time, kind, data) VALUES (?, ?, ?, ?, ?)"},
	} {
		var err error
		if *s.to, err = j.db.Prepare(ctx, s.text); err != nil { //nolint:sqlclosecheck // they end with the database
			return nil, err
		}
	}
	j.each = &e
	return j.each, nil
}

// in returns the statements within a transaction.
func (e *eachByItself) in(ctx context.Context, tx bun.Tx) *eachByItself {
	if e == nil {
		return nil
	}
	return &eachByItself{tx.StmtContext(ctx, e.holds), tx.StmtContext(ctx, e.grow), tx.StmtContext(ctx, e.keep)}
}

// lost returns which leases of a batch are lost.
func (e *eachByItself) lost(ctx context.Context, batch []*request) (func(journal.Lease) bool, error) {
	held := map[leaseRow]bool{}
	for _, r := range batch {
		if r.lease == nil {
			continue
		}
		l := leaseRow{r.lease.Key, r.lease.Owner, r.lease.Token}
		if _, known := held[l]; known {
			continue
		}
		var one int
		err := e.holds.QueryRowContext(ctx, l.Key, l.Owner, l.Token).Scan(&one)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return nil, err
		}
		held[l] = err == nil
	}
	return func(l journal.Lease) bool { return l.Owner == "" || !held[leaseRow{l.Key, l.Owner, l.Token}] }, nil
}

// growAll makes each stream, or moves its end.
func (e *eachByItself) growAll(ctx context.Context, streams []*growth) error {
	for _, g := range streams {
		if err := e.grow.QueryRowContext(ctx, newID(), g.name, g.count).Scan(&g.id, &g.last); err != nil {
			return err
		}
	}
	return nil
}

// keepAll inserts events.
func (e *eachByItself) keepAll(ctx context.Context, rows [][]any) error {
	for _, row := range rows {
		if _, err := e.keep.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
	return nil
}
