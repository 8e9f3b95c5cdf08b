// Package runs is the control plane of runs: queries that workers carry out on machines of their
// own.
//
//	plane := runs.Open(db, log, runs.Options{})
//	run, events, err := plane.Create(ctx, sdkapi.RunRequest{WorkspaceID: "home", AgentID: "clerk", Query: "sort the letters"})
//	answer, err := plane.Heartbeat(ctx, beat) // from a worker, which gets the run
//	go plane.Run(ctx)                         // takes runs from lost workers
//
// A run is a stream of the journal, run/ID, and a row with its current state. Both change in one
// transaction, so they always agree, also after a gateway's death and between gateways.
//
// A worker has a run by a lease, which its heartbeats renew and which ends LeaseTime after the last
// one. Each time a run gets another worker, its epoch increases; reports under an older epoch are
// refused. Commands are repeated in the responses to heartbeats until the worker acknowledges them,
// so a lost response loses no command.
package runs

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/journal/sqljournal"
)

// Default times of leases.
const (
	LeaseTime     = 30 * time.Second // time from a worker's last heartbeat until the worker loses its runs
	HeartbeatTime = 5 * time.Second  // approximate time between two heartbeats of a worker
)

// Limits of stored runs.
const (
	MaxWaiting  = 1000     // maximum number of waiting runs of a workspace
	MaxEvents   = 100_000  // maximum number of events in one run's timeline
	MaxMetadata = 16 << 10 // maximum size of a run's or a worker's metadata, in bytes
	MaxPayload  = 1 << 20  // maximum size of a relayed event's payload, in bytes
	MaxPage     = 1000     // maximum number of events in one page
)

// DefaultMaxActive is the default of Options.MaxActive, the maximum number of active runs in a
// workspace.
const DefaultMaxActive = 1

// Options configure a Plane. The zero value is useful.
type Options struct {
	MaxActive int // maximum number of active runs in a workspace; default DefaultMaxActive
	// time from a worker's last heartbeat until the worker loses its runs; default LeaseTime
	Lease time.Duration
	Hook  *Hook        // web hook that gets a message when a run ends or waits for a person; may be nil
	Log   *slog.Logger // logger; nil discards the log lines
}

// Plane is the control plane. Make one with Open. Its methods are safe for concurrent use, and
// several gateways may share the database.
type Plane struct {
	db   *database.DB
	log  *sqljournal.Journal
	opts Options
}

// Open returns the control plane that stores runs in db. log must be the journal in the same
// database. The caller closes db and log.
func Open(db *database.DB, log *sqljournal.Journal, opts Options) *Plane {
	opts.MaxActive = cmp.Or(opts.MaxActive, DefaultMaxActive)
	opts.Lease = cmp.Or(opts.Lease, LeaseTime)
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	return &Plane{db, log, opts}
}

const op = "runs"

// StreamOf returns the name of the journal's stream for the events of a run. id is the run's id.
func StreamOf(id string) string { return streams + id }

const streams = "run/"

// row is a run's row in the database.
type row struct {
	bun.BaseModel `bun:"table:runs"`

	ID          string `bun:"id,pk"`
	WorkspaceID string
	AgentID     string
	RequestedBy string
	Status      string
	Active      int
	WorkerID    string
	Held        int
	LeaseUntil  int64
	Created     int64
	Ended       int64
	Record      string
}

// one returns 1 for true and 0 for false, for integer columns that queries add up.
func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// rowOf returns the row of a run whose lease ends at lease.
func rowOf(r *record, lease time.Time) (*row, error) {
	raw, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	kept := &row{
		ID: r.RunID, WorkspaceID: r.WorkspaceID, AgentID: r.AgentID, RequestedBy: r.RequestedBy, Status: r.Status,
		Active: one(r.active()), WorkerID: r.WorkerID, Held: one(r.held()),
		LeaseUntil: database.Micros(lease), Created: database.Micros(r.CreatedAt), Record: string(raw),
	}
	if r.EndedAt != nil {
		kept.Ended = database.Micros(*r.EndedAt)
	}
	return kept, nil
}

