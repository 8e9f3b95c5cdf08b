// Package worker carries out runs on the machine that it runs on: it sends heartbeats to a gateway, takes the run
// that it is given, talks to the agent over /ws as a client that brings tools, and relays what happens.
//
//	w, err := worker.New(worker.Options{URL: "http://127.0.0.1:8765", RunsKey: key, Workspace: "home", Tools: registry.View()})
//	err = w.Run(ctx)
//
// Before it calls a tool, the call is in the run's timeline. So a worker that takes a run over from one that was lost
// knows which calls may have been made, and makes none of them again: the agent hears that their outcome is unknown.
// A worker whose heartbeats are not answered begins no call after HoldTime, and ends those under way when its lease is
// over. A gateway that is started again finds it where it was.
package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"
)

// HoldTime is how long after the last answered heartbeat a worker begins calls.
const HoldTime = 20 * time.Second

// Times of heartbeats.
const (
	beatTime  = 10 * time.Second       // that one may take
	beatEvery = 5 * time.Second        // unless the gateway says otherwise
	beatAgain = time.Second            // after one that failed
	holdEvery = 250 * time.Millisecond // between two looks at the lease
	drainTime = 10 * time.Second       // that a worker which ends waits for the end of its run
)

// restTime is how long a worker leaves a run alone that has ended here, and that the gateway gives it again under the same
// lease: the report of its end did not get there.
const restTime = 10 * time.Second

// Options say what a worker is. URL, RunsKey and Tools are required.
type Options struct {
	URL       string // of the gateway, as http://127.0.0.1:8765
	RunsKey   string
	Token     string // of an install, which a hosted gateway asks for; may be empty
	User      string // as whom it talks to the agent; default "worker"
	Workspace string // default "default"
	ID        string // of the worker, the same after it is started again; default: the machine's name
	VM        string // of the machine; default: as ID

	Unattended bool // risky tools are called without a person being asked

	Tools agent.View   // that the agent may call
	Desk  *Desk        // which of them are those of the desktop reference; nil: no tools
	Log   *slog.Logger // default: discard

	// Keep keeps a file of a run, by its path in the working folder, which is the run's own. A run that begins anew brings its files
	// again: one that is there, Keep leaves as it is, as the agent may have changed it. Default: a run with files fails.
	Keep func(name string, content io.Reader) error
}

// Worker carries out runs, one at a time. New makes one; Run runs it once.
type Worker struct {
	opts    Options
	client  *sdk.Client // for runs
	own     *sdk.Client // for the user's artifacts
	session string

	mu      sync.Mutex
	job     *job            // nil without a run
	last    sdkapi.RunLease // the run before
	ended   time.Time       // when it ended
	unheard bool            // the gateway refuses to hear that it has
	acks    []string        // commands to acknowledge
	known   []string        // commands that it has got
	heard   time.Time
	lease   time.Duration
	stopped bool // it takes no more runs
	poke    chan struct{}
}

// New returns a worker. It connects to nothing yet.
func New(opts Options) (*Worker, error) {
	client, err := sdk.New(opts.URL, sdk.WithRunsKey(opts.RunsKey), sdk.WithRetries(0))
	if err != nil {
		return nil, err
	}
	opts.User = cmp.Or(opts.User, "worker")
	own, err := opts.artifacts()
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	opts.Workspace = cmp.Or(opts.Workspace, "default")
	opts.ID = cmp.Or(opts.ID, host)
	opts.VM = cmp.Or(opts.VM, opts.ID)
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Keep == nil {
		opts.Keep = func(string, io.Reader) error { return errors.New("this worker takes no files") }
	}
	return &Worker{opts: opts, client: client, own: own, session: uuid.NewString(), lease: 30 * time.Second, poke: make(chan struct{}, 1)}, nil
}

