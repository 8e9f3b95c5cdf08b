//go:build system

package database_test

import (
	"context"
	"testing"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/state/database"
)

// TestPostgresAway: a server that is away is reported as such, and the error is
// over as soon as the server is back: no call fails for the sake of connections
// that broke meanwhile.
func TestPostgresAway(t *testing.T) {
	t.Parallel()
	server := pgtest.Own(t)
	db := databasetest.Open(t, database.Config{URL: server.URL})
	for round, end := range []func(testing.TB){server.Stop, server.Crash} {
		use(t, db, 8)
		end(t)
		wantUnavailable(t, "Ready", db.Ready(t.Context()), "does not respond")
		wantUnavailable(t, "Write", exec(t, db, "SELECT 1"), "does not respond")
		_, err := database.Open(t.Context(), database.Config{URL: server.URL})
		wantUnavailable(t, "Open", err, "does not respond")
		server.Restart(t)
		use(t, db, 8)
		if err := db.Ready(t.Context()); err != nil {
			t.Errorf("round %d: %v", round, err)
		}
	}
}

// use has so many transactions and questions at once, each on a connection of
// its own.
func use(t *testing.T, db *database.DB, many int) {
	t.Helper()
	errs := make(chan error, 2*many)
	for range many {
		go func() {
			errs <- db.Write(t.Context(), "test", func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.NewRaw("SELECT pg_sleep(0.05)").Exec(ctx)
				return err
			})
		}()
		go func() {
			errs <- db.Ask(t.Context(), "test", func(ctx context.Context, db *bun.DB) error {
				_, err := db.NewRaw("SELECT pg_sleep(0.05)").Exec(ctx)
				return err
			})
		}()
	}
	for range 2 * many {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}
