package sqljournal

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
)

// The rows of the tables in migrations/0001_journal.sql.

type streamRow struct {
	bun.BaseModel `bun:"table:streams,alias:s"`

	ID      int64 `bun:"id,pk"`
	Name    string
	Last    int64
	Trimmed int64
}

type decisionRow struct {
	bun.BaseModel `bun:"table:decisions"`

	ID      string `bun:"id,pk"`
	Stream  string
	UserID  string
	Kind    string
	Digest  string
	Request string
	Created int64
	Expires int64
	State   journal.State
	Denied  bool
	Reason  string
	Value   string
	Ended   int64
}

type leaseRow struct {
	Key   string
	Owner string
	Token int64
}

// rowOf returns the row of a decision. Its times are cut to microseconds.
func rowOf(d journal.Decision) *decisionRow {
	row := &decisionRow{
		ID: d.ID, Stream: d.Stream, UserID: d.User, Kind: d.Kind, Digest: d.Digest, Request: text(d.Request),
		Created: database.Micros(d.Created), Expires: database.Micros(d.Expires),
		State: d.State, Denied: d.Answer.Denied, Reason: d.Answer.Reason, Value: text(d.Answer.Value),
	}
	if !d.Ended.IsZero() {
		row.Ended = database.Micros(d.Ended)
	}
	return row
}

// decision returns the decision in a row. A pending one has no answer, whatever the columns of the answer contain.
func (row *decisionRow) decision() journal.Decision {
	d := journal.Decision{
		ID: row.ID, Stream: row.Stream, User: row.UserID, Kind: row.Kind, Digest: row.Digest, Request: json.RawMessage(row.Request),
		Created: database.Time(row.Created), Expires: database.Time(row.Expires), State: row.State,
	}
	if row.State != journal.Pending {
		d.Answer = journal.Answer{Denied: row.Denied, Reason: row.Reason, Value: json.RawMessage(row.Value)}
		d.Ended = database.Time(row.Ended)
	}
	return d
}

// text returns JSON as it is stored: null if raw is empty.
func text(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "null"
	}
	return string(raw)
}

// The data of a large event is split into pieces, in rows of their own. So a read of many events
// fetches only the data that fits into a page, and no driver, statement or row ever holds more than
// one piece.
const (
	inlineBytes = 64 << 10 // maximum data in an event's own row
	pieceBytes  = 1 << 20  // maximum size of a piece
)

// pieceMark begins the data in the row of a split event, before the number of bytes. No JSON begins
// with it.
const pieceMark = "#"

// inPieces returns the data for an event's row, and the pieces to store besides it. A small event
// has no pieces.
func inPieces(data string) (row string, pieces []string) {
	if len(data) <= inlineBytes {
		return data, nil
	}
	row = pieceMark + strconv.Itoa(len(data))
	for len(data) > pieceBytes {
		end := pieceBytes
		for !utf8.RuneStart(data[end]) { // never splits a character
			end--
		}
		pieces, data = append(pieces, data[:end]), data[end:]
	}
	return row, append(pieces, data)
}

// sizeOf returns the size of an event's data in bytes, by its row, and whether it is split into
// pieces.
func sizeOf(row string) (size int, pieces bool) {
	if text, marked := strings.CutPrefix(row, pieceMark); marked {
		if size, err := strconv.Atoi(text); err == nil {
			return size, true
		}
	}
	return len(row), false
}

// insertPieces stores the pieces of events, each in a statement of its own.
func (w *writing) insertPieces(ctx context.Context, rows [][]any) error {
	for i := range rows {
		if err := w.db.Insert(ctx, w.tx, "INSERT INTO pieces (stream_id, seq, piece, data)", rows[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// errNotWhole ends the read of an event whose pieces are missing, because it was trimmed or dropped
// after its row was read.
var errNotWhole = errors.New("some pieces of an event are missing")

// join replaces the marks of split events in p with their data. It fails with errNotWhole if pieces are missing.
func (p *page) join(ctx context.Context, db *bun.DB) error {
	for i := range p.events {
		e := &p.events[i]
		size, pieces := sizeOf(string(e.Data[:min(len(e.Data), maxMark)]))
		if !pieces {
			continue
		}
		data, err := readPieces(ctx, db, p.id, e.Seq, size)
		if err != nil {
			return err
		}
		e.Data = data
	}
	return nil
}

// maxMark is more than the length of any row data of a split event.
const maxMark = 32

// readPieces returns the data of a split event, which has size bytes. It fails with errNotWhole if the
// pieces together have another size.
func readPieces(ctx context.Context, db *bun.DB, stream, seq int64, size int) ([]byte, error) {
	if size > journal.MaxData {
		return nil, errNotWhole
	}
	rows, err := db.QueryContext(ctx, "SELECT data FROM pieces WHERE stream_id = ? AND seq = ? ORDER BY piece", stream, seq)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // Err returns the error
	data := make([]byte, 0, size)
	for rows.Next() {
		var piece string
		if err := rows.Scan(&piece); err != nil {
			return nil, err
		}
		data = append(data, piece...)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if len(data) != size {
		return nil, errNotWhole
	}
	return data, nil
}
