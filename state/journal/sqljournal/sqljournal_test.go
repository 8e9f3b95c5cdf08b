package sqljournal_test

import (
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/windieos/windie/internal/test/pgtest"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/journaltest"
	"github.com/windieos/windie/state/journal/sqljournal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestSQLite has one gateway on each file, as it is meant.
func TestSQLite(t *testing.T) {
	b := backend(inFile)
	b.Join, b.Replays, b.Races = nil, replays, races
	journaltest.Run(t, b)
}

// TestSQLiteShared has two, each with its own connections, as a gateway and the
// command line beside it. They wait for each other in steps of up to a tenth of
// a second.
func TestSQLiteShared(t *testing.T) {
	b := backend(inFile)
	b.Replays, b.Races = 400, 40
	journaltest.Run(t, b)
}

func inFile(t *testing.T) database.Config {
	return database.Config{File: filepath.Join(t.TempDir(), "windie.db")}
}

func TestPostgres(t *testing.T) {
	pgtest.Start(t) // or skip the test as a whole
	b := backend(func(t *testing.T) database.Config { return database.Config{URL: pgtest.Start(t)} })
	b.Replays, b.Races = replays/10, races/5
	journaltest.Run(t, b)
}

// poll is often enough for tests in which the poller alone wakes.
const poll = 50 * time.Millisecond

// gateway is a journal and its own connections, as a gateway has them.
type gateway struct {
	*sqljournal.Journal
	db     *database.DB
	config database.Config
}

func backend(fresh func(t *testing.T) database.Config) journaltest.Backend {
	return journaltest.Backend{
		Open: func(t *testing.T) journal.Journal { return open(t, fresh(t)) },
		Join: func(t *testing.T, j journal.Journal) journal.Journal { return open(t, j.(*gateway).config) },
		Reopen: func(t *testing.T, j journal.Journal) journal.Journal {
			g := j.(*gateway)
			g.end(t)
			return open(t, g.config)
		},
	}
}

// open starts a gateway's journal, which ends with the test.
func open(t testing.TB, config database.Config) *gateway {
	t.Helper()
	return openPolling(t, config, poll)
}

// openPolling starts one that polls this often.
func openPolling(t testing.TB, config database.Config, every time.Duration) *gateway {
	t.Helper()
	db, err := database.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	j, err := sqljournal.Open(db, sqljournal.Options{Poll: every})
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{Journal: j, db: db, config: config}
	t.Cleanup(func() { g.end(t) })
	return g
}

func (g *gateway) end(t testing.TB) {
	t.Helper()
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if err := g.db.Close(); err != nil {
		t.Error(err)
	}
}
