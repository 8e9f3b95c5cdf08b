package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal/sqljournal"
	"github.com/windieos/windie/state/runs"
)

// runSettings are those of runs, see docs/runs.md.
type runSettings struct {
	Key           secret        `key:"api_key" env:"WINDIE_RUNS_API_KEY" doc:"key that requests about runs must bring as X-Windie-Runs-Key; without it all are refused"`
	WorkerToken   secret        `key:"worker_token" env:"WINDIE_WORKER_TOKEN" doc:"token of the install as which windie worker talks to a hosted gateway"`
	MaxActive     int           `key:"max_active" env:"WINDIE_VM_MAX_ACTIVE_RUNS_PER_WORKSPACE" default:"1" min:"1" max:"10000" doc:"runs of one workspace that may be active at once"`
	Lease         time.Duration `key:"lease" env:"WINDIE_RUNS_LEASE" default:"30s" min:"1s" max:"1h" doc:"how long a worker that says nothing keeps its run"`
	WebhookURL    string        `key:"webhook_url" env:"WINDIE_RUNS_WEBHOOK_URL" is:"url" doc:"where to POST that a run has ended or waits for a person, as https://example.com/hooks/windie; default: nowhere"`
	WebhookSecret secret        `key:"webhook_secret" env:"WINDIE_RUNS_WEBHOOK_SECRET" doc:"what these requests are signed with, as Standard Webhooks says; at least 24 bytes"`
}

const (
	minWebhookSecret = 24
)

func (s runSettings) check() []string {
	var p configError
	p.add(s.Key != "" && len(s.Key) < minToken, "runs.api_key (WINDIE_RUNS_API_KEY): must have at least %d bytes, as openssl rand -hex 32 gives", minToken)
	p.add(s.WebhookURL != "" && len(s.WebhookSecret) < minWebhookSecret, "runs.webhook_secret (WINDIE_RUNS_WEBHOOK_SECRET): must have at least %d bytes, as openssl rand -hex 32 gives", minWebhookSecret)
	return p.problems
}

// openRuns returns the control plane of runs. It closes nothing, and keeps nothing open.
func (c *config) openRuns(db *database.DB, events *sqljournal.Journal, log *slog.Logger) *runs.Plane {
	opts := runs.Options{MaxActive: c.Runs.MaxActive, Lease: c.Runs.Lease, Log: log}
	if c.Runs.WebhookURL != "" {
		opts.Hook = &runs.Hook{URL: c.Runs.WebhookURL, Secret: []byte(c.Runs.WebhookSecret)}
	}
	return runs.Open(db, events, opts)
}

func (c *config) checkRuns(context.Context) (string, error) {
	if c.Runs.Key == "" {
		return "are refused, as they have no key; set one with: WINDIE_RUNS_API_KEY", nil
	}
	return fmt.Sprintf("are taken, at most %d of a workspace at once", c.Runs.MaxActive), nil
}
