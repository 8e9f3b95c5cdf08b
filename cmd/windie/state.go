package main

import (
	"context"
	"io"
	"log/slog"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/artifacts/owned"
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

// state is what a gateway keeps, and what outlives it.
type state struct {
	db        *database.DB
	journal   *journal.Counted
	artifacts *owned.Store
	store     artifacts.Store // beneath artifacts
}

// openState opens what the settings choose. The caller closes it.
func openState(ctx context.Context, c *config, log *slog.Logger) (*state, error) {
	db, err := openDatabase(ctx, c)
	if err != nil {
		return nil, err
	}
	s := &state{db: db}
	events, err := sqljournal.Open(db, sqljournal.Options{})
	if err == nil {
		s.journal = journal.Count(events)
		s.store, err = openStore(ctx, c)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	s.artifacts = owned.Open(s.store, db, owned.Options{TTL: c.ArtifactTTL, Log: log})
	return s, nil
}

// close gives all back, each before what it stands on.
func (s *state) close() {
	if closer, ok := s.store.(io.Closer); ok {
		_ = closer.Close()
	}
	if s.journal != nil {
		_ = s.journal.Close()
	}
	_ = s.db.Close()
}
