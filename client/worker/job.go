package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/sdkapi"
)

var (
	errLost  = errors.New("the run now belongs to another worker")
	errStuck = errors.New("the agent did not stop the run in time")
)

// Times of a run.
const (
	stopTime   = 10 * time.Second // for the agent to end a stopped turn
	againFirst = 100 * time.Millisecond
	againLast  = 5 * time.Second
)

// maxRelay is the largest message that is relayed whole, in bytes.
const maxRelay = 900 << 10

// job is the worker's current run.
type job struct {
	*sdkapi.AssignedRun

	worker *Worker
	ctx    context.Context
	cancel context.CancelCauseFunc
	done   chan struct{}
	gate   *gate
	calls  *calls

	place      place // position in the conversation
	relayed    int64 // number of events relayed under this lease
	dispatched bool
	unheard    bool // the gateway refuses the report that the run has failed

	mu       sync.Mutex
	socket   *socket // nil while there is no connection
	stopping bool
}

// place is the position in a conversation: all messages before seq, and count messages of seq, have
// arrived.
type place struct {
	seq   int64
	count int
	piece bool // the last message was a piece of text, the only one with its seq
}

// pass records a message.
func (p *place) pass(seq int64, kind string) {
	if seq != p.seq {
		*p = place{seq: seq}
	}
	p.count++
	p.piece = kind == sdkapi.WSStreamingResponse || kind == sdkapi.WSThought
}

// after returns the seq to resume after. Further messages with the last seq may be missing.
func (p *place) after() int64 {
	if p.piece {
		return p.seq
	}
	return p.seq - 1
}

// resumeOf returns the message that requests the events of a conversation since a place.
func resumeOf(conversation string, since place) message {
	return message{uuid.NewString(), sdkapi.WSResume, sdkapi.WSResumePayload{ConversationRef: conversation, Seq: since.after()}}
}

// newJob returns a job that has not begun. Its context does not end before ctx, or before cancel is called.
func newJob(ctx context.Context, w *Worker, run *sdkapi.AssignedRun) *job {
	j := &job{AssignedRun: run, worker: w, done: make(chan struct{}), gate: newGate(run.ControlMode)}
	j.ctx, j.cancel = context.WithCancelCause(ctx)
	j.calls = newCalls(&w.opts, w.own, j.gate, j.send)
	return j
}

// run carries out the run until its turn ends. If it cannot continue and still owns the run, it
// reports a failure: otherwise the gateway would assign the same run again.
func (j *job) run() error {
	defer j.calls.all.Wait()
	defer j.calls.endAll()
	defer j.cancel(context.Canceled)
	err := j.carryOut()
	if err != nil && j.ctx.Err() == nil {
		untold := j.fail("the worker cannot start the run: " + err.Error())
		j.unheard = lasting(untold)
		err = errors.Join(err, untold)
	}
	return err
}

// carryOut talks to the agent, reconnecting after breaks, until the turn ends.
func (j *job) carryOut() error {
	if err := j.recall(); err != nil {
		return err
	}
	if err := j.fetch(); err != nil {
		return j.fail("cannot store the files of the run: " + err.Error())
	}
	for pause := againFirst; ; pause = min(2*pause, againLast) {
		before := j.place
		ended, err := j.converse()
		if j.ctx.Err() != nil {
			return context.Cause(j.ctx)
		}
		if ended || lasting(err) {
			return err
		}
		if j.place != before {
			pause = againFirst
		}
		if j.isStopping() && j.place == (place{}) {
			return nil // nothing has begun
		}
		j.worker.opts.Log.Info("the connection to the agent was interrupted", slog.String("run", j.RunID), slog.Any("err", err))
		if background.Sleep(j.ctx, pause) != nil {
			return context.Cause(j.ctx)
		}
	}
}

// fail reports that the run cannot be carried out.
func (j *job) fail(why string) error {
	payload, err := json.Marshal(map[string]string{"message": why})
	if err != nil {
		return err
	}
	return j.relay(sdkapi.WSMessage{Type: sdkapi.WSError, Payload: payload})
}

// recall reads from the timeline how far earlier workers came, and which calls they may have made.
func (j *job) recall() error {
	if j.TurnRef == "" {
		return nil
	}
	for after := int64(0); ; {
		var page *sdkapi.RunEvents
		err := j.insist("the run's timeline", func() (err error) {
			page, err = j.worker.client.Runs.Events(j.ctx, j.RunID, after, 1000)
			return err
		})
		if err != nil {
			return err
		}
		if len(page.Events) == 0 {
			break
		}
		for _, e := range page.Events {
			j.remember(e)
		}
		after = page.NextAfterSeq
	}
	j.dispatched = true
	return nil
}

// relayedPayload is the part of a message that the worker relays.
type relayedPayload struct {
	Payload         json.RawMessage `json:"payload"`
	ConversationRef string          `json:"conversation_ref,omitempty"`
	TurnRef         string          `json:"turn_ref,omitempty"`
	Seq             int64           `json:"seq,omitempty"`
}

