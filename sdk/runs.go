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

	"github.com/windieos/windie/sdkapi"
)

// WithRunsKey sets the key that the routes of Runs ask for.
func WithRunsKey(key string) Option { return WithHeader(sdkapi.RunsKeyHeader, key) }

// Runs holds the routes of runs: for dashboards, which ask for them and control them, and for workers, which carry
// them out. They need WithRunsKey. Its methods may be called from several goroutines at once, and are safe to repeat:
// but for Create, which Once makes so, they are tried again when the connection breaks.
type Runs struct{ client *Client }

// Create asks for a run. It fails with RunLimit if the workspace has as many as it may have.
func (r *Runs) Create(ctx context.Context, in sdkapi.RunRequest) (*sdkapi.RunAnswer, error) {
	return post[sdkapi.RunAnswer](ctx, r.client, sdkapi.RunsPath, in)
}

// Get returns a run. It fails with RunNotFound if there is none.
func (r *Runs) Get(ctx context.Context, run string) (*sdkapi.Run, error) {
	state, err := get[sdkapi.RunState](ctx, r.client, runPath(sdkapi.RunPath, run))
	if err != nil {
		return nil, err
	}
	return &state.Run, nil
}

// RunQuery selects runs. Empty fields select all.
type RunQuery struct {
	WorkspaceID, AgentID, RequestedBy, Status string

	After string // Next of the page before
	Limit int    // 1 to 100; 0 is 20
}

// List returns runs, the newest first.
func (r *Runs) List(ctx context.Context, q RunQuery) (*sdkapi.RunList, error) {
	of := url.Values{}
	for name, value := range map[string]string{"workspace_id": q.WorkspaceID, "agent_id": q.AgentID, "requested_by": q.RequestedBy, "status": q.Status, "after": q.After} {
		if value != "" {
			of.Set(name, value)
		}
	}
	if q.Limit != 0 {
		of.Set("limit", strconv.Itoa(q.Limit))
	}
	return get[sdkapi.RunList](ctx, r.client, sdkapi.RunsPath+"?"+of.Encode())
}

// Events returns the events of a run after a number, at most limit of them, which is 1 to 1,000; 0 is the
// gateway's choice. It returns
// none only if there are no more.
func (r *Runs) Events(ctx context.Context, run string, after int64, limit int) (*sdkapi.RunEvents, error) {
	path := fmt.Sprintf("%s?after_seq=%d", runPath(sdkapi.RunEventsPath, run), after)
	if limit != 0 {
		path += "&limit=" + strconv.Itoa(limit)
	}
	return get[sdkapi.RunEvents](ctx, r.client, path)
}

// runEvent is an event of Follow.
type runEvent struct{ sdkapi.RunEvent }

func (e *runEvent) into(string) any { return &e.RunEvent }
func (e *runEvent) at(string)       {}
func (e *runEvent) last() bool      { return e.EventType == sdkapi.RunEnded }
func (e *runEvent) over() bool      { return false }

// Follow yields the events of a run after a number and then each new one until the run has ended, through
// connections that break. An error is the last that it yields.
func (r *Runs) Follow(ctx context.Context, run string, after int64) iter.Seq2[sdkapi.RunEvent, error] {
	return func(yield func(sdkapi.RunEvent, error) bool) {
		f := follow[runEvent, *runEvent]{heard: func(*runEvent) {}, known: func() bool { return true }}
		if after > 0 {
			f.after = strconv.FormatInt(after, 10)
		}
		f.again = func(ctx context.Context) (*http.Response, error) {
			return f.from(ctx, r.client, runPath(sdkapi.RunStreamPath, run))
		}
		f.run(ctx, func(e runEvent, err error) bool { return yield(e.RunEvent, err) }, f.again)
	}
}

// Control pauses, resumes or stops a run, or sets who may act. Asked for again it changes nothing.
func (r *Runs) Control(ctx context.Context, run string, in sdkapi.RunControlRequest) (*sdkapi.RunControlled, error) {
	return post[sdkapi.RunControlled](safe(ctx), r.client, runPath(sdkapi.RunControlPath, run), in)
}

// StopAll stops the runs of a workspace, of all if it is empty.
func (r *Runs) StopAll(ctx context.Context, in sdkapi.RunStopAll) (*sdkapi.RunsStopped, error) {
	return post[sdkapi.RunsStopped](safe(ctx), r.client, sdkapi.RunsStopAllPath, in)
}

// Workers returns the workers of a workspace, of all if it is empty, that were heard in the last day.
func (r *Runs) Workers(ctx context.Context, workspace string) ([]sdkapi.RunWorker, error) {
	list, err := get[sdkapi.RunWorkers](ctx, r.client, sdkapi.RunWorkersPath+"?workspace_id="+url.QueryEscape(workspace))
	if err != nil {
		return nil, err
	}
	return list.Workers, nil
}

// Heartbeat reports a worker, and returns what it is to do.
func (r *Runs) Heartbeat(ctx context.Context, in sdkapi.RunHeartbeat) (*sdkapi.RunHeartbeatAnswer, error) {
	return post[sdkapi.RunHeartbeatAnswer](safe(ctx), r.client, sdkapi.RunHeartbeatPath, in)
}

// Dispatched reports that a worker has sent its run's query. It fails with LeaseLost if the run is not the worker's.
func (r *Runs) Dispatched(ctx context.Context, run string, in sdkapi.RunDispatch) (*sdkapi.Run, error) {
	state, err := post[sdkapi.RunState](safe(ctx), r.client, runPath(sdkapi.RunDispatchedPath, run), in)
	if err != nil {
		return nil, err
	}
	return &state.Run, nil
}

// Relay adds an event to a run's timeline. With a WorkerSeq it may be repeated. It fails with LeaseLost if the
// run is not the worker's.
func (r *Runs) Relay(ctx context.Context, run string, in sdkapi.RunRelay) (*sdkapi.RunRelayed, error) {
	if in.WorkerSeq != 0 {
		ctx = safe(ctx)
	}
	return post[sdkapi.RunRelayed](ctx, r.client, runPath(sdkapi.RunEventsPath, run), in)
}

// File returns a file of a run, which the caller closes.
func (r *Runs) File(ctx context.Context, run, artifact string) (io.ReadCloser, error) {
	path := strings.ReplaceAll(runPath(sdkapi.RunFilePath, run), "{artifact_id}", url.PathEscape(artifact))
	resp, err := r.client.call(safe(ctx), http.MethodGet, path, nil, nil)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// runPath returns a path about a run.
func runPath(pattern, run string) string {
	return strings.ReplaceAll(pattern, "{run_id}", url.PathEscape(run))
}
