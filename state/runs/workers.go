package runs

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
)

// Limits of workers.
const (
	maxEarlier = 8              // earlier sessions of a worker that are remembered
	workerKept = 24 * time.Hour // time from a worker's last heartbeat to its deletion
	maxWorkers = 1000           // workers in a list
)

// takes reports whether a worker with this status gets runs.
func takes(status string) bool { return status == ready || status == "running" }

// ready is the status of an idle worker.
const ready = "ready"

// workerRow is a worker's row in the database.
type workerRow struct {
	bun.BaseModel `bun:"table:run_workers"`

	WorkspaceID string `bun:"workspace_id,pk"`
	ID          string `bun:"id,pk"`
	SessionID   string
	Earlier     string
	Seen        int64
	Record      string
}

// Heartbeat records a worker's heartbeat and renews the worker's leases. If the worker has no run,
// and if its status allows a run, the worker gets one. The response has the worker's run, and the
// commands that the worker has not acknowledged. If the worker has a newer session, Heartbeat fails
// with LEASE_LOST, and the process of the old session should end.
func (p *Plane) Heartbeat(ctx context.Context, b *sdkapi.RunHeartbeat) (sdkapi.RunHeartbeatAnswer, error) {
	if err := checkObject(b.Metadata, "body.metadata"); err != nil {
		return sdkapi.RunHeartbeatAnswer{}, err
	}
	worker, err := p.see(ctx, b)
	if err != nil {
		return sdkapi.RunHeartbeatAnswer{}, err
	}
	held, err := p.heldBy(ctx, &worker)
	if err != nil {
		return sdkapi.RunHeartbeatAnswer{}, err
	}
	if held, err = p.settle(ctx, b, held); err != nil {
		return sdkapi.RunHeartbeatAnswer{}, err
	}
	if len(held) == 0 && takes(b.Status) {
		if held, err = p.assign(ctx, &worker); err != nil {
			return sdkapi.RunHeartbeatAnswer{}, err
		}
	}
	return p.answer(b, worker, held), nil
}

// answer returns the response to a worker that holds these runs.
func (p *Plane) answer(b *sdkapi.RunHeartbeat, worker sdkapi.RunWorker, held []*record) sdkapi.RunHeartbeatAnswer {
	next := min(HeartbeatTime, p.opts.Lease/6)
	out := sdkapi.RunHeartbeatAnswer{
		Worker: worker, ControlCommands: []sdkapi.RunCommand{}, Lost: []string{},
		NextHeartbeatMs: (next - next/10 + rand.N(next/5+1)).Milliseconds(), LeaseMs: p.opts.Lease.Milliseconds(), //nolint:gosec // so that not all come at once; no secret
	}
	for _, r := range held {
		out.ControlCommands = append(out.ControlCommands, r.Commands...)
		if r.Status == sdkapi.RunQueued && out.AssignedRun == nil {
			out.AssignedRun = &sdkapi.AssignedRun{
				RunID: r.RunID, WorkspaceID: r.WorkspaceID, AgentID: r.AgentID, ConversationRef: r.ConversationRef, Query: r.Query, Files: r.Files,
				Metadata: r.Metadata, ControlMode: r.ControlMode, LeaseEpoch: r.LeaseEpoch, Attempt: r.Attempt, TurnRef: r.TurnRef,
			}
		}
	}
	for _, l := range b.Runs {
		if !slices.ContainsFunc(held, func(r *record) bool { return r.RunID == l.RunID && r.LeaseEpoch == l.LeaseEpoch }) {
			out.Lost = append(out.Lost, l.RunID)
		}
	}
	return out
}

// see stores a worker's heartbeat and renews the leases of all runs that the worker holds. settle
// then takes the runs of an earlier session from the worker.
func (p *Plane) see(ctx context.Context, b *sdkapi.RunHeartbeat) (worker sdkapi.RunWorker, err error) {
	err = p.db.Write(ctx, "runs.Heartbeat", func(ctx context.Context, tx bun.Tx) error {
		now, err := p.db.Now(ctx, tx)
		if err != nil {
			return err
		}
		kept := workerRow{Earlier: "[]"}
		err = tx.NewRaw("SELECT * FROM run_workers WHERE workspace_id = ? AND id = ?"+p.locking(), b.WorkspaceID, b.WorkerID).Scan(ctx, &kept)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if err := kept.begin(b.SessionID); err != nil {
			return err
		}
		worker = sdkapi.RunWorker{
			WorkerID: b.WorkerID, WorkspaceID: b.WorkspaceID, VMID: b.VMID, UserID: b.UserID, SessionID: b.SessionID,
			Status: b.Status, Metadata: orObject(b.Metadata), LastHeartbeatAt: database.Time(now),
		}
		raw, err := json.Marshal(worker)
		if err != nil {
			return err
		}
		kept.WorkspaceID, kept.ID, kept.Seen, kept.Record = b.WorkspaceID, b.WorkerID, now, string(raw)
		if _, err := tx.NewInsert().Model(&kept).On("CONFLICT (workspace_id, id) DO UPDATE").
			Set("session_id = EXCLUDED.session_id, earlier = EXCLUDED.earlier, seen = EXCLUDED.seen, record = EXCLUDED.record").Exec(ctx); err != nil {
			return err
		}
		_, err = tx.NewRaw("UPDATE runs SET lease_until = ? WHERE id IN (SELECT id FROM runs WHERE worker_id = ? AND workspace_id = ? AND held = 1 ORDER BY id"+p.locking()+")",
			now+p.opts.Lease.Microseconds(), b.WorkerID, b.WorkspaceID).Exec(ctx)
		return err
	})
	return worker, err
}

