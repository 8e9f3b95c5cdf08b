package pgtest_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"github.com/windieos/windie/internal/test/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestDatabasesAreApart makes the same table in two.
func TestDatabasesAreApart(t *testing.T) {
	t.Parallel()
	for range 2 {
		ask(t, pgtest.Start(t), "CREATE TABLE mine (id INT)")
	}
}

func ask(t *testing.T, url, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	if _, err := conn.Exec(t.Context(), statement); err != nil {
		t.Error(err)
	}
}
