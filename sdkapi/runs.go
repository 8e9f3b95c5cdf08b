package sdkapi

import (
	"encoding/json"
	"time"
)

// Paths of runs. All except their streams come from the desktop reference.
const (
	RunsPath          = "/api/runs/"
	RunsStopAllPath   = "/api/runs/stop-all"
	RunWorkersPath    = "/api/runs/workers"
	RunHeartbeatPath  = "/api/runs/workers/heartbeat"
	RunPath           = "/api/runs/{run_id}"
	RunEventsPath     = "/api/runs/{run_id}/events"
	RunStreamPath     = "/api/runs/{run_id}/events/stream"
	RunControlPath    = "/api/runs/{run_id}/control"
	RunDispatchedPath = "/api/runs/{run_id}/worker-dispatched"
	RunFilePath       = "/api/runs/{run_id}/files/{artifact_id}"
)

// RunsKeyHeader names the header with the key that all run routes require.
const RunsKeyHeader = "X-Windie-Runs-Key"

// Statuses of a run. The last three are final. Runs with a final status, waiting runs and runs
// paused while they waited do not count towards a workspace's limit.
const (
	RunWaiting   = "waiting"         // the run waits, because its workspace has the maximum number of runs
	RunAwaiting  = "awaiting_worker" // the run waits for a worker
	RunQueued    = "queued"          // a worker has the run, but has not sent the query
	RunRunning   = "running"         // the worker has sent the query
	RunPaused    = "paused"
	RunCompleted = "completed"
	RunFailed    = "failed"
	RunStopped   = "stopped"
)

// Actions on a run.
const (
	RunPause          = "pause"
	RunResume         = "resume"
	RunStop           = "stop"
	RunSetControlMode = "set-control-mode"
)

// Control modes: the agent, a person or both may act on the machine of a run.
const (
	RunAgentOnly     = "agent_only"
	RunSharedControl = "shared_control" // the agent and a person may act
	RunHumanOverride = "human_override" // only a person may act; the worker calls no tools
)

// Types of the events that the gateway appends to a run's timeline. The events that workers relay
// have the types of /ws.
const (
	RunCreated  = "run-created"
	RunAdmitted = "run-admitted" // the waiting run became available to workers
	// a worker got the run; the event has the epoch of the worker's lease
	RunAssigned        = "run-worker-assigned"
	RunWorkerHeartbeat = "worker-heartbeat"    // the worker's status changed
	RunWorkerLost      = "run-worker-lost"     // the worker sent no heartbeat for too long, or restarted
	RunDispatched      = "run-dispatched"      // the worker has sent the query
	RunControl         = "run-control"         // somebody requested an action on the run
	RunControlApplied  = "run-control-applied" // the worker has applied the requested action
	RunEnded           = "run-ended"           // the run ended; the event has the run's status
)

// RunFile is an artifact that the worker of a run may download.
type RunFile struct {
	ArtifactID  string `json:"artifact_id" minLength:"1" maxLength:"200" doc:"Id of the artifact. If artifacts have owners, the user named in requested_by must own the artifact." example:"9f1c2b7e-0000-4000-8000-000000000000.pdf"`
	Filename    string `json:"filename,omitempty" maxLength:"255" doc:"File name for the worker." example:"resume.pdf"`
	ContentType string `json:"content_type,omitempty" maxLength:"127" doc:"Type of the file." example:"application/pdf"`
}

// RunRequest is the body of POST /api/runs/.
type RunRequest struct {
	WorkspaceID string          `json:"workspace_id" minLength:"1" maxLength:"128" doc:"The workspace whose workers may carry out the run." example:"workspace-demo"`
	AgentID     string          `json:"agent_id" minLength:"1" maxLength:"128" doc:"Agent for the run. The gateway passes it to workers." example:"agent-alpha"`
	Query       string          `json:"query" minLength:"1" maxLength:"65536" doc:"The task, in words." example:"apply this internship job for me"`
	RequestedBy string          `json:"requested_by,omitempty" maxLength:"128" doc:"The user who requests the run. If the user is deleted, the run is deleted too." example:"user_123"`
	Files       []RunFile       `json:"files,omitempty" maxItems:"20" doc:"Artifacts for the worker."`
	Metadata    json.RawMessage `json:"metadata,omitempty" doc:"Information for the worker: an object of at most 16 KiB."`
	Queue       bool            `json:"queue,omitempty" doc:"Whether to queue the run if the workspace already has the maximum number of runs. Otherwise, the run is rejected."`
}

