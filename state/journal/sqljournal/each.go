package sqljournal

import (
	"context"
	"database/sql"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/state/journal"
)

// eachByItself are the statements by which SQLite appends: many small ones,
// parsed once, since parsing a long one takes longer than running these.
// PostgreSQL has three instead, as each is a round trip. Only the writer uses it.
type eachByItself struct {
	holds, grow, more, moreAs, keep *sql.Stmt
	ends                            map[string]streamEnd // by name; may be out of date
}

// streamEnd is where a stream ended when this gateway appended to it.
type streamEnd struct{ id, last int64 }

// maxEnds is how many ends are remembered, some 150 bytes each.
const maxEnds = 20_000

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

// in returns the statements within a transaction.
func (e *eachByItself) in(ctx context.Context, tx bun.Tx) *eachByItself {
	if e == nil {
		return nil
	}
	return &eachByItself{
		holds: tx.StmtContext(ctx, e.holds), grow: tx.StmtContext(ctx, e.grow), more: tx.StmtContext(ctx, e.more),
		moreAs: tx.StmtContext(ctx, e.moreAs), keep: tx.StmtContext(ctx, e.keep), ends: e.ends,
	}
}

// growAll makes each stream, or moves its end, and returns those that grow:
// requests whose lease is lost are refused.
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

// growOn moves the end of a stream that still ends where this gateway left it, for one who holds
// its lease or for anybody. It is one statement, and does nothing where any of that is not so.
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

// growAny makes a stream, or moves its end, for those of its requests that are
// by anybody or whose lease is held.
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

// held reports whether a lease is. None always is.
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

func (e *eachByItself) keepAll(ctx context.Context, rows [][]any) error {
	for _, row := range rows {
		if _, err := e.keep.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
	return nil
}

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
