package main

import (
	"context"

	"github.com/windieos/windie/internal/database"
)

// openDatabase opens where state is kept, which the settings choose. The
// caller closes it.
func openDatabase(ctx context.Context, c *config) (*database.DB, error) {
	if err := c.makeDirs(); err != nil {
		return nil, err
	}
	return database.Open(ctx, c.databaseConfig())
}