// Run is the state of a run.
type Run struct {
	RunID           string          `json:"run_id"`
	WorkspaceID     string          `json:"workspace_id"`
	AgentID         string          `json:"agent_id"`
	Query           string          `json:"query"`
	RequestedBy     string          `json:"requested_by,omitempty"`
	Files           []RunFile       `json:"files"`
	Metadata        json.RawMessage `json:"metadata"`
	Status          string          `json:"status" enum:"waiting,awaiting_worker,queued,running,paused,completed,failed,stopped" doc:"Status of the run: waiting for a free slot in the workspace, waiting for a worker, queued at a worker, running, paused, completed, failed or stopped."`
	ControlMode     string          `json:"control_mode" enum:"agent_only,shared_control,human_override"`
	ConversationRef string          `json:"conversation_ref" doc:"The worker's conversation with the agent."`
	TurnRef         string          `json:"turn_ref,omitempty" doc:"The turn of the query. Absent until the worker has sent the query."`
	NeedsHuman      bool            `json:"needs_human" doc:"Whether a call waits for approval."`
	FailedCalls     int             `json:"failed_calls,omitempty" doc:"Number of failed tool calls. If a run has an answer, its status is completed, even if calls failed."`
	Error           string          `json:"error,omitempty" doc:"Reason for the failure."`

	WorkerID   string     `json:"worker_id,omitempty" doc:"The assigned worker."`
	VMID       string     `json:"vm_id,omitempty"`
	UserID     string     `json:"user_id,omitempty" doc:"User of the worker's agent."`
	SessionID  string     `json:"session_id,omitempty"`
	Attempt    int        `json:"attempt" doc:"Number of workers assigned so far."`
	LeaseEpoch int64      `json:"lease_epoch" doc:"Epoch of the lease. It increases with each new worker. Reports with an older epoch are rejected."`
	CreatedAt  time.Time  `json:"created_at"`
	UpdatedAt  time.Time  `json:"updated_at"`
	EndedAt    *time.Time `json:"ended_at,omitempty"`
}

// Over reports whether a run has ended.
func (r *Run) Over() bool {
	return r.Status == RunCompleted || r.Status == RunFailed || r.Status == RunStopped
}

// RunEvent is an entry of a run's timeline.
type RunEvent struct {
	Seq       int64           `json:"seq" minimum:"1" doc:"Number of the event in the run, from 1."`
	Timestamp time.Time       `json:"timestamp"`
	EventType string          `json:"event_type" doc:"Type of the event: run-created, run-admitted, run-worker-assigned, worker-heartbeat, run-worker-lost, run-dispatched, run-control, run-control-applied, run-ended, or the type of a /ws message that the worker relays."`
	Source    string          `json:"source" doc:"Sender of the event: control-plane, worker or worker-stream." example:"worker-stream"`
	Payload   json.RawMessage `json:"payload"`
}

// RunAnswer is a run with its first events.
type RunAnswer struct {
	Run    Run        `json:"run"`
	Events []RunEvent `json:"events"`
}

// RunState is the response that holds one run.
type RunState struct {
	Run Run `json:"run"`
}

// RunEvents is a page of a run's timeline.
type RunEvents struct {
	RunID        string     `json:"run_id"`
	Events       []RunEvent `json:"events"`
	NextAfterSeq int64      `json:"next_after_seq" doc:"Cursor to send as \"after_seq\" for the next page or for later events."`
}