// run decodes the run from the column Record. The other columns are copies for queries, except the
// lease.
func (kept *row) run() (*record, error) {
	var r record
	return &r, json.Unmarshal([]byte(kept.Record), &r)
}

// notFound returns the error RUN_NOT_FOUND. It shows at most 64 characters of id.
func notFound(id string) error {
	return fault.New(op, sdkapi.RunNotFound, "there is no run %.64q; GET %s lists all runs", id, sdkapi.RunsPath)
}

// Get returns a run. It fails with RUN_NOT_FOUND for an unknown id.
func (p *Plane) Get(ctx context.Context, id string) (sdkapi.Run, error) {
	var kept row
	err := p.db.Ask(ctx, "runs.Get", func(ctx context.Context, db *bun.DB) error {
		return db.NewSelect().Model(&kept).Where("id = ?", id).Scan(ctx)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return sdkapi.Run{}, notFound(id)
	}
	if err != nil {
		return sdkapi.Run{}, err
	}
	r, err := kept.run()
	return r.Run, err
}

// locking ends a query for rows that will be changed. PostgreSQL locks these rows; SQLite has only
// one writer.
func (p *Plane) locking() string {
	if p.db.Postgres() {
		return " FOR UPDATE"
	}
	return ""
}

// lockWorkspace makes concurrent changes of a workspace's active runs wait for this transaction.
func lockWorkspace(ctx context.Context, tx bun.Tx, id string) error {
	_, err := tx.NewRaw("INSERT INTO run_workspaces (id) VALUES (?) ON CONFLICT (id) DO UPDATE SET id = EXCLUDED.id", id).Exec(ctx)
	return err
}

// locked returns a run for a change, and the time. The run is nil if it does not exist.
func (p *Plane) locked(ctx context.Context, tx bun.Tx, id string) (r *record, kept row, now time.Time, err error) {
	err = tx.NewRaw("SELECT * FROM runs WHERE id = ?"+p.locking(), id).Scan(ctx, &kept)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, kept, now, nil
	}
	if err != nil {
		return nil, kept, now, err
	}
	micros, err := p.db.Now(ctx, tx)
	if err != nil {
		return nil, kept, now, err
	}
	r, err = kept.run()
	return r, kept, database.Time(micros), err
}

// change calls do, which changes a run and returns the events of the change. It stores the run and
// the events. do may run more than once. change fails with RUN_NOT_FOUND, or with the error of do.
func (p *Plane) change(ctx context.Context, name, id string, do func(r *record, kept row, now time.Time) ([]journal.Event, error)) (after sdkapi.Run, last int64, err error) {
	freed := false
	last, err = p.log.AppendBeside(ctx, name, func(ctx context.Context, tx bun.Tx) (string, []journal.Event, error) {
		r, kept, now, err := p.locked(ctx, tx, id)
		switch {
		case err != nil:
			return "", nil, err
		case r == nil:
			return "", nil, notFound(id)
		}
		before := *r
		events, err := do(r, kept, now)
		if err != nil {
			return "", nil, err
		}
		r.Events += int64(len(events))
		after, freed = r.Run, !before.Over() && r.Over()
		return StreamOf(id), events, p.keep(ctx, tx, &before, r, &kept)
	})
	if err == nil && freed {
		p.admitNext(ctx, after.WorkspaceID)
	}
	return after, last, err
}

// keep stores a changed run, and the message to the web hook about the change. The lease is renewed
// only if the run has another worker than before.
func (p *Plane) keep(ctx context.Context, tx bun.Tx, before, r *record, kept *row) error {
	lease := database.Time(kept.LeaseUntil)
	if r.LeaseEpoch != before.LeaseEpoch {
		lease = r.UpdatedAt.Add(p.opts.Lease)
	}
	changed, err := rowOf(r, lease)
	if err != nil {
		return err
	}
	if changed.Record == kept.Record && changed.LeaseUntil == kept.LeaseUntil {
		return nil
	}
	if _, err := tx.NewUpdate().Model(changed).WherePK().Exec(ctx); err != nil {
		return err
	}
	return p.notify(ctx, tx, before, r)
}

