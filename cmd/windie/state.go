package main

import (
	"context"
	"io"
	"log/slog"
	"sync"

	"github.com/windieos/windie/agent/promptlist"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/artifacts/owned"
	"github.com/windieos/windie/audit"
	"github.com/windieos/windie/internal/database"
	"github.com/windieos/windie/internal/once"
	"github.com/windieos/windie/journal"
	"github.com/windieos/windie/journal/sqljournal"
	"github.com/windieos/windie/memory"
)

// openDatabase opens the database of the settings. The caller closes it.
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
	audit     *audit.Log
	once      *once.Keys
	prompts   *promptlist.List
	artifacts *owned.Store
	store     artifacts.Store // beneath artifacts
	memory    *memory.Memory
}

// openState opens the stores of the settings; beside is as in assemble. The caller closes them.
func openState(ctx context.Context, c *config, log *slog.Logger, beside bool) (*state, error) {
	db, err := openDatabase(ctx, c)
	if err != nil {
		return nil, err
	}
	s := &state{db: db}
	s.once = once.Open(db, once.Options{Log: log})
	s.prompts = promptlist.OpenList(db, promptlist.Options{Log: log})
	s.audit = audit.Open(db, audit.Options{TTL: c.AuditTTL, Log: log})
	events, err := sqljournal.Open(db, sqljournal.Options{Reclaim: !beside, Beside: beside})
	if err == nil {
		s.journal = journal.Count(events)
		s.store, err = openStore(ctx, c)
	}
	if err == nil {
		s.memory, err = c.openMemory(db, log)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	s.artifacts = owned.Open(s.store, db, owned.Options{TTL: c.ArtifactTTL, Log: log})
	return s, nil
}

// clean removes what has expired, until ctx ends.
func (s *state) clean(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { s.artifacts.Run(ctx) })
	all.Go(func() { s.audit.Run(ctx) })
	all.Go(func() { s.once.Run(ctx) })
	all.Go(func() { s.memory.Run(ctx) })
	all.Wait()
}

// close closes all stores, each before those that it uses.
func (s *state) close() {
	if s.memory != nil {
		_ = s.memory.Close()
	}
	if closer, ok := s.store.(io.Closer); ok {
		_ = closer.Close()
	}
	if s.journal != nil {
		_ = s.journal.Close()
	}
	s.audit.Close()
	_ = s.db.Close()
}
