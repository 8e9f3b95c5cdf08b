package sqljournal

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
)

// page is the result of one read of a stream. The zero value is that of a missing stream.
type page struct {
	mark
	trimmed int64
	events  []journal.Event
}

// maxCursor keeps sums with a cursor within 64 bits.
const maxCursor = 1 << 62

// Read implements journal.Log.
func (j *Journal) Read(ctx context.Context, stream string, after int64, limit int) ([]journal.Event, error) {
	if err := cmp.Or(journal.CheckRead(stream, after, limit), j.usable(ctx)); err != nil {
		return nil, err
	}
	p, err := j.look(ctx, stream, after, limit, journal.MaxPage)
	return p.events, err
}

// maxLooks limits the tries of a read whose events are removed meanwhile, for example by a trim.
const maxLooks = 10

// look reads at most limit events after a cursor, with at most maxBytes bytes of data but at least one
// event. A Resync replaces trimmed ones.
func (j *Journal) look(ctx context.Context, stream string, after int64, limit, maxBytes int) (page, error) {
	const op = "sqljournal.Read"
	after = min(after, maxCursor)
	for look := 1; ; look++ {
		var found page
		err := j.db.Ask(ctx, op, func(ctx context.Context, db *bun.DB) error {
			var err error
			if found, err = readPage(ctx, db, stream, after, limit, maxBytes); err != nil {
				return err
			}
			if found.trimmed > after {
				if err := found.resync(ctx, db, limit); err != nil {
					return err
				}
			}
			return found.join(ctx, db)
		})
		switch {
		case errors.Is(err, errDropped):
			return page{}, nil
		case errors.Is(err, errNotWhole) && look < maxLooks:
			continue
		case errors.Is(err, errNotWhole):
			return page{}, fault.New(op, sdkapi.Internal, "an event of the stream %q is incomplete in the database; restore a backup", stream).Because(err)
		}
		return found, err
	}
}

// readPage reads a stream and its events in one statement, so that both are of the same moment.
func readPage(ctx context.Context, db *bun.DB, stream string, after int64, limit, maxBytes int) (page, error) {
	var p page
	rows, err := db.QueryContext(ctx, `SELECT s.id, s.last, s.trimmed, e.seq, e.time, e.kind, e.data
		FROM streams AS s LEFT JOIN events AS e ON e.stream_id = s.id
			AND e.seq > CASE WHEN s.trimmed > ? THEN s.trimmed ELSE ? END
			AND e.seq <= CASE WHEN s.trimmed > ? THEN s.trimmed ELSE ? END + ?
		WHERE s.name = ? ORDER BY e.seq`, after, after, after, after, limit, stream)
	if err != nil {
		return page{}, err
	}
	defer func() { _ = rows.Close() }() // Err returns the error
	for size := 0; rows.Next(); {
		var seq, at sql.NullInt64
		var kind, data sql.NullString
		if err := rows.Scan(&p.id, &p.last, &p.trimmed, &seq, &at, &kind, &data); err != nil {
			return page{}, err
		}
		if !seq.Valid { // the stream exists and has no event after the cursor
			break
		}
		n, _ := sizeOf(data.String)
		if size += n; size > maxBytes && len(p.events) > 0 {
			break
		}
		p.events = append(p.events, journal.Event{Seq: seq.Int64, Time: database.Time(at.Int64), Kind: kind.String, Data: json.RawMessage(data.String)})
	}
	return p, rows.Err()
}

// errDropped ends a read of a stream that was dropped meanwhile.
var errDropped = errors.New("the stream was deleted")

// resync puts a Resync in place of trimmed events. If the stream was trimmed further since its
// events were read, the Resync replaces those events too.
func (p *page) resync(ctx context.Context, db *bun.DB, limit int) error {
	var snapshot sql.NullString
	err := db.NewRaw("SELECT trimmed, snapshot FROM streams WHERE id = ?", p.id).Scan(ctx, &p.trimmed, &snapshot)
	if errors.Is(err, sql.ErrNoRows) {
		return errDropped
	}
	if err != nil {
		return err
	}
	events := []journal.Event{{Seq: p.trimmed, Kind: journal.Resync, Data: json.RawMessage(text(json.RawMessage(snapshot.String)))}}
	for _, e := range p.events {
		if e.Seq > p.trimmed && len(events) < limit {
			events = append(events, e)
		}
	}
	p.events = events
	p.last = max(p.last, p.trimmed)
	return nil
}
