package runs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
)

// The janitor's times.
const (
	lookEvery   = time.Second // time between two searches for runs of lost workers
	forgetEvery = time.Hour   // time between two deletions of old workers
	lookMost    = 100         // runs of one search
)

// Run takes runs away from lost workers, admits waiting runs, and sends messages to the web hook.
// It returns when ctx ends.
func (p *Plane) Run(ctx context.Context) {
	if p.opts.Hook != nil {
		defer background.Start(ctx, p.sendMessages)()
	}
	began, forgot := time.Now(), time.Time{} // after a start, workers have the time of a lease to reconnect
	background.Every(ctx, lookEvery, func(ctx context.Context) {
		if err := p.look(ctx, time.Since(began) > p.opts.Lease); err != nil && ctx.Err() == nil {
			p.opts.Log.Warn("the gateway could not look for runs of lost workers", slog.Any("err", err))
		}
		if time.Since(forgot) > forgetEvery {
			forgot = time.Now()
			if err := p.forgetWorkers(ctx); err != nil && ctx.Err() == nil {
				p.opts.Log.Warn("the gateway could not remove lost workers", slog.Any("err", err))
			}
		}
	})
}

// look admits waiting runs and, if take is true, takes runs from lost workers.
func (p *Plane) look(ctx context.Context, take bool) error {
	var gone, wait []string
	err := p.db.Ask(ctx, "runs.look", func(ctx context.Context, db *bun.DB) error {
		now, err := p.db.Now(ctx, db)
		if err != nil {
			return err
		}
		gone, wait = nil, nil
		if err := db.NewRaw("SELECT id FROM runs WHERE held = 1 AND lease_until < ? ORDER BY lease_until, id LIMIT ?", now, lookMost).Scan(ctx, &gone); err != nil {
			return err
		}
		return db.NewRaw(`SELECT DISTINCT workspace_id FROM runs AS w WHERE status = ?
			AND (SELECT count(*) FROM runs AS a WHERE a.workspace_id = w.workspace_id AND a.active = 1) < ? LIMIT ?`,
			sdkapi.RunWaiting, p.opts.MaxActive, lookMost).Scan(ctx, &wait)
	})
	if err != nil {
		return err
	}
	if !take {
		gone = nil
	}
	var failed []error
	for _, id := range gone { // one failure does not stop the others
		if err := p.take(ctx, id); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", id, err))
		}
	}
	for _, workspace := range wait {
		p.admitNext(ctx, workspace)
	}
	return errors.Join(failed...)
}

// take takes a run from its worker if the lease has expired.
func (p *Plane) take(ctx context.Context, id string) error {
	_, _, err := p.change(ctx, "runs.take", id, func(r *record, kept row, now time.Time) ([]journal.Event, error) {
		if !r.held() || database.Micros(now) <= kept.LeaseUntil {
			return nil, nil
		}
		return r.lose("it sent no heartbeat", now), nil
	})
	if fault.CodeOf(err) == sdkapi.RunNotFound {
		return nil
	}
	return err
}

// forgetWorkers deletes workers that have sent no heartbeat for workerKept.
func (p *Plane) forgetWorkers(ctx context.Context) error {
	return p.db.Write(ctx, "runs.forget", func(ctx context.Context, tx bun.Tx) error {
		now, err := p.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		_, err = tx.NewRaw("DELETE FROM run_workers WHERE seen < ?", now-workerKept.Microseconds()).Exec(ctx)
		return err
	})
}
