package main

import (
	"context"

	"github.com/windieos/windie/internal/database"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/journal/sqljournal"
)

// openDatabase opens where state is kept, which the settings choose. The
// caller closes it.
func openDatabase(ctx context.Context, c *config) (*database.DB, error) {
	if err := c.makeDirs(); err != nil {
		return nil, err
	}
	return database.Open(ctx, c.databaseConfig())
}

// openJournal opens the journal in a database, and counts what happens there.
// The caller closes it, before the database.
func openJournal(db *database.DB) (*journal.Counted, error) {
	j, err := sqljournal.Open(db, sqljournal.Options{})
	if err != nil {
		return nil, err
	}
	return journal.Count(j), nil
}
