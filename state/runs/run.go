package runs

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/journal"
)

// record is a stored run: its public part, and the state of its commands. Its methods implement the
// rules for changes of a run, without a database. Each method returns the events of its change,
// none if nothing changes.
type record struct {
	sdkapi.Run

	PausedFrom string              `json:"paused_from,omitempty"` // status to which a resume returns
	Commands   []sdkapi.RunCommand `json:"commands,omitempty"`    // not acknowledged by the worker
	// Number of commands that were in a response to the worker.
	Given int `json:"given,omitempty"`
	// Number of the last event relayed under this lease.
	WorkerSeq  int64  `json:"worker_seq,omitempty"`
	WorkerSays string `json:"worker_says,omitempty"` // status in the worker's last heartbeat
	Events     int64  `json:"events"`                // number of events in the timeline
}

// Limits of a run.
const (
	maxAttempts = 3   // lost workers after which the run fails
	maxCommands = 100 // unacknowledged commands
)

// held reports whether a worker has the run, or must still acknowledge its end.
func (r *record) held() bool {
	return r.WorkerID != "" && (!r.Over() || len(r.Commands) > 0)
}

// entry is the data of an event in a run's stream.
type entry struct {
	Source  string          `json:"source"`
	Payload json.RawMessage `json:"payload"`
}

// Sources of events.
const (
	byPlane  = "control-plane"
	byWorker = "worker"
	byStream = "worker-stream"
)

// active reports whether the run counts towards its workspace's limit: it is admitted and has not
// ended.
func (r *record) active() bool {
	return !r.Over() && r.Status != sdkapi.RunWaiting && r.PausedFrom != sdkapi.RunWaiting
}

// event returns an event for a run's stream. The journal sets its number and time.
func event(kind, source string, payload any) journal.Event {
	raw, err := json.Marshal(payload)
	if err != nil {
		raw = json.RawMessage("null") // the payloads used here always marshal
	}
	data, _ := json.Marshal(entry{source, raw})
	return journal.Event{Kind: kind, Data: data}
}

// touch sets the time of the run's last change.
func (r *record) touch(now time.Time) { r.UpdatedAt = now }

// admit makes a waiting run available to workers.
func (r *record) admit(now time.Time) []journal.Event {
	if r.Status != sdkapi.RunWaiting {
		return nil
	}
	r.touch(now)
	r.Status = sdkapi.RunAwaiting
	return []journal.Event{event(sdkapi.RunAdmitted, byPlane, struct{}{})}
}

// assign gives the run to a worker.
func (r *record) assign(w *sdkapi.RunWorker, now time.Time) []journal.Event {
	r.touch(now)
	r.Status = sdkapi.RunQueued
	r.WorkerID, r.VMID, r.UserID, r.SessionID = w.WorkerID, w.VMID, w.UserID, w.SessionID
	r.Attempt++
	r.LeaseEpoch++
	r.WorkerSeq, r.WorkerSays = 0, w.Status
	return []journal.Event{event(sdkapi.RunAssigned, byPlane, map[string]any{
		"worker_id": w.WorkerID, "vm_id": w.VMID, "user_id": w.UserID, "session_id": w.SessionID, "lease_epoch": r.LeaseEpoch, "attempt": r.Attempt,
	})}
}

// lose takes the run from its worker, which sent no heartbeat in time or was restarted. After
// maxAttempts workers the run fails.
func (r *record) lose(why string, now time.Time) []journal.Event {
	r.touch(now)
	events := []journal.Event{event(sdkapi.RunWorkerLost, byPlane, map[string]any{
		"worker_id": r.WorkerID, "session_id": r.SessionID, "lease_epoch": r.LeaseEpoch, "reason": why,
	})}
	r.WorkerID, r.VMID, r.UserID, r.SessionID, r.Commands, r.Given, r.NeedsHuman = "", "", "", "", nil, 0, false
	switch {
	case r.Over():
		return events
	case r.Attempt >= maxAttempts:
		return append(events, r.end(sdkapi.RunFailed, "the run lost the maximum number of workers", now)...)
	case r.Status == sdkapi.RunPaused:
		r.PausedFrom = sdkapi.RunAwaiting
	default:
		r.Status = sdkapi.RunAwaiting
	}
	return events
}

