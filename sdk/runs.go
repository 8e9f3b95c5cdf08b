package sdk

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/windieos/windie/sdkapi"
)

// WithRunsKey adds the key that the routes of Runs require.
func WithRunsKey(key string) Option { return WithHeader(sdkapi.RunsKeyHeader, key) }

// Runs holds the routes of runs. Dashboards create and control runs; workers carry them out. All
// routes need WithRunsKey. The methods are safe for concurrent use. After a broken connection, the
// client retries all requests except Create. It retries Create only if the context is from Once.
type Runs struct{ client *Client }

// Create creates a run. It fails with RunLimit if the workspace already has the maximum number of
// runs.
func (r *Runs) Create(ctx context.Context, in sdkapi.RunRequest) (*sdkapi.RunAnswer, error) {
	return post[sdkapi.RunAnswer](ctx, r.client, sdkapi.RunsPath, in)
}

// Get returns a run. An unknown id fails with RunNotFound.
func (r *Runs) Get(ctx context.Context, run string) (*sdkapi.Run, error) {
	state, err := get[sdkapi.RunState](ctx, r.client, runPath(sdkapi.RunPath, run))
	if err != nil {
		return nil, err
	}
	return &state.Run, nil
}

// RunQuery filters runs. An empty field does not restrict the list.
type RunQuery struct {
	WorkspaceID, AgentID, RequestedBy, Status string
	Since                                     time.Time // only runs created at this time or later; zero means all runs

	After string // the Next of the previous page; empty means the first page
	Limit int    // maximum number of runs, 1 to 100; 0 means 20
}

// List returns one page of runs, newest first.
func (r *Runs) List(ctx context.Context, q RunQuery) (*sdkapi.RunList, error) {
	of := url.Values{}
	for name, value := range map[string]string{"workspace_id": q.WorkspaceID, "agent_id": q.AgentID, "requested_by": q.RequestedBy, "status": q.Status, "since": timeOf(q.Since), "after": q.After} {
		if value != "" {
			of.Set(name, value)
		}
	}
	if q.Limit != 0 {
		of.Set("limit", strconv.Itoa(q.Limit))
	}
	return get[sdkapi.RunList](ctx, r.client, sdkapi.RunsPath+"?"+of.Encode())
}

// Events returns the events of a run whose numbers are above cursor, at most limit events. limit is
// 1 to 1,000; with 0, the gateway chooses the limit. An empty list means that the run has no more
// events yet.
func (r *Runs) Events(ctx context.Context, run string, cursor int64, limit int) (*sdkapi.RunEvents, error) {
	path := fmt.Sprintf("%s?after_seq=%d", runPath(sdkapi.RunEventsPath, run), cursor)
	if limit != 0 {
		path += "&limit=" + strconv.Itoa(limit)
	}
	return get[sdkapi.RunEvents](ctx, r.client, path)
}

// runEvent is an event of Follow.
type runEvent struct{ sdkapi.RunEvent }

// into ignores the name, because all events of a run have the same form.
func (e *runEvent) into(string) any { return &e.RunEvent }

// at does nothing, because the data has the event's number.
func (e *runEvent) at(string) {}

// last reports whether the event ends the run.
func (e *runEvent) last() bool { return e.EventType == sdkapi.RunEnded }

// over returns false, because no event of a run asks for an answer.
func (e *runEvent) over() bool { return false }

// Follow yields the events of a run whose numbers are above cursor, and then each new event until
// the run ends. If the connection breaks, Follow reconnects. An error ends the loop.
func (r *Runs) Follow(ctx context.Context, run string, cursor int64) iter.Seq2[sdkapi.RunEvent, error] {
	return func(yield func(sdkapi.RunEvent, error) bool) {
		f := follow[runEvent, *runEvent]{heard: func(*runEvent) {}, known: func() bool { return true }}
		if cursor > 0 {
			f.after = strconv.FormatInt(cursor, 10)
		}
		f.again = func(ctx context.Context) (*http.Response, error) {
			return f.from(ctx, r.client, runPath(sdkapi.RunStreamPath, run))
		}
		f.run(ctx, func(e runEvent, err error) bool { return yield(e.RunEvent, err) }, f.again)
	}
}

// Control pauses, resumes or stops a run, or sets who may act on its machine. Sending a request
// again changes nothing.
func (r *Runs) Control(ctx context.Context, run string, in sdkapi.RunControlRequest) (*sdkapi.RunControlled, error) {
	return post[sdkapi.RunControlled](safe(ctx), r.client, runPath(sdkapi.RunControlPath, run), in)
}

// StopAll stops all runs of one workspace, which request.WorkspaceID names. If this id is empty,
// StopAll stops all runs of all workspaces.
func (r *Runs) StopAll(ctx context.Context, request sdkapi.RunStopAll) (*sdkapi.RunsStopped, error) {
	return post[sdkapi.RunsStopped](safe(ctx), r.client, sdkapi.RunsStopAllPath, request)
}

// Workers returns the workers of a workspace that sent a heartbeat in the last day. If workspace is
// empty, Workers returns the workers of all workspaces.
func (r *Runs) Workers(ctx context.Context, workspace string) ([]sdkapi.RunWorker, error) {
	list, err := get[sdkapi.RunWorkers](ctx, r.client, sdkapi.RunWorkersPath+"?workspace_id="+url.QueryEscape(workspace))
	if err != nil {
		return nil, err
	}
	return list.Workers, nil
}

// Heartbeat reports the state of a worker, and returns the worker's new run and the commands for
// its runs.
func (r *Runs) Heartbeat(ctx context.Context, in sdkapi.RunHeartbeat) (*sdkapi.RunHeartbeatAnswer, error) {
	return post[sdkapi.RunHeartbeatAnswer](safe(ctx), r.client, sdkapi.RunHeartbeatPath, in)
}

// Dispatched reports that a worker has sent the query of its run. If the worker no longer holds the
// run, Dispatched fails with LeaseLost.
func (r *Runs) Dispatched(ctx context.Context, run string, in sdkapi.RunDispatch) (*sdkapi.Run, error) {
	state, err := post[sdkapi.RunState](safe(ctx), r.client, runPath(sdkapi.RunDispatchedPath, run), in)
	if err != nil {
		return nil, err
	}
	return &state.Run, nil
}

// Relay appends an event to a run's timeline. If a worker sends an event with the same WorkerSeq
// again, the gateway ignores the second event. If the worker no longer holds the run, Relay fails
// with LeaseLost.
func (r *Runs) Relay(ctx context.Context, run string, in sdkapi.RunRelay) (*sdkapi.RunRelayed, error) {
	if in.WorkerSeq != 0 {
		ctx = safe(ctx)
	}
	return post[sdkapi.RunRelayed](ctx, r.client, runPath(sdkapi.RunEventsPath, run), in)
}

// File returns the content of a file of a run. The caller closes it.
func (r *Runs) File(ctx context.Context, run, artifact string) (io.ReadCloser, error) {
	path := strings.ReplaceAll(runPath(sdkapi.RunFilePath, run), "{artifact_id}", url.PathEscape(artifact))
	resp, err := r.client.call(safe(ctx), http.MethodGet, path, nil, nil)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// runPath fills the run's id into pattern.
func runPath(pattern, run string) string {
	return strings.ReplaceAll(pattern, "{run_id}", url.PathEscape(run))
}
