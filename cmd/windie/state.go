package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/windieos/windie/agent/audit"
	"github.com/windieos/windie/agent/conversation"
	"github.com/windieos/windie/agent/promptlist"
	"github.com/windieos/windie/agent/tools/memory"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/artifacts/owned"
	"github.com/windieos/windie/artifacts/scrub"
	"github.com/windieos/windie/gateway/metrics"
	"github.com/windieos/windie/models/embeddings"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/sqljournal"
	"github.com/windieos/windie/state/ledger"
	"github.com/windieos/windie/state/once"
	"github.com/windieos/windie/state/responses"
	"github.com/windieos/windie/state/retention"
	"github.com/windieos/windie/state/runs"
	"github.com/windieos/windie/state/values"
)

// Time limits of the check of the database at a start. The limit is shorter beside a gateway: that
// gateway has checked the database already, and a client waits.
const (
	startCheck  = 10 * time.Second
	besideCheck = 2 * time.Second
)

// role is how a process uses the data folder.
type role int

const (
	asMain   role = iota // as the folder's gateway
	asBeside             // beside the folder's gateway, if that runs
)

// openChecked is openDatabase for a gateway: it also checks the database.
func openChecked(ctx context.Context, c *config, log *slog.Logger, as role) (*database.DB, error) {
	if err := c.makeDirs(); err != nil {
		return nil, err
	}
	cfg := c.databaseConfig()
	cfg.Check = startCheck
	if as == asBeside {
		cfg.Check = besideCheck
	}
	db, err := database.Open(ctx, cfg)
	if err == nil && !db.Checked() {
		log.Warn("the database is large, so only part of it was checked for damage; for a full check run: sqlite3 windie.db 'PRAGMA integrity_check'", slog.Duration("within", cfg.Check))
	}
	return db, err
}

// openDatabase opens the database of the settings. The caller closes it.
func openDatabase(ctx context.Context, c *config) (*database.DB, error) {
	if err := c.makeDirs(); err != nil {
		return nil, err
	}
	return database.Open(ctx, c.databaseConfig())
}

// state has the stores of a gateway.
type state struct {
	db        *database.DB
	journal   *journal.Counted
	audit     *audit.Log
	once      *once.Keys
	prompts   *promptlist.List
	artifacts *owned.Store
	store     artifacts.Store // the store below artifacts
	scrubber  *scrub.Scrubber // checks store
	memory    *memory.Memory
	ledger    *ledger.Ledger
	texts     *embeddings.Service
	runs      *runs.Plane
	responses *responses.Store
	retention *retention.Store
	values    *values.Store // of plugins
}

// openState opens the stores of the settings. The caller closes them.
func openState(ctx context.Context, c *config, log *slog.Logger, as role) (*state, error) {
	db, err := openChecked(ctx, c, log, as)
	if err != nil {
		return nil, err
	}
	if err := refuseHalf(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	s := &state{db: db, ledger: c.openLedger(db, log), values: values.Open(db), responses: responses.Open(db, responses.Options{})}
	s.once = once.Open(db, once.Options{Log: log})
	s.audit = audit.Open(db, audit.Options{Log: log})
	events, err := sqljournal.Open(db, sqljournal.Options{Reclaim: as == asMain, Beside: as == asBeside})
	if err == nil {
		s.journal = journal.Count(events)
		s.prompts = promptlist.OpenList(db, promptlist.Options{Log: log, Most: c.Quota.prompts(), Touch: conversation.Open(s.journal).Touch})
		s.runs = c.openRuns(db, events, log)
		s.store, err = openStore(ctx, c)
	}
	if err == nil {
		s.texts, err = c.newEmbeddings(s.ledger)
	}
	if err == nil {
		s.memory, err = c.openMemory(db, s.texts, log)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	s.artifacts = owned.Open(s.store, db, owned.Options{TTL: c.ArtifactTTL, OwnerBytes: c.Quota.Bytes, OwnerCount: c.Quota.Items, Log: log})
	s.scrubber = scrub.Open(s.store, db, scrub.Options{Rate: scrubRate, Log: log})
	s.retention = s.openRetention(c, log, retention.Options{})
	return s, nil
}

// clean deletes expired data until ctx ends.
func (s *state) clean(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { s.artifacts.Run(ctx) })
	all.Go(func() { s.scrubber.Run(ctx) })
	all.Go(func() { s.retention.Run(ctx) })
	all.Go(func() { s.once.Run(ctx) })
	all.Go(func() { s.memory.Run(ctx) })
	all.Go(func() { s.runs.Run(ctx) })
	all.Wait()
}

// damage returns the known damage of artifacts.
func (s *state) damage() metrics.Damage {
	stats := s.scrubber.Stats()
	return metrics.Damage{Met: s.artifacts.Damaged(), Damaged: stats.Found.Damaged, Missing: stats.Found.Missing, Checked: stats.Checked, Bytes: stats.Bytes}
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

// watched is the state for /ready: the database, and the memory files in the data folder.
type watched struct {
	*database.DB
	memory *memory.Memory
}

// Ready implements gateway.State.
func (w watched) Ready(ctx context.Context) error {
	if err := w.DB.Ready(ctx); err != nil {
		return err
	}
	return w.memory.Ready()
}