// end ends the run with a status. The parameter why is the error message, or empty if there is no
// error.
func (r *record) end(status, why string, now time.Time) []journal.Event {
	r.touch(now)
	r.Status, r.Error, r.EndedAt, r.NeedsHuman, r.PausedFrom = status, why, &now, false, ""
	payload := map[string]any{"status": status}
	if why != "" {
		payload["error"] = why
	}
	return []journal.Event{event(sdkapi.RunEnded, byPlane, payload)}
}

// dispatched records that the worker has sent the query.
func (r *record) dispatched(d *sdkapi.RunDispatch, now time.Time) ([]journal.Event, error) {
	if err := r.checkWorker(d.WorkerID, d.LeaseEpoch); err != nil {
		return nil, err
	}
	if d.ConversationRef != "" && d.ConversationRef != r.ConversationRef {
		return nil, fault.New(op, sdkapi.ValidationError, "the run belongs to a conversation other than conversation_ref").
			At("body.conversation_ref", "expected %s, or no conversation_ref", r.ConversationRef)
	}
	switch {
	case r.Over():
		return nil, over(r)
	case r.TurnRef == d.TurnRef && (r.Status == sdkapi.RunRunning || r.PausedFrom == sdkapi.RunRunning):
		return nil, nil
	}
	r.touch(now)
	r.TurnRef, r.UserID = d.TurnRef, cmp.Or(d.UserID, r.UserID)
	if r.Status == sdkapi.RunPaused {
		r.PausedFrom = sdkapi.RunRunning
	} else {
		r.Status = sdkapi.RunRunning
	}
	return []journal.Event{event(sdkapi.RunDispatched, byWorker, map[string]any{
		"worker_id": r.WorkerID, "user_id": r.UserID, "turn_ref": r.TurnRef, "conversation_ref": r.ConversationRef,
	})}, nil
}

// checkWorker refuses a report of a worker that does not have the run's lease. An empty worker and
// a zero epoch are not checked.
func (r *record) checkWorker(worker string, epoch int64) error {
	if worker != "" && worker != r.WorkerID || epoch != 0 && epoch != r.LeaseEpoch {
		return fault.New(op, sdkapi.LeaseLost, "the worker does not hold the lease of the run; stop all work on it")
	}
	return nil
}

// over returns the error RUN_ENDED, with the status of the run.
func over(r *record) error {
	return fault.New(op, sdkapi.RunIsOver, "the run has already ended with the status %s", r.Status)
}

// control carries out an action. It returns the command for the worker, or nil if the run has no
// worker or nothing changes.
func (r *record) control(c *sdkapi.RunControlRequest, now time.Time) (*sdkapi.RunCommand, []journal.Event, error) {
	change, err := r.act(c)
	if err != nil || change == nil {
		return nil, nil, err
	}
	told := r.WorkerID != ""
	if told && len(r.Commands) >= maxCommands && c.Action != sdkapi.RunStop {
		return nil, nil, fault.New(op, sdkapi.Overloaded, "the worker has not acknowledged %d commands; stop the run, or try again later", len(r.Commands))
	}
	r.touch(now)
	command := sdkapi.RunCommand{
		CommandID: uuid.NewString(), RunID: r.RunID, LeaseEpoch: r.LeaseEpoch,
		Action: c.Action, ControlMode: c.ControlMode, RequestedBy: c.RequestedBy, IssuedAt: now,
	}
	events := []journal.Event{event(sdkapi.RunControl, byPlane, command)}
	if c.Action == sdkapi.RunStop {
		r.Commands, r.Given = nil, 0 // after a stop, earlier commands are pointless
	}
	if told {
		r.Commands = append(r.Commands, command)
	}
	events = append(events, change(now)...)
	if !told {
		return nil, events, nil
	}
	return &command, events, nil
}