// Create creates a run, and returns the run and its first events. If the workspace already has its
// maximum of active runs, a run with in.Queue waits, and any other run fails with RUN_LIMIT. If too
// many runs of the workspace already wait, a run with in.Queue also fails with RUN_LIMIT.
func (p *Plane) Create(ctx context.Context, in *sdkapi.RunRequest) (sdkapi.Run, []sdkapi.RunEvent, error) {
	if err := checkObject(in.Metadata, "body.metadata"); err != nil {
		return sdkapi.Run{}, nil, err
	}
	id := "run-" + uuid.NewString()
	r := record{Run: sdkapi.Run{
		RunID: id, WorkspaceID: in.WorkspaceID, AgentID: in.AgentID, Query: in.Query, RequestedBy: in.RequestedBy, Files: append([]sdkapi.RunFile{}, in.Files...),
		Metadata: orObject(in.Metadata), ControlMode: sdkapi.RunAgentOnly, ConversationRef: "run-" + id,
	}, Events: 1}
	_, err := p.log.AppendBeside(ctx, "runs.Create", func(ctx context.Context, tx bun.Tx) (string, []journal.Event, error) {
		status, err := p.room(ctx, tx, in)
		if err != nil {
			return "", nil, err
		}
		now, err := p.db.Now(ctx, tx)
		if err != nil {
			return "", nil, err
		}
		r.Status, r.CreatedAt, r.UpdatedAt = status, database.Time(now), database.Time(now)
		kept, err := rowOf(&r, time.UnixMicro(0))
		if err != nil {
			return "", nil, err
		}
		if _, err := tx.NewInsert().Model(kept).Exec(ctx); err != nil {
			return "", nil, err
		}
		return StreamOf(id), []journal.Event{event(sdkapi.RunCreated, byPlane, map[string]any{
			"workspace_id": r.WorkspaceID, "agent_id": r.AgentID, "requested_by": r.RequestedBy, "query": r.Query, "status": r.Status,
		})}, nil
	})
	if err != nil {
		return sdkapi.Run{}, nil, err
	}
	events, err := p.Events(ctx, id, 0, MaxPage)
	return r.Run, events, err
}

// room locks the workspace and returns the status of a new run.
func (p *Plane) room(ctx context.Context, tx bun.Tx, in *sdkapi.RunRequest) (status string, err error) {
	if err := lockWorkspace(ctx, tx, in.WorkspaceID); err != nil {
		return "", err
	}
	active, waiting, next, err := count(ctx, tx, in.WorkspaceID)
	switch {
	case err != nil:
		return "", err
	case active < p.opts.MaxActive && next == 0:
		return sdkapi.RunAwaiting, nil
	case !in.Queue:
		return "", fault.New(op, sdkapi.RunLimit, "the workspace has %d runs that have not ended, and at most %d are allowed; stop one, wait until one ends, or send queue: true", active+waiting, p.opts.MaxActive)
	case waiting >= MaxWaiting:
		return "", fault.New(op, sdkapi.RunLimit, "the workspace has %d queued runs, which is the maximum; try again when one starts", waiting)
	}
	return sdkapi.RunWaiting, nil
}

// count returns how many runs of a workspace are active and how many wait. next is the number of
// waiting runs that are not paused, which can be admitted.
func count(ctx context.Context, tx bun.Tx, workspace string) (active, waiting, next int, err error) {
	err = tx.NewRaw(`SELECT coalesce(sum(active), 0), coalesce(sum(1 - active), 0), coalesce(sum(CASE WHEN status = ? THEN 1 ELSE 0 END), 0)
		FROM runs WHERE workspace_id = ? AND status IN (?)`,
		sdkapi.RunWaiting, workspace, bun.List([]string{sdkapi.RunWaiting, sdkapi.RunAwaiting, sdkapi.RunQueued, sdkapi.RunRunning, sdkapi.RunPaused})).Scan(ctx, &active, &waiting, &next)
	return active, waiting, next, err
}