// RunList is one page of runs, newest first.
type RunList struct {
	Runs []Run  `json:"runs"`
	Next string `json:"next,omitempty" doc:"Cursor to send as \"after\" for the next page. Absent on the last page."`
}

// RunLease identifies the lease of a worker: the run, and the epoch of the lease.
type RunLease struct {
	RunID      string `json:"run_id" minLength:"1" maxLength:"64"`
	LeaseEpoch int64  `json:"lease_epoch" minimum:"1"`
}

// RunHeartbeat is the body of POST /api/runs/workers/heartbeat. Its last two fields are extensions.
type RunHeartbeat struct {
	WorkspaceID string          `json:"workspace_id" minLength:"1" maxLength:"128" example:"workspace-demo"`
	WorkerID    string          `json:"worker_id" minLength:"1" maxLength:"128" doc:"Id of the worker. It stays the same after a restart." example:"worker-1"`
	VMID        string          `json:"vm_id,omitempty" maxLength:"128" example:"vm-1"`
	UserID      string          `json:"user_id,omitempty" maxLength:"128" doc:"User of the worker's agent." example:"vm-user-1"`
	SessionID   string          `json:"session_id" minLength:"1" maxLength:"128" doc:"Id of the worker's process. It changes with each start." example:"session-1"`
	Status      string          `json:"status" minLength:"1" maxLength:"64" doc:"Status of the worker, for example draining. The gateway assigns a run to a worker only if the worker is free and its status is ready or running." example:"ready"`
	Metadata    json.RawMessage `json:"metadata,omitempty" doc:"Information for people: an object of at most 16 KiB."`

	Runs         []RunLease `json:"runs,omitempty" maxItems:"20" doc:"The worker's current runs. In lost_run_ids, the response lists the runs that no longer belong to the worker."`
	Acknowledged []string   `json:"acknowledged_commands" required:"false" maxItems:"100" doc:"Ids of the commands that the worker has received. The gateway does not send them again. Without this list, all commands of the previous response count as received."`
}

// RunWorker is a worker's state at its last heartbeat.
type RunWorker struct {
	WorkerID        string          `json:"worker_id"`
	WorkspaceID     string          `json:"workspace_id"`
	VMID            string          `json:"vm_id"`
	UserID          string          `json:"user_id"`
	SessionID       string          `json:"session_id"`
	Status          string          `json:"status"`
	Metadata        json.RawMessage `json:"metadata"`
	LastHeartbeatAt time.Time       `json:"last_heartbeat_at"`
}

// RunWorkers lists workers.
type RunWorkers struct {
	Workers []RunWorker `json:"workers"`
}

// AssignedRun is a run that the gateway assigns to a worker.
type AssignedRun struct {
	RunID           string          `json:"run_id"`
	WorkspaceID     string          `json:"workspace_id"`
	AgentID         string          `json:"agent_id"`
	ConversationRef string          `json:"conversation_ref"`
	Query           string          `json:"query"`
	Files           []RunFile       `json:"files" doc:"Files of the run. Download each from /api/runs/{run_id}/files/{artifact_id}."`
	Metadata        json.RawMessage `json:"metadata"`
	ControlMode     string          `json:"control_mode"`
	LeaseEpoch      int64           `json:"lease_epoch"`
	Attempt         int             `json:"attempt" doc:"Number of the attempt, from 1. A new attempt begins when the worker of the run is lost."`
	TurnRef         string          `json:"turn_ref,omitempty" doc:"The turn that a previous worker started. That worker may already have run calls of the turn."`
}

// RunCommand is an action for a worker. The gateway repeats the command until the worker
// acknowledges it.
type RunCommand struct {
	CommandID   string    `json:"command_id"`
	RunID       string    `json:"run_id"`
	LeaseEpoch  int64     `json:"lease_epoch"`
	Action      string    `json:"action" enum:"pause,resume,stop,set-control-mode"`
	ControlMode string    `json:"control_mode,omitempty"`
	RequestedBy string    `json:"requested_by,omitempty"`
	IssuedAt    time.Time `json:"issued_at"`
}

