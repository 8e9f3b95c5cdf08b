// Package runs is the protocol of runs: of dashboards, which ask for runs and control them, and of the workers that
// carry them out. All its requests bring one key, the operator's.
package runs

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/runs"
)

// Parts returns the part of a gateway that has runs; nothing of another.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	if app.Runs == nil {
		return nil
	}
	d := &door{core: core, runs: app.Runs, store: app.Store}
	return []gateway.Part{gateway.PartOf("runs", d.addWorkers, d.addRuns, d.addControl)} // workers first: theirs is no run's id
}

// door is the protocol at a gateway.
type door struct {
	core  *gateway.Server
	runs  *runs.Plane
	store artifacts.Store
}

const op = "gateway.runs"

// maxBody bounds bodies that hold no event: each byte of the longest text may be escaped.
const maxBody = 6*64<<10 + 64<<10

// about describes a route.
func (s *door) about(id, method, path, summary, description string, errors ...int) huma.Operation {
	return huma.Operation{
		OperationID: id, Method: method, Path: path, Tags: []string{"runs"}, Security: s.core.AsksForRunsKey(),
		Summary: summary, Description: description, Errors: append(errors, 403, 503),
	}
}

// badBody are the statuses of a body that is refused.
var badBody = []int{400, 408, 413, 415, 422}

// onRun is the input of a route that changes a run.
type onRun[T any] struct {
	ID   string `path:"run_id" maxLength:"64" doc:"The run."`
	Body T
}

// post adds a route that takes a body about one run.
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

func (s *door) addRuns() {
	gateway.Post(s.core, sdkapi.RunsPath, maxBody, s.about("create-run", "", "", "Ask for a run",
		"A run is a query that a worker of the workspace carries out on its machine. 409 where the workspace has as many runs as it may have at once, unless `queue` is true.",
		append([]int{404, 409}, badBody...)...), s.create)
	gateway.RegisterJSON(s.core, s.about("list-runs", http.MethodGet, sdkapi.RunsPath, "List runs", "The newest first.", 422), s.list)
	gateway.RegisterJSON(s.core, s.about("get-run", http.MethodGet, sdkapi.RunPath, "Tell how far a run is", "", 404, 422), s.get)
	gateway.RegisterJSON(s.core, s.about("run-events", http.MethodGet, sdkapi.RunEventsPath, "List what has happened in a run",
		"The timeline after a number, the oldest first: what the gateway did, and what the worker relays of its conversation with the agent.", 404, 422), s.events)
	stream := s.about("run-stream", http.MethodGet, sdkapi.RunStreamPath, "Follow what happens in a run",
		"The same timeline, as server-sent events whose `id` is the number, until the run has ended.", 404, 422, 429)
	stream.Responses = gateway.EventStream("The events.", gateway.AnyEvent[sdkapi.RunEvent](s.core, "RunStreamEvent"))
	gateway.Register(s.core, stream, s.stream)
}

func (s *door) create(ctx context.Context, in *sdkapi.RunRequest) (*sdkapi.RunAnswer, error) {
	if len(in.Files) > 0 {
		store, err := s.storeOf(in.RequestedBy)
		if err != nil {
			return nil, err
		}
		for _, f := range in.Files {
			if _, err := store.Stat(ctx, f.ArtifactID); err != nil {
				return nil, fault.At(err, "body.files", "expected stored artifacts of the user requested_by")
			}
		}
	}
	run, events, err := s.runs.Create(ctx, in)
	if err != nil {
		return nil, err
	}
	return &sdkapi.RunAnswer{Run: run, Events: events}, nil
}

// storeOf returns the artifacts of a user, or all where they have no owners.
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
	WorkspaceID string `query:"workspace_id" maxLength:"128" doc:"Those of one workspace."`
	AgentID     string `query:"agent_id" maxLength:"128" doc:"Those for one agent."`
	RequestedBy string `query:"requested_by" maxLength:"128" doc:"Those that one user asked for."`
	Status      string `query:"status" enum:"waiting,awaiting_worker,queued,running,paused,completed,failed,stopped" doc:"Those of one status."`
	After       string `query:"after" maxLength:"100" doc:"What the page before had as next."`
	Limit       int    `query:"limit" minimum:"1" maximum:"100" default:"20" doc:"How many to list at most."`
}

func (s *door) list(ctx context.Context, in *runPage) (*sdkapi.RunList, error) {
	page, err := s.runs.List(ctx, runs.Query{
		WorkspaceID: in.WorkspaceID, AgentID: in.AgentID, RequestedBy: in.RequestedBy, Status: in.Status, After: in.After, Limit: in.Limit,
	})
	return &page, err
}

type runNamed struct {
	ID string `path:"run_id" maxLength:"64" doc:"The run."`
}

func (s *door) get(ctx context.Context, in *runNamed) (*sdkapi.RunState, error) {
	run, err := s.runs.Get(ctx, in.ID)
	return &sdkapi.RunState{Run: run}, err
}

type eventPage struct {
	ID    string `path:"run_id" maxLength:"64" doc:"The run."`
	After int64  `query:"after_seq" minimum:"0" default:"0" doc:"The number of the last event that you have."`
	Limit int    `query:"limit" minimum:"1" maximum:"1000" default:"200" doc:"How many to list at most; there may be fewer if they are large, and none only if there are no more."`
}

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