// artifacts returns a client for the artifacts of the user.
func (o *Options) artifacts() (*sdk.Client, error) {
	if o.Token != "" {
		return sdk.New(o.URL, sdk.WithToken(o.Token))
	}
	return sdk.New(o.URL, sdk.WithUser(o.User))
}

// Run works until ctx ends, or until another process takes the worker's place or the gateway refuses its heartbeats in a way that another try
// does not mend, which it returns with what to do. When ctx ends, it takes no more runs, gives up the one that it has, which the agent hears,
// and returns nil.
func (w *Worker) Run(ctx context.Context) error {
	beating, stop := context.WithCancel(context.WithoutCancel(ctx)) // also while it drains: a worker that says nothing is lost
	defer stop()
	refused := make(chan error, 1)
	defer background.Start(beating, func(ctx context.Context) { w.beat(ctx, refused) })()
	defer background.Start(beating, func(ctx context.Context) {
		background.Every(ctx, holdEvery, func(context.Context) { w.hold() }) // a heartbeat may take longer than the lease
	})()
	select {
	case err := <-refused:
		w.end(err)
		return err
	case <-ctx.Done():
	}
	w.mu.Lock()
	w.stopped = true
	job := w.job
	w.mu.Unlock()
	if job != nil {
		job.stop()
		select {
		case <-job.done:
		case <-time.After(drainTime):
		}
	}
	w.end(context.Canceled)
	return nil
}

// Why a worker ends that nobody has told to.
var (
	errReplaced = errors.New("another process is this worker now; give each its own --id")
	errKey      = errors.New("the gateway has another key of runs; set WINDIE_RUNS_API_KEY to the gateway's")
)

// end ends the run at hand, and waits for that.
func (w *Worker) end(why error) {
	w.mu.Lock()
	w.stopped = true
	job := w.job
	w.mu.Unlock()
	if job != nil {
		job.cancel(why)
		<-job.done
	}
}

// beat sends heartbeats until ctx ends, or the gateway refuses the worker for good.
func (w *Worker) beat(ctx context.Context, ended chan<- error) {
	for ctx.Err() == nil {
		pause, err := w.once(ctx)
		var refusal *sdkapi.Error
		switch {
		case errors.As(err, &refusal) && refusal.Code == sdkapi.LeaseLost:
			ended <- errReplaced
			return
		case errors.As(err, &refusal) && refusal.Code == sdkapi.KeyRequired:
			ended <- errKey
			return
		case lasting(err):
			ended <- refused("the worker's heartbeats", err)
			return
		case err != nil && ctx.Err() == nil:
			w.opts.Log.Warn("the gateway does not answer the worker", slog.Any("err", err))
			pause = beatAgain
		}
		w.hold()
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-w.poke:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// once sends one heartbeat, does what its answer asks for, and returns when the next one is due.
func (w *Worker) once(ctx context.Context) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, beatTime)
	defer cancel()
	w.mu.Lock()
	in := sdkapi.RunHeartbeat{
		WorkspaceID: w.opts.Workspace, WorkerID: w.opts.ID, VMID: w.opts.VM, UserID: w.opts.User, SessionID: w.session,
		Status: "ready", Acknowledged: append([]string{}, w.acks...), // not nil, which says that it knows no acknowledgements
		Metadata: json.RawMessage(`{"operating_system":"` + runtime.GOOS + `"}`),
	}
	if w.job != nil {
		in.Status, in.Runs = "running", []sdkapi.RunLease{{RunID: w.job.RunID, LeaseEpoch: w.job.LeaseEpoch}}
	}
	if w.stopped {
		in.Status = "draining"
	}
	w.mu.Unlock()
	sent := time.Now()
	answer, err := w.client.Runs.Heartbeat(ctx, in)
	if err != nil {
		return 0, err
	}
	w.take(ctx, in.Acknowledged, answer, sent)
	return cmp.Or(time.Duration(answer.NextHeartbeatMs)*time.Millisecond, beatEvery), nil
}

