//go:build system

package pgtest_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/windieos/windie/internal/test/pgtest"
)

// TestStopAndRestart keeps what was acknowledged, also over a crash.
func TestStopAndRestart(t *testing.T) {
	t.Parallel()
	server := pgtest.Own(t)
	ask(t, server.URL, "CREATE TABLE mine (id INT)")
	server.Stop(t)
	if _, err := pgx.Connect(t.Context(), server.URL); err == nil {
		t.Error("it answers, stopped")
	}
	server.Restart(t)
	ask(t, server.URL, "INSERT INTO mine VALUES (1)")
	server.Crash(t)
	server.Restart(t)
	ask(t, server.URL, "SELECT 1 / count(*) FROM mine")
}
