package sqljournal_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
)

// inSeveral is an event that is kept in several pieces.
var inSeveral = journal.Event{Kind: "large", Data: json.RawMessage(`"` + strings.Repeat("é", 3<<20/2) + `"`)}

// onBoth runs a test with an empty journal in each kind of database.
func onBoth(t *testing.T, run func(t *testing.T, g *gateway)) {
	t.Helper()
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) { run(t, open(t, cfg)) })
}

// left counts the rows of a table.
func (g *gateway) left(t *testing.T, table string) (n int) {
	t.Helper()
	if err := g.db.Read().NewRaw("SELECT count(*) FROM "+table).Scan(t.Context(), &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestFaultBetweenPieces has the database refuse the third piece of an event:
// nothing of its Append is kept, and the next one is.
func TestFaultBetweenPieces(t *testing.T) {
	onBoth(t, func(t *testing.T, g *gateway) {
		mustAppend(t, g, "s")
		if g.db.Postgres() {
			g.exec(t, "ALTER TABLE pieces ADD CONSTRAINT few CHECK (piece < 2)")
		} else {
			g.exec(t, "CREATE TRIGGER few BEFORE INSERT ON pieces WHEN NEW.piece = 2 BEGIN SELECT RAISE(ABORT, 'few'); END")
		}
		_, err := g.Append(t.Context(), "s", something, inSeveral, something)
		wantCode(t, "Append", err, sdkapi.StateUnavailable)
		if n := g.left(t, "pieces"); n != 0 {
			t.Errorf("%d pieces are left of an Append that failed", n)
		}
		if g.db.Postgres() {
			g.exec(t, "ALTER TABLE pieces DROP CONSTRAINT few")
		} else {
			g.exec(t, "DROP TRIGGER few")
		}
		if last, err := g.Append(t.Context(), "s", something, inSeveral, something); err != nil || last != 4 {
			t.Errorf("the next Append: %d, %v", last, err)
		}
		events, err := g.Read(t.Context(), "s", 0, 9)
		if err != nil || len(events) != 4 || !bytes.Equal(events[2].Data, inSeveral.Data) {
			t.Errorf("%d events, %v", len(events), err)
		}
	})
}

// TestPiecesAreGivenBack removes the pieces of what is trimmed and dropped.
func TestPiecesAreGivenBack(t *testing.T) {
	onBoth(t, func(t *testing.T, g *gateway) {
		for _, stream := range []string{"trimmed", "dropped"} {
			if _, err := g.Append(t.Context(), stream, inSeveral, inSeveral); err != nil {
				t.Fatal(err)
			}
		}
		if n := g.left(t, "pieces"); n != 16 {
			t.Errorf("4 events of 3 MB are in %d pieces", n)
		}
		if err := g.Trim(t.Context(), "trimmed", 2, nil); err != nil {
			t.Fatal(err)
		}
		if err := g.Drop(t.Context(), "dropped"); err != nil {
			t.Fatal(err)
		}
		if n := g.left(t, "pieces"); n != 4 {
			t.Errorf("%d pieces are left, of an event that has 4", n)
		}
	})
}

// TestPieceLost says of an event that is not whole that the database is not.
func TestPieceLost(t *testing.T) {
	onBoth(t, func(t *testing.T, g *gateway) {
		if _, err := g.Append(t.Context(), "s", inSeveral); err != nil {
			t.Fatal(err)
		}
		g.exec(t, "DELETE FROM pieces WHERE piece = 1")
		_, err := g.Read(t.Context(), "s", 0, 1)
		wantCode(t, "Read", err, sdkapi.Internal)
	})
}

// TestBeforePieces opens a database of a version that kept all data in the rows
// of its events, up to 1 MiB.
func TestBeforePieces(t *testing.T) {
	onBoth(t, func(t *testing.T, g *gateway) {
		mustAppend(t, g, "s")
		g.exec(t, "DROP TABLE pieces")
		for _, later := range []string{ // which came behind them
			"DROP TABLE upstream_sign_ins", "DROP TABLE upstream_connections", "DROP TABLE responses", "DROP TABLE oauth_tokens", "DROP TABLE oauth_codes", "DROP TABLE oauth_grants", "DROP TABLE oauth_clients", "DROP TABLE plugin_totals", "DROP TABLE plugin_stores", "DROP TABLE plugin_values", "DROP TABLE mcp_sessions", "DROP TABLE socket_tickets", "DROP TABLE console_visits", "DROP TABLE console_codes", "DROP TABLE run_hooks", "DROP TABLE run_workers", "DROP TABLE run_workspaces", "DROP TABLE runs",
			"DROP TABLE carried", "DROP TABLE scrubs", "DROP TABLE damages", "DROP TABLE budgets", "DROP TABLE reservations", "DROP TABLE spending",
			"DROP INDEX leases_by_end", "DROP TABLE erasures", "DROP INDEX artifacts_by_owner",
			"ALTER TABLE artifacts DROP COLUMN kept", "ALTER TABLE artifacts DROP COLUMN size",
		} {
			g.exec(t, later)
		}
		g.exec(t, "DELETE FROM schema_version WHERE version_id >= 10")
		old := `"` + strings.Repeat("x", 1<<20-2) + `"`
		g.exec(t, "INSERT INTO events (stream_id, seq, time, kind, data) SELECT id, last + 1, 1, 'old', ? FROM streams WHERE name = 's'", old)
		g.exec(t, "UPDATE streams SET last = last + 1 WHERE name = 's'")
		g.end(t)
		g = open(t, g.config)
		if last, err := g.Append(t.Context(), "s", inSeveral); err != nil || last != 3 {
			t.Fatalf("Append: %d, %v", last, err)
		}
		events, err := g.Read(t.Context(), "s", 0, 9)
		if err != nil || len(events) != 3 || string(events[1].Data) != old || !bytes.Equal(events[2].Data, inSeveral.Data) {
			t.Errorf("%d events, %v", len(events), err)
		}
	})
}

// BenchmarkLarge appends and reads an event of 10 MB.
func BenchmarkLarge(b *testing.B) {
	large := journal.Event{Kind: "large", Data: json.RawMessage(`"` + strings.Repeat("x", 10<<20) + `"`)}
	run := func(b *testing.B, g *gateway) {
		for after := int64(0); b.Loop(); after++ {
			if _, err := g.Append(b.Context(), "s", large); err != nil {
				b.Fatal(err)
			}
			if events, err := g.Read(b.Context(), "s", after, 1); err != nil || len(events[0].Data) != len(large.Data) {
				b.Fatal(err)
			}
		}
	}
	b.Run("SQLite", func(b *testing.B) { run(b, open(b, database.Config{File: filepath.Join(b.TempDir(), "windie.db")})) })
	b.Run("Postgres", func(b *testing.B) { run(b, open(b, database.Config{URL: pgtest.Start(b)})) })
}