// RunHeartbeatAnswer is the response to a heartbeat. Its last three fields are extensions.
type RunHeartbeatAnswer struct {
	Worker          RunWorker    `json:"worker"`
	AssignedRun     *AssignedRun `json:"assigned_run" doc:"The worker's new run. Each response repeats it until the worker reports that the run has started. Null if there is no new run."`
	ControlCommands []RunCommand `json:"control_commands"`

	Lost            []string `json:"lost_run_ids" doc:"Runs of the request that no longer belong to the worker. The worker must stop these runs at once."`
	NextHeartbeatMs int64    `json:"next_heartbeat_ms" doc:"Milliseconds until the next heartbeat."`
	LeaseMs         int64    `json:"lease_ms" doc:"Maximum milliseconds between two heartbeats. After that, the worker loses its runs."`
}

// RunControlRequest is the body of POST /api/runs/{run_id}/control.
type RunControlRequest struct {
	Action      string `json:"action" enum:"pause,resume,stop,set-control-mode"`
	ControlMode string `json:"control_mode,omitempty" enum:"agent_only,shared_control,human_override" doc:"The new control mode. Required for the action set-control-mode."`
	RequestedBy string `json:"requested_by,omitempty" maxLength:"128" example:"user_123"`
}

// RunControlled is the response to an action: the changed run, and the command to the worker.
type RunControlled struct {
	Run     Run         `json:"run"`
	Command *RunCommand `json:"command" doc:"The command to the worker; null if there is no worker or no change."`
}

// RunStopAll is the body of POST /api/runs/stop-all.
type RunStopAll struct {
	WorkspaceID string `json:"workspace_id,omitempty" maxLength:"128" doc:"Workspace whose runs are stopped (default all workspaces)." example:"workspace-demo"`
	RequestedBy string `json:"requested_by,omitempty" maxLength:"128" example:"operator"`
}

// RunsStopped lists the stopped runs.
type RunsStopped struct {
	WorkspaceID   string   `json:"workspace_id,omitempty"`
	StoppedRunIDs []string `json:"stopped_run_ids"`
	Count         int      `json:"count"`
}

// RunDispatch is the body of POST /api/runs/{run_id}/worker-dispatched.
type RunDispatch struct {
	WorkerID        string `json:"worker_id" minLength:"1" maxLength:"128"`
	UserID          string `json:"user_id,omitempty" maxLength:"128"`
	TurnRef         string `json:"turn_ref" minLength:"1" maxLength:"128"`
	ConversationRef string `json:"conversation_ref,omitempty" maxLength:"128"`
	LeaseEpoch      int64  `json:"lease_epoch,omitempty" minimum:"1" doc:"Epoch of the worker's lease. If it is absent, the gateway does not check the lease."`
}

// RunRelay is the body of POST /api/runs/{run_id}/events. Its last three fields are extensions.
type RunRelay struct {
	EventType string          `json:"event_type" minLength:"1" maxLength:"64" pattern:"^[a-z0-9._:-]+$" example:"tool-call"`
	Source    string          `json:"source,omitempty" maxLength:"64" example:"worker-stream"`
	Payload   json.RawMessage `json:"payload,omitempty"`

	WorkerID   string `json:"worker_id,omitempty" maxLength:"128" doc:"Worker that relays the event. If it is absent, the gateway does not check the worker."`
	LeaseEpoch int64  `json:"lease_epoch,omitempty" minimum:"1" doc:"Epoch of the worker's lease. If it is absent, the gateway does not check the lease."`
	WorkerSeq  int64  `json:"worker_seq,omitempty" minimum:"1" doc:"Number of the event under this lease. The gateway ignores an event if its number is not above the last number."`
}

// RunRelayed holds the position of a relayed event.
type RunRelayed struct {
	RunID     string `json:"run_id"`
	Seq       int64  `json:"seq" doc:"Number of the event in the timeline; 0 if it was a duplicate."`
	Status    string `json:"status" doc:"Status of the run."`
	Duplicate bool   `json:"duplicate"`
}