// begin records the session of a heartbeat. It refuses a session that a later session has replaced.
func (w *workerRow) begin(session string) error {
	var earlier []string
	if err := json.Unmarshal([]byte(w.Earlier), &earlier); err != nil {
		return err
	}
	if slices.Contains(earlier, session) {
		return fault.New(op, sdkapi.LeaseLost, "the worker has restarted with a new session_id; the process with the old session_id must end")
	}
	if w.SessionID != "" && w.SessionID != session {
		earlier = append(earlier, w.SessionID)
		raw, err := json.Marshal(earlier[max(0, len(earlier)-maxEarlier):])
		if err != nil {
			return err
		}
		w.Earlier = string(raw)
	}
	w.SessionID = session
	return nil
}

// heldBy returns the runs that a worker holds.
func (p *Plane) heldBy(ctx context.Context, w *sdkapi.RunWorker) (held []*record, err error) {
	var rows []row
	err = p.db.Ask(ctx, "runs.Heartbeat", func(ctx context.Context, db *bun.DB) error {
		rows = nil
		return db.NewSelect().Model(&rows).Where("worker_id = ? AND workspace_id = ? AND held = 1", w.WorkerID, w.WorkspaceID).OrderExpr("created, id").Scan(ctx)
	})
	for _, kept := range rows {
		r, bad := kept.run()
		if err = errors.Join(err, bad); err == nil {
			held = append(held, r)
		}
	}
	return held, err
}

// settle applies a heartbeat to the runs of its worker, and returns the runs that the worker still
// holds.
func (p *Plane) settle(ctx context.Context, b *sdkapi.RunHeartbeat, held []*record) (still []*record, err error) {
	for _, r := range held {
		if r.SessionID == b.SessionID && r.WorkerSays == b.Status && !r.names(b.Acknowledged) && !r.unsent(b) {
			still = append(still, r)
			continue
		}
		var after *record
		_, _, err := p.change(ctx, "runs.Heartbeat", r.RunID, func(r *record, _ row, now time.Time) (events []journal.Event, err error) {
			after = r
			switch {
			case r.WorkerID != b.WorkerID || !r.held(): // it lost the run meanwhile
			case r.SessionID != b.SessionID:
				events = r.lose("the worker restarted", now)
			default:
				events = append(r.heard(b.Status), r.acknowledge(b.Acknowledged, now)...)
				events = append(events, r.sent(b, now)...)
			}
			return events, nil
		})
		switch {
		case fault.CodeOf(err) == sdkapi.RunNotFound: // it was deleted meanwhile
		case err != nil:
			return nil, err
		case after.WorkerID == b.WorkerID && after.SessionID == b.SessionID && after.held():
			still = append(still, after)
		}
	}
	return still, nil
}

// names reports whether ids has the id of one of the run's commands.
func (r *record) names(ids []string) bool {
	return slices.ContainsFunc(r.Commands, func(c sdkapi.RunCommand) bool { return slices.Contains(ids, c.CommandID) })
}

// assign gives a worker the oldest available run of its workspace, and returns it. It returns nil
// if no run is available, or if the worker has got one meanwhile.
func (p *Plane) assign(ctx context.Context, w *sdkapi.RunWorker) (held []*record, err error) {
	_, err = p.log.AppendBeside(ctx, "runs.assign", func(ctx context.Context, tx bun.Tx) (string, []journal.Event, error) {
		held = nil
		if some, err := anyAwait(ctx, tx, w.WorkspaceID); err != nil || !some {
			return "", nil, err
		}
		if err := lockWorkspace(ctx, tx, w.WorkspaceID); err != nil {
			return "", nil, err
		}
		var has int
		err := tx.NewRaw("SELECT count(*) FROM runs WHERE worker_id = ? AND workspace_id = ? AND held = 1", w.WorkerID, w.WorkspaceID).Scan(ctx, &has)
		if err != nil || has > 0 {
			return "", nil, err
		}
		r, kept, now, err := p.oldest(ctx, tx, w.WorkspaceID, sdkapi.RunAwaiting)
		if err != nil || r == nil {
			return "", nil, err
		}
		before := *r
		events := r.assign(w, now)
		r.Events += int64(len(events))
		held = []*record{r}
		return StreamOf(r.RunID), events, p.keep(ctx, tx, &before, r, &kept)
	})
	if err != nil {
		return nil, err
	}
	return held, nil
}

// anyAwait reports whether a run of the workspace waits for a worker. It takes no lock, so that
// idle workers do not wait for each other.
func anyAwait(ctx context.Context, tx bun.Tx, workspace string) (some bool, err error) {
	err = tx.NewRaw("SELECT EXISTS (SELECT 1 FROM runs WHERE workspace_id = ? AND status = ?)", workspace, sdkapi.RunAwaiting).Scan(ctx, &some)
	return some, err
}

// Workers returns at most maxWorkers workers that sent a heartbeat in the last day. The worker with
// the latest heartbeat is first. The result has the workers of one workspace. If workspace is
// empty, it has the workers of all workspaces.
func (p *Plane) Workers(ctx context.Context, workspace string) ([]sdkapi.RunWorker, error) {
	list := []sdkapi.RunWorker{}
	err := p.db.Ask(ctx, "runs.Workers", func(ctx context.Context, db *bun.DB) error {
		var rows []workerRow
		list = list[:0]
		err := db.NewSelect().Model(&rows).Where("? = '' OR workspace_id = ?", workspace, workspace).OrderExpr("seen DESC, workspace_id, id").Limit(maxWorkers).Scan(ctx)
		for _, kept := range rows {
			var w sdkapi.RunWorker
			err = errors.Join(err, json.Unmarshal([]byte(kept.Record), &w))
			list = append(list, w)
		}
		return err
	})
	return list, err
}