// take does what the answer to a heartbeat asks for.
func (w *Worker) take(ctx context.Context, acknowledged []string, answer *sdkapi.RunHeartbeatAnswer, sent time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.heard, w.lease = sent, time.Duration(answer.LeaseMs)*time.Millisecond
	w.acks = slices.DeleteFunc(w.acks, func(id string) bool { return slices.Contains(acknowledged, id) })
	if w.job != nil && slices.Contains(answer.Lost, w.job.RunID) {
		w.job.cancel(errLost)
	}
	for _, c := range answer.ControlCommands {
		if !slices.Contains(w.known, c.CommandID) {
			w.known = append(w.known[max(0, len(w.known)-1000):], c.CommandID)
			w.obey(c)
		}
		if !slices.Contains(w.acks, c.CommandID) {
			w.acks = append(w.acks, c.CommandID)
			w.beatSoon()
		}
	}
	if got := answer.AssignedRun; got != nil && w.job == nil && !w.stopped && !w.rests(got, time.Now()) {
		w.job = newJob(context.WithoutCancel(ctx), w, got)
		go w.work(w.job)
		w.beatSoon()
	}
}

// rests reports whether a run has ended here a moment ago, or has, and the gateway refuses to hear of it: it would end in the
// same way again. The caller holds mu.
func (w *Worker) rests(run *sdkapi.AssignedRun, now time.Time) bool {
	return w.last == sdkapi.RunLease{RunID: run.RunID, LeaseEpoch: run.LeaseEpoch} && (w.unheard || now.Sub(w.ended) < restTime)
}

func (w *Worker) beatSoon() {
	select {
	case w.poke <- struct{}{}:
	default:
	}
}

// obey carries out a command, if it is about the run at hand.
func (w *Worker) obey(c sdkapi.RunCommand) {
	w.opts.Log.Info("command", slog.String("run", c.RunID), slog.String("action", c.Action), slog.String("control_mode", c.ControlMode))
	if w.job == nil || w.job.RunID != c.RunID || w.job.LeaseEpoch != c.LeaseEpoch {
		return
	}
	switch c.Action {
	case sdkapi.RunStop:
		w.job.stop()
	case sdkapi.RunPause:
		w.job.gate.set(func(g *gate) { g.paused = true })
	case sdkapi.RunResume:
		w.job.gate.set(func(g *gate) { g.paused = false })
	case sdkapi.RunSetControlMode:
		w.job.gate.set(func(g *gate) { g.mode = c.ControlMode })
	}
}

// hold has the run at hand begin no calls while it is not known whether the run is still the worker's, and ends those
// under way once it may be another's.
func (w *Worker) hold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.job == nil {
		return
	}
	silent := max(time.Since(w.heard), time.Since(w.heard.Round(0))) // by the wall clock too: the monotonic one stands still while a machine sleeps
	w.job.gate.set(func(g *gate) { g.silent = silent > min(HoldTime, w.lease*2/3) })
	if silent > w.lease {
		w.job.calls.endAll()
	}
}

// work carries out a run.
func (w *Worker) work(j *job) {
	log := w.opts.Log.With(slog.String("run", j.RunID), slog.Int64("epoch", j.LeaseEpoch))
	log.Info("takes a run", slog.Int("attempt", j.Attempt))
	err := j.run()
	switch {
	case j.unheard:
		log.Error("a run ended early, and the gateway refuses to hear of it: stop the run, or start this worker again to try once more", slog.Any("err", err))
	case err != nil:
		log.Warn("a run ended early", slog.Any("err", err))
	default:
		log.Info("has done a run")
	}
	w.mu.Lock()
	w.unheard = j.unheard
	w.job, w.last, w.ended = nil, sdkapi.RunLease{RunID: j.RunID, LeaseEpoch: j.LeaseEpoch}, time.Now()
	w.mu.Unlock()
	close(j.done)
	w.beatSoon()
}