// admitNext admits the run that has waited longest, if its workspace has room. If it fails, the
// janitor does it later.
func (p *Plane) admitNext(ctx context.Context, workspace string) {
	ctx = context.WithoutCancel(ctx)
	_, err := p.log.AppendBeside(ctx, "runs.admit", func(ctx context.Context, tx bun.Tx) (string, []journal.Event, error) {
		if err := lockWorkspace(ctx, tx, workspace); err != nil {
			return "", nil, err
		}
		active, _, next, err := count(ctx, tx, workspace)
		if err != nil || next == 0 || active >= p.opts.MaxActive {
			return "", nil, err
		}
		r, kept, now, err := p.oldest(ctx, tx, workspace, sdkapi.RunWaiting)
		if err != nil || r == nil {
			return "", nil, err
		}
		before := *r
		events := r.admit(now)
		r.Events += int64(len(events))
		return StreamOf(r.RunID), events, p.keep(ctx, tx, &before, r, &kept)
	})
	if err != nil {
		p.opts.Log.Warn("the gateway could not start a queued run; it retries later", slog.String("workspace", workspace), slog.Any("err", err))
	}
}

// oldest returns the first created run of a workspace with a status, nil if there is none. The
// caller has locked the workspace.
func (p *Plane) oldest(ctx context.Context, tx bun.Tx, workspace, status string) (*record, row, time.Time, error) {
	var ids []string
	if err := tx.NewRaw("SELECT id FROM runs WHERE workspace_id = ? AND status = ? ORDER BY created, id LIMIT 1", workspace, status).Scan(ctx, &ids); err != nil || len(ids) == 0 {
		return nil, row{}, time.Time{}, err
	}
	r, kept, now, err := p.locked(ctx, tx, ids[0])
	// Another gateway was faster; the next heartbeat or the janitor looks again.
	if r != nil && r.Status != status {
		r = nil
	}
	return r, kept, now, err
}

// Events returns at most limit events of a run, oldest first. It returns only events whose number
// is greater than seq. If the events are large, it returns fewer of them. It fails with
// RUN_NOT_FOUND for an unknown id.
func (p *Plane) Events(ctx context.Context, id string, seq int64, limit int) ([]sdkapi.RunEvent, error) {
	if _, err := p.Get(ctx, id); err != nil {
		return nil, err
	}
	raw, err := p.log.Read(ctx, StreamOf(id), seq, limit)
	if err != nil {
		return nil, err
	}
	events := make([]sdkapi.RunEvent, len(raw))
	for i, e := range raw {
		if events[i], err = eventOf(e); err != nil {
			return nil, err
		}
	}
	return events, nil
}

// eventOf decodes an event of a run's stream.
func eventOf(e journal.Event) (sdkapi.RunEvent, error) {
	var in entry
	err := json.Unmarshal(e.Data, &in)
	return sdkapi.RunEvent{Seq: e.Seq, Timestamp: e.Time, EventType: e.Kind, Source: in.Source, Payload: in.Payload}, err
}

// Follow yields the events of a run whose number is greater than seq. It waits for new events, and
// ends after the event run-ended. If the run has already ended when Follow is called, Follow yields
// all existing events, even those after run-ended. It fails with RUN_NOT_FOUND for an unknown id,
// and with the errors of journal.Log.Follow.
func (p *Plane) Follow(ctx context.Context, id string, seq int64) iter.Seq2[sdkapi.RunEvent, error] {
	return func(yield func(sdkapi.RunEvent, error) bool) {
		run, err := p.Get(ctx, id)
		if err == nil && run.Over() {
			err = p.rest(ctx, id, seq, yield)
			if err == nil {
				return
			}
		}
		if err != nil {
			yield(sdkapi.RunEvent{}, err)
			return
		}
		for e, err := range p.log.Follow(ctx, StreamOf(id), seq) {
			told, bad := eventOf(e)
			if err = cmp.Or(err, bad); err != nil {
				yield(sdkapi.RunEvent{}, err)
				return
			}
			if !yield(told, nil) || told.EventType == sdkapi.RunEnded {
				return
			}
		}
	}
}

// rest yields the events of an ended run whose numbers are greater than after.
func (p *Plane) rest(ctx context.Context, id string, after int64, yield func(sdkapi.RunEvent, error) bool) error {
	for {
		page, err := p.Events(ctx, id, after, MaxPage)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, e := range page {
			if after = e.Seq; !yield(e, nil) {
				return nil
			}
		}
	}
}