// act returns the change of an action, nil if nothing changes.
func (r *record) act(c *sdkapi.RunControlRequest) (func(now time.Time) []journal.Event, error) {
	none := func(time.Time) []journal.Event { return nil }
	switch {
	case c.Action == sdkapi.RunStop && r.Status == sdkapi.RunStopped:
		return nil, nil
	case r.Over():
		return nil, over(r)
	case c.Action == sdkapi.RunStop:
		return func(now time.Time) []journal.Event { return r.end(sdkapi.RunStopped, "", now) }, nil
	case c.Action == sdkapi.RunPause && r.Status != sdkapi.RunPaused:
		r.Status, r.PausedFrom = sdkapi.RunPaused, r.Status
		return none, nil
	case c.Action == sdkapi.RunResume && r.Status == sdkapi.RunPaused:
		r.Status, r.PausedFrom = r.PausedFrom, ""
		return none, nil
	case c.Action == sdkapi.RunSetControlMode && c.ControlMode == "":
		return nil, fault.New(op, sdkapi.ValidationError, "set-control-mode needs a control_mode").
			At("body.control_mode", "expected %s, %s or %s", sdkapi.RunAgentOnly, sdkapi.RunSharedControl, sdkapi.RunHumanOverride)
	case c.Action == sdkapi.RunSetControlMode && r.ControlMode != c.ControlMode:
		r.ControlMode = c.ControlMode
		return none, nil
	}
	return nil, nil
}

// acknowledge removes the commands with these ids, which the worker has received.
func (r *record) acknowledge(ids []string, now time.Time) []journal.Event {
	var events []journal.Event
	r.Commands = slices.DeleteFunc(r.Commands, func(c sdkapi.RunCommand) bool {
		if !slices.Contains(ids, c.CommandID) {
			return false
		}
		events = append(events, event(sdkapi.RunControlApplied, byWorker, map[string]any{"command_id": c.CommandID, "action": c.Action, "worker_id": r.WorkerID}))
		return true
	})
	if len(events) > 0 {
		r.touch(now)
	}
	return events
}

// sent records that a response to the worker contains all commands. A worker that never
// acknowledges has received the previous response when it sends its next heartbeat, so those
// commands count as acknowledged.
func (r *record) sent(b *sdkapi.RunHeartbeat, now time.Time) (events []journal.Event) {
	if b.Acknowledged == nil {
		var got []string
		for _, c := range r.Commands[:min(r.Given, len(r.Commands))] {
			got = append(got, c.CommandID)
		}
		events = r.acknowledge(got, now)
	}
	r.Given = len(r.Commands)
	return events
}

// unsent reports whether a heartbeat changes the set of commands to send.
func (r *record) unsent(b *sdkapi.RunHeartbeat) bool {
	return r.Given != len(r.Commands) || b.Acknowledged == nil && len(r.Commands) > 0
}

// heard records the status in a worker's heartbeat.
func (r *record) heard(status string) []journal.Event {
	if r.Over() || r.WorkerSays == status {
		return nil
	}
	r.WorkerSays = status
	return []journal.Event{event(sdkapi.RunWorkerHeartbeat, byWorker, map[string]any{"worker_id": r.WorkerID, "status": status})}
}

// ours are the event types that only the gateway may write.
var ours = []string{
	sdkapi.RunCreated, sdkapi.RunAdmitted, sdkapi.RunAssigned, sdkapi.RunWorkerLost, sdkapi.RunDispatched, sdkapi.RunControl, sdkapi.RunEnded, journal.Resync,
}

