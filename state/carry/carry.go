// Package carry copies a gateway's data to another place: tables from SQLite to PostgreSQL, and
// artifacts from one store to another.
//
//	err := carry.Tables(ctx, from, to, report)
//	result, err := carry.Artifacts(ctx, folder, bucket, report)
//
// Both can be interrupted at any moment. When called again, they resume without loss or duplicates.
// At the end, both compare all data of source and target. No gateway may use the source or the
// target during the copy.
package carry

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
)

// Limits of the rows that one transaction copies.
const (
	batchRows  = 1000
	batchBytes = 8 << 20 // the row that exceeds the limit is still copied
)

// Report is called from time to time with the progress of a copy: the name of the step, the number
// of items done, and the total number of items (0 if unknown).
type Report func(what string, done, of int64)

// all is the name of the row in the table carried that describes the whole copy.
const all = ""

// Tables copies the rows of an SQLite database to an empty PostgreSQL database with the same schema
// version. It skips tables that the gateway can rebuild. If an earlier call has finished the copy,
// Tables does nothing.
func Tables(ctx context.Context, from, to *database.DB, report Report) error {
	const op = "carry.Tables"
	tables, err := tablesOf(ctx, from)
	if err != nil {
		return err
	}
	begun, done, err := stateOf(ctx, to, all)
	if err != nil || done {
		return err
	}
	followed, err := to.Followed(ctx)
	switch {
	case err != nil:
		return err
	case followed:
		return fault.New(op, sdkapi.StateUnavailable, "a gateway uses the target database; stop the gateway first")
	case begun == nil:
		if err := begin(ctx, from, to, tables); err != nil {
			return err
		}
	case begun.source != from.Path():
		return fault.New(op, sdkapi.StateUnavailable, "the target database already has rows from %s, so it cannot take rows from %s; start with an empty database", begun.source, from.Path())
	}
	for _, t := range tables {
		if err := t.carry(ctx, from, to, report); err != nil {
			return err
		}
	}
	for _, t := range tables {
		if err := t.compare(ctx, from, to, report); err != nil {
			return err
		}
	}
	return note(ctx, to, all, progress{source: from.Path(), done: true}, nil)
}

// Unfinished reports whether a call of Tables was interrupted. The database then has only a part of
// the rows.
func Unfinished(ctx context.Context, db *database.DB) (bool, error) {
	begun, done, err := stateOf(ctx, db, all)
	return begun != nil && !done, err
}

// progress is how far the copy of a table has come.
type progress struct {
	source string
	after  []any // key of the last row; nil before the first
	copied int64
	done   bool
}

// stateOf reads the progress of a table. It returns nil if the copy has not begun.
func stateOf(ctx context.Context, to *database.DB, name string) (p *progress, done bool, err error) {
	var source, after string
	p = &progress{}
	err = to.Read().NewRaw("SELECT source, after, copied, done FROM carried WHERE name = ?", name).Scan(ctx, &source, &after, &p.copied, &p.done)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, false, nil
	case err != nil:
		return nil, false, database.FaultIn(ctx, "carry.stateOf", err)
	}
	p.source = source
	if after != "" {
		p.after, err = readKey(after)
	}
	return p, p.done, err
}

// bytesName marks bytes in the JSON of a cursor: {"bytes": base64}. Other values are plain JSON.
const bytesName = "bytes"

// writeKey encodes a primary key as a JSON cursor. readKey decodes it.
func writeKey(key []any) (string, error) {
	out := slices.Clone(key)
	for i, v := range out {
		if b, ok := v.([]byte); ok {
			out[i] = map[string]string{bytesName: base64.StdEncoding.EncodeToString(b)}
		}
	}
	text, err := json.Marshal(out)
	return string(text), err
}

// readKey decodes a cursor into text, bytes, integers and booleans.
func readKey(text string) (key []any, err error) {
	in := json.NewDecoder(strings.NewReader(text))
	in.UseNumber()
	if err := in.Decode(&key); err != nil {
		return nil, fmt.Errorf("carry: cannot read a cursor: %w", err)
	}
	for i, v := range key {
		switch v := v.(type) {
		case json.Number:
			key[i], err = v.Int64()
		case map[string]any:
			text, _ := v[bytesName].(string)
			key[i], err = base64.StdEncoding.DecodeString(text)
		}
		if err != nil {
			return nil, fmt.Errorf("carry: cannot read a cursor: %w", err)
		}
	}
	return key, nil
}

// note saves the progress of a table. If the function also is not nil, note first calls it in the same
// transaction.
func note(ctx context.Context, to *database.DB, name string, p progress, also func(ctx context.Context, tx bun.Tx) error) error {
	return to.Write(ctx, "carry.note", func(ctx context.Context, tx bun.Tx) error {
		if also != nil {
			if err := also(ctx, tx); err != nil {
				return err
			}
		}
		after := ""
		if p.after != nil {
			var err error
			if after, err = writeKey(p.after); err != nil {
				return err
			}
		}
		_, err := tx.NewRaw("INSERT INTO carried (name, source, after, copied, done) VALUES (?, ?, ?, ?, ?) "+
			"ON CONFLICT (name) DO UPDATE SET after = excluded.after, copied = excluded.copied, done = excluded.done",
			name, p.source, after, p.copied, p.done).Exec(ctx)
		return err
	})
}

// begin records the source database. It fails if the target has rows.
func begin(ctx context.Context, from, to *database.DB, tables []table) error {
	for _, t := range tables {
		var there bool
		if err := to.Read().NewRaw("SELECT count(*) > 0 FROM ?", bun.Ident(t.name)).Scan(ctx, &there); err != nil {
			return database.FaultIn(ctx, "carry.begin", err)
		}
		if there {
			return fault.New("carry.Tables", sdkapi.StateUnavailable, "the target database already has rows, in the table %s; start with an empty database", t.name)
		}
	}
	return note(ctx, to, all, progress{source: from.Path()}, nil)
}
