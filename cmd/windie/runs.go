package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal/sqljournal"
	"github.com/windieos/windie/state/runs"
)

const (
	minWebhookSecret = 24 // bytes: the minimum of the Standard Webhooks specification
)

// check returns the problems of secrets that are too short. It accepts an empty key, which disables
// runs.
func (s runSettings) check() []string {
	var p configError
	p.add(s.Key != "" && len(s.Key) < minToken, "runs.api_key (WINDIE_RUNS_API_KEY): must have at least %d bytes, as openssl rand -hex 32 gives", minToken)
	p.add(s.WebhookURL != "" && len(s.WebhookSecret) < minWebhookSecret, "runs.webhook_secret (WINDIE_RUNS_WEBHOOK_SECRET): must have at least %d bytes, as openssl rand -hex 32 gives", minWebhookSecret)
	return p.problems
}

// openRuns returns the control plane of runs. There is nothing to close.
func (c *config) openRuns(db *database.DB, events *sqljournal.Journal, log *slog.Logger) *runs.Plane {
	opts := runs.Options{MaxActive: c.Runs.MaxActive, Lease: c.Runs.Lease, Log: log}
	if c.Runs.WebhookURL != "" {
		opts.Hook = &runs.Hook{URL: c.Runs.WebhookURL, Secret: []byte(c.Runs.WebhookSecret)}
	}
	return runs.Open(db, events, opts)
}

// checkRuns reports whether runs are enabled. It never fails.
func (c *config) checkRuns(context.Context) (string, error) {
	if c.Runs.Key == "" {
		return "disabled (WINDIE_RUNS_API_KEY is not set)", nil
	}
	return fmt.Sprintf("enabled, at most %d at once in a workspace", c.Runs.MaxActive), nil
}
