package runs

import (
	"context"
	"io"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/runs"
)

// maxRelay is the maximum size of an event's body, in bytes.
const maxRelay = runs.MaxPayload + 4<<10

// addWorkers adds the routes with which workers execute runs.
func (s *door) addWorkers() {
	gateway.Post(s.core, sdkapi.RunHeartbeatPath, maxBody, s.about("run-worker-heartbeat", "", "", "Send a worker's heartbeat",
		"Renews the worker's lease. Assigns a run if the worker has none. Returns the commands that the worker has not acknowledged. If a later "+
			"session has replaced this session, the response is 409.",
		append([]int{409}, badBody...)...), s.heartbeat)
	gateway.RegisterJSON(s.core, s.about("list-run-workers", http.MethodGet, sdkapi.RunWorkersPath, "List workers",
		"Lists the workers with a heartbeat in the last day, latest first.", 422), s.workers)
	post(s, maxBody, s.about("run-worker-dispatched", "", sdkapi.RunDispatchedPath, "Report that a run has started",
		"If another worker has the run, or the run has ended, the response is 409. The worker then ends its turn.", append([]int{404, 409}, badBody...)...), s.dispatched)
	post(s, maxRelay, s.about("relay-run-event", "", sdkapi.RunEventsPath, "Relay an event of a run",
		"The event `streaming-complete` completes the run. The event `error` of a turn fails the run. If another worker has the run, the response is 409.", append([]int{404, 409}, badBody...)...), s.relay)
	file := s.about("run-file", http.MethodGet, sdkapi.RunFilePath, "Download a run's file", "Returns the whole artifact that the run was created with.", 404, 422)
	file.Responses = map[string]*huma.Response{
		"200": {Description: "The file.", Content: map[string]*huma.MediaType{"*/*": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}},
	}
	gateway.Register(s.core, file, s.file)
}

// heartbeat renews a worker's lease, and returns its run and its commands.
func (s *door) heartbeat(ctx context.Context, in *sdkapi.RunHeartbeat) (*sdkapi.RunHeartbeatAnswer, error) {
	answer, err := s.runs.Heartbeat(ctx, in)
	return &answer, err
}

type workerPage struct {
	WorkspaceID string `query:"workspace_id" maxLength:"128" doc:"Workspace to list (default all workspaces)."`
}

// workers returns the workers with a heartbeat in the last day, latest first.
func (s *door) workers(ctx context.Context, in *workerPage) (*sdkapi.RunWorkers, error) {
	list, err := s.runs.Workers(ctx, in.WorkspaceID)
	return &sdkapi.RunWorkers{Workers: list}, err
}

// dispatched records that a worker has started a run. It fails if the worker no longer has the run.
func (s *door) dispatched(ctx context.Context, run string, in *sdkapi.RunDispatch) (*sdkapi.RunState, error) {
	after, err := s.runs.Dispatched(ctx, run, in)
	return &sdkapi.RunState{Run: after}, err
}

// relay stores an event that a worker relays. The last event of the turn also ends the run.
func (s *door) relay(ctx context.Context, run string, in *sdkapi.RunRelay) (*sdkapi.RunRelayed, error) {
	done, err := s.runs.Relay(ctx, run, in)
	return &done, err
}

type fileNamed struct {
	ID       string `path:"run_id" maxLength:"64" doc:"Id of the run."`
	Artifact string `path:"artifact_id" maxLength:"200" doc:"artifact_id of a file of the run."`
}

// file sends a file of a run to the worker. It refuses artifacts that the run was not created with.
func (s *door) file(ctx context.Context, in *fileNamed) (*huma.StreamResponse, error) {
	run, err := s.runs.Get(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(run.Files, func(f sdkapi.RunFile) bool { return f.ArtifactID == in.Artifact }) {
		return nil, fault.New(op, sdkapi.ArtifactNotFound, "the run has no file with this artifact_id").At("path.artifact_id", "expected the artifact_id of one of the run's files")
	}
	store, err := s.storeOf(run.RequestedBy)
	if err != nil {
		return nil, err
	}
	info, err := store.Stat(ctx, in.Artifact)
	if err != nil {
		return nil, err
	}
	content, err := s.core.Lasting(ctx, func(ctx context.Context) (io.ReadCloser, error) {
		content, _, err := store.Get(ctx, in.Artifact, 0, info.Size)
		return whole{content}, err
	})
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		c := humafiber.UnwrapV2(ctx)
		c.Set("Content-Type", info.ContentType)
		c.Set("Content-Disposition", `attachment; filename="`+info.ID+`"`)
		// A browser may display the file although it is an attachment.
		c.Set("Content-Security-Policy", "default-src 'none'; sandbox")
		c.Set("X-Content-Type-Options", "nosniff")
		c.Set("Cache-Control", "no-store")
		c.Context().SetBodyStream(content, int(info.Size))
	}}, nil
}

// whole is content that copies itself with io.Copy, in place of fasthttp's copy loop.
type whole struct{ io.ReadCloser }

// WriteTo implements io.WriterTo.
func (w whole) WriteTo(to io.Writer) (int64, error) { return io.Copy(to, w.ReadCloser) }
