package main

import (
	"context"
	"path/filepath"

	"github.com/windieos/windie/internal/database"
)

// openDatabase opens where state is kept, which the settings choose. The
// caller closes it.
func openDatabase(ctx context.Context, c *config) (*database.DB, error) {
	if err := c.makeDirs(); err != nil {
		return nil, err
	}
	return database.Open(ctx, database.Config{URL: string(c.DatabaseURL), File: filepath.Join(c.DataDir, "windie.db")})
}