// relay adds an event from the worker. duplicate reports whether the run has that event already.
func (r *record) relay(e *sdkapi.RunRelay, now time.Time) (events []journal.Event, duplicate bool, err error) {
	err = r.checkWorker(e.WorkerID, e.LeaseEpoch)
	if err == nil && e.LeaseEpoch == 0 {
		err = r.checkTurn(e)
	}
	if err != nil {
		return nil, false, err
	}
	if slices.Contains(ours, e.EventType) {
		return nil, false, fault.New(op, sdkapi.ValidationError, "only the gateway writes events of the type %s", e.EventType).
			At("body.event_type", "expected a type of message that a worker relays")
	}
	if e.WorkerSeq != 0 && e.WorkerSeq <= r.WorkerSeq {
		return nil, true, nil
	}
	if r.Events >= MaxEvents {
		return nil, false, fault.New(op, sdkapi.RunLimit, "the run's timeline has the maximum of %d events; stop the run", r.Events)
	}
	r.touch(now)
	r.WorkerSeq = cmp.Or(e.WorkerSeq, r.WorkerSeq)
	payload := e.Payload
	if len(payload) == 0 {
		payload = json.RawMessage("{}")
	}
	events = []journal.Event{event(e.EventType, cmp.Or(e.Source, byStream), payload)}
	if e.EventType == sdkapi.RunControlApplied {
		var p struct {
			ID string `json:"command_id"`
		}
		_ = json.Unmarshal(payload, &p) // without an id it acknowledges nothing
		r.Commands = slices.DeleteFunc(r.Commands, func(c sdkapi.RunCommand) bool { return c.CommandID == p.ID })
	}
	if isFailedCall(e) {
		r.FailedCalls++
	}
	if r.Over() {
		return events, false, nil
	}
	if status, why := outcome(e); status != "" {
		return append(events, r.end(status, why, now)...), false, nil
	}
	r.NeedsHuman = e.EventType == sdkapi.WSApprovalRequest || r.NeedsHuman && e.EventType == sdkapi.RunControlApplied
	return events, false, nil
}

// checkTurn refuses an event of another turn than the run's current one. A worker that never names
// a lease could otherwise report events of a lost run, which would end the run of the next worker.
func (r *record) checkTurn(e *sdkapi.RunRelay) error {
	var p struct {
		TurnRef string `json:"turn_ref"`
	}
	_ = json.Unmarshal(e.Payload, &p) // without a turn_ref, the event is the worker's own
	dispatched := r.Status != sdkapi.RunQueued && r.Status != sdkapi.RunAwaiting && (r.Status != sdkapi.RunPaused || r.PausedFrom == sdkapi.RunRunning)
	if p.TurnRef != "" && (p.TurnRef != r.TurnRef || !dispatched) {
		return fault.New(op, sdkapi.LeaseLost, "the turn %.*q of the event is not the current turn of the run; stop all work on that turn", maxShownTurn, p.TurnRef)
	}
	return nil
}

// maxShownTurn is the maximum length of a turn's name in an error, in bytes.
const maxShownTurn = 100

// isFailedCall reports whether an event is the result of a failed call.
func isFailedCall(e *sdkapi.RunRelay) bool {
	var p struct {
		Payload struct {
			Success *bool `json:"success"`
		} `json:"payload"`
	}
	return e.EventType == sdkapi.WSToolOutput && json.Unmarshal(e.Payload, &p) == nil && p.Payload.Success != nil && !*p.Payload.Success
}

// outcome returns the status with which a conversation's event ends its run, and the error. The
// status is empty if the run continues.
func outcome(e *sdkapi.RunRelay) (status, why string) {
	switch e.EventType {
	case sdkapi.WSStreamingComplete:
		return sdkapi.RunCompleted, ""
	case sdkapi.WSError:
		var p struct {
			Payload struct {
				Message   string `json:"message"`
				Reason    string `json:"reason"`
				InReplyTo string `json:"in_reply_to"`
			} `json:"payload"`
		}
		_ = json.Unmarshal(e.Payload, &p) // the event may lack these fields
		switch {
		// A message was refused; the turn continues, or the worker reports more.
		case p.Payload.InReplyTo != "":
			return "", ""
		case p.Payload.Reason == "canceled":
			return sdkapi.RunStopped, ""
		}
		return sdkapi.RunFailed, cmp.Or(p.Payload.Message, "the agent could not continue")
	}
	return "", ""
}