// Control applies an action to a run, for example stop. It returns the run. It also returns the
// command that goes to the run's worker, or nil if no command goes to the worker. A repeated action
// changes nothing. Control fails with RUN_NOT_FOUND, RUN_ENDED or VALIDATION_ERROR. It fails with
// OVERLOADED if too many earlier commands still wait for the worker's acknowledgement.
func (p *Plane) Control(ctx context.Context, id string, c *sdkapi.RunControlRequest) (run sdkapi.Run, command *sdkapi.RunCommand, err error) {
	run, _, err = p.change(ctx, "runs.Control", id, func(r *record, _ row, now time.Time) (events []journal.Event, err error) {
		command, events, err = r.control(c, now)
		return events, err
	})
	return run, command, err
}

// StopAll stops all active and waiting runs of a workspace, and returns their ids. If workspace is
// empty, it stops the runs of all workspaces. The runs record user as the user who stopped them.
func (p *Plane) StopAll(ctx context.Context, workspace, user string) ([]string, error) {
	var ids []string
	err := p.db.Ask(ctx, "runs.StopAll", func(ctx context.Context, db *bun.DB) error {
		ids = nil
		return db.NewRaw("SELECT id FROM runs WHERE ended = 0 AND (? = '' OR workspace_id = ?) ORDER BY status <> ?, created, id",
			workspace, workspace, sdkapi.RunWaiting).Scan(ctx, &ids) // waiting ones first, so that none is admitted meanwhile
	})
	if err != nil {
		return nil, err
	}
	stopped := []string{}
	for _, id := range ids {
		run, _, err := p.Control(ctx, id, &sdkapi.RunControlRequest{Action: sdkapi.RunStop, RequestedBy: user})
		switch code := fault.CodeOf(err); {
		case code == sdkapi.RunNotFound, code == sdkapi.RunIsOver: // it was deleted or ended meanwhile
		case err != nil:
			return stopped, err
		case run.Status == sdkapi.RunStopped:
			stopped = append(stopped, id)
		}
	}
	return stopped, nil
}

// Dispatched records that a worker has sent the query of its run. A repeated call changes nothing.
// It fails with RUN_NOT_FOUND, LEASE_LOST and RUN_ENDED.
func (p *Plane) Dispatched(ctx context.Context, id string, d *sdkapi.RunDispatch) (run sdkapi.Run, err error) {
	run, _, err = p.change(ctx, "runs.Dispatched", id, func(r *record, _ row, now time.Time) ([]journal.Event, error) {
		return r.dispatched(d, now)
	})
	return run, err
}

// Relay adds a worker's event to a run's timeline. It fails with RUN_LIMIT if the timeline already
// has MaxEvents events. It also fails with RUN_NOT_FOUND, LEASE_LOST, VALIDATION_ERROR or
// PAYLOAD_TOO_LARGE.
func (p *Plane) Relay(ctx context.Context, id string, e *sdkapi.RunRelay) (sdkapi.RunRelayed, error) {
	if len(e.Payload) > MaxPayload {
		return sdkapi.RunRelayed{}, fault.New(op, sdkapi.PayloadTooLarge, "the payload has %d bytes; at most %d are allowed", len(e.Payload), MaxPayload)
	}
	var out sdkapi.RunRelayed
	run, last, err := p.change(ctx, "runs.Relay", id, func(r *record, _ row, now time.Time) (events []journal.Event, err error) {
		events, out.Duplicate, err = r.relay(e, now)
		return events, err
	})
	out.RunID, out.Seq, out.Status = id, last, run.Status
	return out, err
}

// checkObject refuses metadata that is not a JSON object or is larger than MaxMetadata.
func checkObject(raw json.RawMessage, path string) error {
	var object map[string]json.RawMessage
	if len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, &object); err != nil || len(raw) > MaxMetadata {
		return fault.New(op, sdkapi.ValidationError, "%s is not a JSON object, or has more than %d bytes", path, MaxMetadata).
			At(path, "expected a JSON object of at most %d bytes", MaxMetadata)
	}
	return nil
}

// orObject returns raw, or an empty object if raw is empty or null.
func orObject(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}")
	}
	return raw
}
