package runs

import (
	"context"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/sse"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// addControl adds the routes that pause, resume and stop runs.
func (s *door) addControl() {
	post(s, maxBody, s.about("control-run", "", sdkapi.RunControlPath, "Pause, resume or stop a run",
		"The action applies at once. The worker gets the action with each heartbeat until the worker acknowledges it. Repeating an action changes nothing.",
		append([]int{404, 409}, badBody...)...), s.control)
	gateway.Post(s.core, sdkapi.RunsStopAllPath, maxBody, s.about("stop-all-runs", "", "", "Stop all runs",
		"Stops the active and waiting runs of a workspace, or of all workspaces.", badBody...), s.stopAll)
}

// control applies an action to a run. It returns the run after the action, and the command for its
// worker, if any.
func (s *door) control(ctx context.Context, run string, in *sdkapi.RunControlRequest) (*sdkapi.RunControlled, error) {
	after, command, err := s.runs.Control(ctx, run, in)
	return &sdkapi.RunControlled{Run: after, Command: command}, err
}

// stopAll stops all runs of a workspace, or of all workspaces if the request has no workspace.
func (s *door) stopAll(ctx context.Context, in *sdkapi.RunStopAll) (*sdkapi.RunsStopped, error) {
	ids, err := s.runs.StopAll(ctx, in.WorkspaceID, in.RequestedBy)
	return &sdkapi.RunsStopped{WorkspaceID: in.WorkspaceID, StoppedRunIDs: ids, Count: len(ids)}, err
}

type streamInput struct {
	ID          string `path:"run_id" maxLength:"64" doc:"Id of the run."`
	After       int64  `query:"after_seq" minimum:"0" default:"0" doc:"Number of the last event that you have received."`
	LastEventID string `header:"Last-Event-ID" maxLength:"20" doc:"Cursor that browsers send. If it is set, the gateway ignores \"after\"."`
}

// stream sends the events of a run after the client's cursor, until the run ends.
func (s *door) stream(ctx context.Context, in *streamInput) (*huma.StreamResponse, error) {
	after := in.After
	if in.LastEventID != "" {
		n, err := strconv.ParseInt(in.LastEventID, 10, 64)
		if err != nil || n < 0 {
			return nil, fault.New(op, sdkapi.ValidationError, "there is no event %q", in.LastEventID).
				At("header.Last-Event-ID", "expected the number of the last event that you received")
		}
		after = n
	}
	if _, err := s.runs.Get(ctx, in.ID); err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(c huma.Context) {
		s.core.Stream(humafiber.UnwrapV2(c), func(ctx context.Context, send func(sse.Event) error) error {
			for e, err := range s.runs.Follow(ctx, in.ID, after) {
				if err == nil {
					err = send(sse.Event{ID: strconv.FormatInt(e.Seq, 10), Event: e.EventType, Data: e})
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}}, nil
}