// remember restores the state from one event that an earlier worker relayed.
func (j *job) remember(e sdkapi.RunEvent) {
	var p relayedPayload
	if json.Unmarshal(e.Payload, &p) != nil || p.Seq == 0 {
		return
	}
	j.place.pass(p.Seq, e.EventType)
	j.calls.heard(sdkapi.WSMessage{Type: e.EventType, Payload: p.Payload})
	if r, ok := requestOf(e.EventType, p.Payload); ok {
		j.calls.done(r, r.lost())
	}
}

// fetch downloads the files of the run.
func (j *job) fetch() error {
	for i, f := range j.Files {
		var kept error
		err := j.insist("a file of the run", func() error {
			content, err := j.worker.client.Runs.File(j.ctx, j.RunID, f.ArtifactID)
			if err != nil {
				return err
			}
			defer content.Close()
			body := &download{from: content}
			kept = j.worker.opts.Keep(j.fileName(i), body)
			return body.err
		})
		if err = errors.Join(err, kept); err != nil {
			return err
		}
	}
	return nil
}

// download records the error of reading a body.
type download struct {
	from io.Reader
	err  error
}

// Read implements io.Reader.
func (d *download) Read(p []byte) (n int, err error) {
	if n, err = d.from.Read(p); !errors.Is(err, io.EOF) {
		d.err = err
	}
	return n, err
}

// fileName returns the name of the run's i-th file in the working folder. The file is in a folder
// of the run, so that it replaces no other file.
func (j *job) fileName(i int) string {
	name := baseName(j.Files[i].Filename, j.Files[i].ArtifactID)
	for _, before := range j.Files[:i] {
		if baseName(before.Filename, before.ArtifactID) == name {
			name = fmt.Sprintf("%d/%s", i+1, name)
			break
		}
	}
	return path.Join("runs", baseName(j.RunID, "run"), name)
}

// baseName returns the last part of a path, or other if there is none.
func baseName(file, other string) string {
	name := path.Base(path.Clean("/" + strings.ReplaceAll(file, `\`, "/")))
	if name == "/" || name == "." {
		return other
	}
	return name
}

// question returns the message to the agent.
func (j *job) question() string {
	if len(j.Files) == 0 {
		return j.Query
	}
	names := make([]string, len(j.Files))
	for i := range j.Files {
		names[i] = j.fileName(i)
	}
	return j.Query + "\n\nFiles in the working folder: " + strings.Join(names, ", ")
}

// stop ends the run's turn.
func (j *job) stop() {
	j.mu.Lock()
	j.stopping = true
	j.mu.Unlock()
	j.calls.endAll()
	j.send(cancelOf(j.ConversationRef))
	time.AfterFunc(stopTime, func() { j.cancel(errStuck) })
}

// isStopping reports whether stop was called.
func (j *job) isStopping() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.stopping
}

// send sends a message if there is a connection. Otherwise the next connection sends it.
func (j *job) send(m message) {
	j.mu.Lock()
	socket := j.socket
	j.mu.Unlock()
	if socket == nil {
		return
	}
	if err := socket.send(m); err != nil {
		socket.close() // the reader notices
	}
}

// insist repeats a request to the control plane until it gets a response. It fails if the gateway
// refuses the request and a retry cannot help. The error then names the request by the text what. If
// the worker no longer owns the run, insist ends the run.
func (j *job) insist(what string, do func() error) error {
	for pause := againFirst; ; pause = min(2*pause, againLast) {
		err := do()
		refusal, _ := errors.AsType[*sdkapi.Error](err)
		switch {
		case err == nil:
			return nil
		case j.ctx.Err() != nil:
			return context.Cause(j.ctx)
		case refusal != nil && (refusal.Code == sdkapi.LeaseLost || refusal.Code == sdkapi.RunNotFound):
			j.cancel(errLost)
			return errLost
		case lasting(err):
			return refused(what, err)
		}
		if background.Sleep(j.ctx, pause) != nil {
			return context.Cause(j.ctx)
		}
	}
}

// relay appends a message to the run's timeline.
func (j *job) relay(m sdkapi.WSMessage) error {
	if len(m.Payload) > maxRelay {
		m.Payload = fmt.Appendf(nil, `{"truncated":true,"bytes":%d}`, len(m.Payload))
	}
	payload, err := json.Marshal(relayedPayload{m.Payload, m.ConversationRef, m.TurnRef, m.Seq})
	if err != nil {
		return err
	}
	j.relayed++
	return j.insist("to note "+m.Type, func() error {
		_, err := j.worker.client.Runs.Relay(j.ctx, j.RunID, sdkapi.RunRelay{
			EventType: m.Type, Source: "worker-stream", Payload: payload, WorkerID: j.worker.opts.ID, LeaseEpoch: j.LeaseEpoch, WorkerSeq: j.relayed,
		})
		return err
	})
}
