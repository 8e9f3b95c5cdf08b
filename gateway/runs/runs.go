// Package runs serves the routes of runs: for dashboards, which start and control runs, and for
// workers, which execute the runs. All requests need the operator's runs key.
package runs

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/runs"
)

// Parts returns the part that serves runs, or no part if app.Runs is nil.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	if app.Runs == nil {
		return nil
	}
	d := &door{core: core, runs: app.Runs, store: app.Store}
	// Workers first, since the router would take their paths for run ids.
	return []gateway.Part{gateway.PartOf("runs", d.addWorkers, d.addRuns, d.addControl)}
}

// door holds the services that the handlers of this package use.
type door struct {
	core  *gateway.Server
	runs  *runs.Plane
	store artifacts.Store
}

const op = "gateway.runs"

// maxBody is the maximum size of a body without an event, in bytes. JSON may take six bytes to
// escape one.
const maxBody = 6*64<<10 + 64<<10

// about describes a route for the API document.
func (s *door) about(id, method, path, summary, description string, errors ...int) huma.Operation {
	return huma.Operation{
		OperationID: id, Method: method, Path: path, Tags: []string{"runs"}, Security: s.core.AsksForRunsKey(),
		Summary: summary, Description: description, Errors: append(errors, 403, 503),
	}
}

// badBody are the statuses for a rejected body.
var badBody = []int{400, 408, 413, 415, 422}

// onRun is the input of a route with a body about one run.
type onRun[T any] struct {
	ID   string `path:"run_id" maxLength:"64" doc:"Id of the run."`
	Body T
}

// post adds a POST route with a body about one run. The handler's context ends when the client
// disconnects.
func post[In, Out any](s *door, maxBytes int64, doc huma.Operation, handle func(ctx context.Context, run string, in *In) (*Out, error)) {
	doc.Method = http.MethodPost
	doc.MaxBodyBytes = maxBytes + 1 // huma refuses a body of exactly the limit
	doc.BodyReadTimeout = -1        // the gateway watches progress instead
	gateway.RegisterJSON(s.core, doc, func(ctx context.Context, in *onRun[In]) (*Out, error) {
		ctx, stop := gateway.UntilClientLeaves(ctx)
		defer stop()
		return handle(ctx, in.ID, &in.Body)
	})
}

// addRuns adds the routes that create and show runs.
func (s *door) addRuns() {
	gateway.Post(s.core, sdkapi.RunsPath, maxBody, s.about("create-run", "", "", "Create a run",
		"A run is a query that a worker of the workspace carries out on its machine. If the workspace already has the maximum number of active runs, the "+
			"response is 409 unless `queue` is true.",
		append([]int{404, 409}, badBody...)...), s.create)
	gateway.RegisterJSON(s.core, s.about("list-runs", http.MethodGet, sdkapi.RunsPath, "List runs", "Lists runs, newest first.", 422), s.list)
	gateway.RegisterJSON(s.core, s.about("get-run", http.MethodGet, sdkapi.RunPath, "Get a run",
		"Returns the run with its status.", 404, 422), s.get)
	gateway.RegisterJSON(s.core, s.about("run-events", http.MethodGet, sdkapi.RunEventsPath, "List a run's events",
		"Returns the run's events after a number, oldest first. They include the events of the conversation, which the worker relays.", 404, 422), s.events)
	stream := s.about("run-stream", http.MethodGet, sdkapi.RunStreamPath, "Follow a run",
		"Returns the run's events as server-sent events until the run ends. The `id` of an event is its number.", 404, 422, 429)
	stream.Responses = gateway.EventStream("The events.", gateway.AnyEvent[sdkapi.RunEvent](s.core, "RunStreamEvent"))
	gateway.Register(s.core, stream, s.stream)
}

// create creates a run. Its files must be stored artifacts of the user who requests the run.
func (s *door) create(ctx context.Context, in *sdkapi.RunRequest) (*sdkapi.RunAnswer, error) {
	if len(in.Files) > 0 {
		store, err := s.storeOf(in.RequestedBy)
		if err != nil {
			return nil, err
		}
		for _, f := range in.Files {
			if _, err := store.Stat(ctx, f.ArtifactID); err != nil {
				return nil, fault.At(err, "body.files", "expected stored artifacts that belong to the user named in requested_by")
			}
		}
	}
	run, events, err := s.runs.Create(ctx, in)
	if err != nil {
		return nil, err
	}
	return &sdkapi.RunAnswer{Run: run, Events: events}, nil
}

// storeOf returns the artifacts of a user. If the store does not separate users, it returns all. It
// fails with VALIDATION_ERROR if the store needs a user and user is empty.
func (s *door) storeOf(user string) (artifacts.Store, error) {
	apart, ok := s.store.(artifacts.PerUser)
	switch {
	case !ok:
		return s.store, nil
	case user == "":
		return nil, fault.New(op, sdkapi.ValidationError, "on this gateway each file belongs to a user: requested_by must name the owner of the files").
			At("body.requested_by", "expected the owner of the files")
	}
	return apart.For(user), nil
}

type runPage struct {
	WorkspaceID string    `query:"workspace_id" maxLength:"128" doc:"Workspace to list (default all workspaces)."`
	AgentID     string    `query:"agent_id" maxLength:"128" doc:"Only runs for this agent."`
	RequestedBy string    `query:"requested_by" maxLength:"128" doc:"Only runs that this user requested."`
	Status      string    `query:"status" enum:"waiting,awaiting_worker,queued,running,paused,completed,failed,stopped" doc:"Only runs with this status."`
	Since       time.Time `query:"since" doc:"Only runs created at this time or later."`
	After       string    `query:"after" maxLength:"100" doc:"Value of \"next\" in the previous page."`
	Limit       int       `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"Maximum number of items."`
}

// list returns a page of runs, newest first.
func (s *door) list(ctx context.Context, in *runPage) (*sdkapi.RunList, error) {
	page, err := s.runs.List(ctx, runs.Query{
		WorkspaceID: in.WorkspaceID, AgentID: in.AgentID, RequestedBy: in.RequestedBy, Status: in.Status,
		Since: in.Since, After: in.After, Limit: in.Limit,
	})
	return &page, err
}

type runNamed struct {
	ID string `path:"run_id" maxLength:"64" doc:"Id of the run."`
}

// get returns one run.
func (s *door) get(ctx context.Context, in *runNamed) (*sdkapi.RunState, error) {
	run, err := s.runs.Get(ctx, in.ID)
	return &sdkapi.RunState{Run: run}, err
}

type eventPage struct {
	ID    string `path:"run_id" maxLength:"64" doc:"Id of the run."`
	After int64  `query:"after_seq" minimum:"0" default:"0" doc:"Number of the last event that you have received."`
	Limit int    `query:"limit" minimum:"1" maximum:"1000" default:"200" doc:"Maximum number of events. A page of large events may have fewer. An empty page is the last page."`
}

// events returns a page of a run's events, oldest first. On an empty page, the cursor stays the same.
func (s *door) events(ctx context.Context, in *eventPage) (*sdkapi.RunEvents, error) {
	events, err := s.runs.Events(ctx, in.ID, in.After, in.Limit)
	if err != nil {
		return nil, err
	}
	out := &sdkapi.RunEvents{RunID: in.ID, Events: events, NextAfterSeq: in.After}
	if n := len(events); n > 0 {
		out.NextAfterSeq = events[n-1].Seq
	}
	return out, nil
}
