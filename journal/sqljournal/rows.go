package sqljournal

import (
	"encoding/json"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/database"
	"github.com/windieos/windie/journal"
)

// The tables, as migrations/0001_journal.sql has them.

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

// text is how JSON is kept, null for nothing.
func text(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "null"
	}
	return string(raw)
}
