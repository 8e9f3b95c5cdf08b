package sqljournal

import (
	"context"
	"database/sql"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/state/journal"
)

// eachByItself has the statements for appends on SQLite: small ones, which are parsed once and run
// for each row. Parsing one long statement takes longer. PostgreSQL uses three long statements
// instead, because each statement costs a round trip. Only the writer uses an eachByItself.
type eachByItself struct {
	holds, grow, more, moreAs, keep *sql.Stmt
	ends                            map[string]streamEnd // by stream name; may be out of date
}

// streamEnd is a stream's id and last number when this gateway last appended to it.
type streamEnd struct{ id, last int64 }

// maxEnds limits the remembered ends, of some 150 bytes each.
const maxEnds = 20_000

// prepareEach returns the statements of the writer, and prepares them at the first call. It returns nil on PostgreSQL.
func (j *Journal) prepareEach(ctx context.Context) (*eachByItself, error) {
	if j.each != nil || j.db.Postgres() {
		return j.each, nil
	}
	const held = "EXISTS (SELECT 1 FROM leases WHERE key = ? AND owner = ? AND token = ?)"
	const more = "UPDATE streams SET last = ? WHERE id = ? AND last = ?"
	e := eachByItself{ends: map[string]streamEnd{}}
	for _, s := range []struct {
		to   **sql.Stmt
		text string
	}{
		{&e.holds, "SELECT " + held},
		{&e.grow, "INSERT INTO streams AS s (id, name, last, trimmed) VALUES (?, ?, ?, 0) " +
			"ON CONFLICT (name) DO UPDATE SET last = s.last + EXCLUDED.last RETURNING id, last"},
		{&e.more, more},
		{&e.moreAs, more + " AND " + held},
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

// in returns the statements for use in a transaction.
func (e *eachByItself) in(ctx context.Context, tx bun.Tx) *eachByItself {
	if e == nil {
		return nil
	}
	return &eachByItself{
		holds: tx.StmtContext(ctx, e.holds), grow: tx.StmtContext(ctx, e.grow), more: tx.StmtContext(ctx, e.more),
		moreAs: tx.StmtContext(ctx, e.moreAs), keep: tx.StmtContext(ctx, e.keep), ends: e.ends,
	}
}

// growAll creates each stream or moves its end, and returns the streams that grew. It refuses
// requests whose lease is lost.
func (e *eachByItself) growAll(ctx context.Context, streams []*growth) (grown []*growth, err error) {
	for _, g := range streams {
		done, err := e.growOn(ctx, g)
		if err == nil && !done {
			err = e.growAny(ctx, g)
		}
		switch {
		case err != nil:
			return nil, err
		case len(g.requests) > 0:
			grown = append(grown, g)
		}
	}
	return grown, nil
}

// growOn moves the end of a stream in one statement. It returns false and changes nothing if
// another gateway has appended since, if the lease is lost, or if several requests append to the
// stream.
func (e *eachByItself) growOn(ctx context.Context, g *growth) (bool, error) {
	end, known := e.ends[g.name]
	if !known || len(g.requests) > 1 {
		return false, nil
	}
	last := end.last + g.count
	stmt, args := e.more, []any{last, end.id, end.last}
	if l := g.requests[0].lease; l != nil {
		if l.Owner == "" {
			return false, nil
		}
		stmt, args = e.moreAs, append(args, l.Key, l.Owner, l.Token)
	}
	changed, err := stmt.ExecContext(ctx, args...)
	if err != nil {
		return false, err
	}
	n, err := changed.RowsAffected()
	if err != nil || n == 0 {
		return false, err
	}
	g.id, g.last = end.id, last
	return true, nil
}

// growAny creates a stream or moves its end, for the requests without a lease and those whose lease
// is valid.
func (e *eachByItself) growAny(ctx context.Context, g *growth) error {
	held := g.requests[:0:0]
	for _, r := range g.requests {
		ok, err := e.held(ctx, r.lease)
		switch {
		case err != nil:
			return err
		case ok:
			held = append(held, r)
		default:
			r.err = leaseLost(*r.lease)
			g.count -= int64(len(r.events))
		}
	}
	if g.requests = held; len(held) == 0 {
		return nil
	}
	return e.grow.QueryRowContext(ctx, newID(), g.name, g.count).Scan(&g.id, &g.last)
}

// held reports whether a lease is valid. A nil lease always is.
func (e *eachByItself) held(ctx context.Context, l *journal.Lease) (held bool, err error) {
	if l == nil {
		return true, nil
	}
	if l.Owner == "" {
		return false, nil
	}
	err = e.holds.QueryRowContext(ctx, l.Key, l.Owner, l.Token).Scan(&held)
	return held, err
}

// keepAll inserts rows into the table of events, with the values in the order of the statement keep.
func (e *eachByItself) keepAll(ctx context.Context, rows [][]any) error {
	for _, row := range rows {
		if _, err := e.keep.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
	return nil
}

// remember notes the ends of streams after their transaction was committed. It does nothing if e is nil.
func (e *eachByItself) remember(grown []*growth) {
	if e == nil {
		return
	}
	if len(e.ends) > maxEnds {
		clear(e.ends)
	}
	for _, g := range grown {
		e.ends[g.name] = streamEnd{g.id, g.last}
	}
}
