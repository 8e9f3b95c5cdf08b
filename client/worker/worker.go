// Package worker carries out runs on its machine. It sends heartbeats to a gateway, takes the
// assigned run, talks to the agent over /ws as a client with tools, and relays the events.
//
//	w, err := worker.New(worker.Options{URL: "http://127.0.0.1:8765", RunsKey: key, Workspace: "home", Tools: registry.View()})
//	err = w.Run(ctx)
//
// Before it runs a tool, the worker writes the call to the run's timeline. A worker that takes over
// a run from a lost worker therefore knows which calls may have run. It repeats no such call, and
// reports their outcome to the agent as unknown. If heartbeats get no response for HoldTime, the
// worker starts no more calls. When its lease is over, it ends running calls. A restarted gateway
// continues with the same worker and run.
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

// HoldTime is the time after a successful heartbeat during which a worker may start new calls. If the
// lease of the run is short, the worker uses a shorter time.
const HoldTime = 20 * time.Second

// Times of heartbeats.
const (
	beatTime  = 10 * time.Second       // limit of one heartbeat
	beatEvery = 5 * time.Second        // interval, unless the gateway sets another
	beatAgain = time.Second            // pause after a failed one
	holdEvery = 250 * time.Millisecond // interval of checking the lease
	drainTime = 10 * time.Second       // wait for the end of the run when the worker ends
)

// restTime is how long a worker ignores a run that has ended here but that the gateway assigns
// again under the same lease: the report of its end did not arrive.
const restTime = 10 * time.Second

// Options configure a worker. URL, RunsKey and Tools are required.
type Options struct {
	URL     string // URL of the gateway, for example http://127.0.0.1:8765
	RunsKey string
	Token   string // token of an install, for a hosted gateway; may be empty
	User    string // id of the user for whom the agent works; default "worker"
	// Workspace is the id of the workspace whose runs the worker executes. Default "default".
	Workspace string
	ID        string // id of the worker, which stays the same after a restart; default: the machine's name
	VM        string // id of this machine; default: ID

	Unattended bool // call risky tools without asking a person

	Tools agent.View // tools that the agent may call
	// Desk says which of Tools are tools of the desktop reference. If it is nil, there are no such
	// tools.
	Desk *Desk
	// Log gets the log messages. If it is nil, they are discarded.
	Log *slog.Logger

	// Keep stores a file of a run under a path in the working folder. The path is in a folder of this
	// run. A run that restarts sends its files again. Keep must then leave an existing file
	// unchanged, because the agent may have changed it. If Keep is nil, a run with files fails.
	Keep func(name string, content io.Reader) error
}

// Worker executes agent runs from a gateway, one at a time. Call Run once.
type Worker struct {
	opts    Options
	client  *sdk.Client // client for runs
	own     *sdk.Client // client for the user's artifacts
	session string

	mu      sync.Mutex
	job     *job            // nil without a run
	last    sdkapi.RunLease // the previous run
	ended   time.Time       // when it ended
	unheard bool            // the gateway refuses the report of its end
	acks    []string        // ids of commands to acknowledge
	known   []string        // ids of commands received
	heard   time.Time
	lease   time.Duration
	stopped bool // accept no more runs
	poke    chan struct{}
}

// New returns a worker without connecting.
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
		opts.Keep = func(string, io.Reader) error { return errors.New("this worker does not accept files") }
	}
	return &Worker{opts: opts, client: client, own: own, session: uuid.NewString(), lease: 30 * time.Second, poke: make(chan struct{}, 1)}, nil
}

// artifacts returns a client for the user's artifacts.
func (o *Options) artifacts() (*sdk.Client, error) {
	if o.Token != "" {
		return sdk.New(o.URL, sdk.WithToken(o.Token))
	}
	return sdk.New(o.URL, sdk.WithUser(o.User))
}

// Run executes runs until ctx ends. Then it abandons the current run, reports this to the agent,
// and returns nil. If another process replaces the worker, or if the gateway refuses its heartbeats
// permanently, Run returns an error that says what to do.
func (w *Worker) Run(ctx context.Context) error {
	// heartbeats continue during the drain: a silent worker counts as lost
	beating, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	refused := make(chan error, 1)
	defer background.Start(beating, func(ctx context.Context) { w.beat(ctx, refused) })()
	defer background.Start(beating, func(ctx context.Context) {
		// in a goroutine of its own, because a heartbeat may take longer than the lease
		background.Every(ctx, holdEvery, func(context.Context) { w.hold() })
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

// Reasons for which a worker ends by itself.
var (
	errReplaced = errors.New("another process uses this worker's id; give each worker its own --id")
	errKey      = errors.New("the gateway rejects the API key for runs; set WINDIE_RUNS_API_KEY to the gateway's value")
)

// end ends the current run, and waits for that.
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
			w.opts.Log.Warn("the gateway does not respond to the worker's heartbeat; retrying", slog.Any("err", err))
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

// once sends one heartbeat, acts on the response, and returns the time until the next one.
func (w *Worker) once(ctx context.Context) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, beatTime)
	defer cancel()
	w.mu.Lock()
	in := sdkapi.RunHeartbeat{
		WorkspaceID: w.opts.Workspace, WorkerID: w.opts.ID, VMID: w.opts.VM, UserID: w.opts.User, SessionID: w.session,
		// not nil: nil would mean that the worker does not support acknowledgements
		Status: "ready", Acknowledged: append([]string{}, w.acks...),
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

// take acts on the response to a heartbeat.
func (w *Worker) take(ctx context.Context, acknowledged []string, answer *sdkapi.RunHeartbeatAnswer, sent time.Time) {
	if stopped := w.heed(ctx, acknowledged, answer, sent); stopped != nil {
		stopped.stop() // it writes to a socket, which hold must not wait for
	}
}

// heed does what take does under the lock, and returns the run to stop, nil if there is none.
func (w *Worker) heed(ctx context.Context, acknowledged []string, answer *sdkapi.RunHeartbeatAnswer, sent time.Time) (stopped *job) {
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
			if w.obey(c) {
				stopped = w.job
			}
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
	return stopped
}

// rests reports whether to ignore an assigned run, because the run would only end the same way again:
// it ended here less than restTime ago, or the gateway refuses the report of its end. The caller holds
// mu.
func (w *Worker) rests(run *sdkapi.AssignedRun, now time.Time) bool {
	return w.last == sdkapi.RunLease{RunID: run.RunID, LeaseEpoch: run.LeaseEpoch} && (w.unheard || now.Sub(w.ended) < restTime)
}

// beatSoon makes the next heartbeat follow at once. It never blocks.
func (w *Worker) beatSoon() {
	select {
	case w.poke <- struct{}{}:
	default:
	}
}

// obey applies a command, if it is for the current run. It reports whether to stop the run, which is left to the caller.
// The caller holds mu.
func (w *Worker) obey(c sdkapi.RunCommand) (stop bool) {
	w.opts.Log.Info("command", slog.String("run", c.RunID), slog.String("action", c.Action), slog.String("control_mode", c.ControlMode))
	if w.job == nil || w.job.RunID != c.RunID || w.job.LeaseEpoch != c.LeaseEpoch {
		return false
	}
	switch c.Action {
	case sdkapi.RunStop:
		return true
	case sdkapi.RunPause:
		w.job.gate.set(func(g *gate) { g.paused = true })
	case sdkapi.RunResume:
		w.job.gate.set(func(g *gate) { g.paused = false })
	case sdkapi.RunSetControlMode:
		w.job.gate.set(func(g *gate) { g.mode = c.ControlMode })
	}
	return false
}

// hold stops the current run from starting calls while it is unknown whether the worker still owns
// the run. It ends running calls once another worker may own it.
func (w *Worker) hold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.job == nil {
		return
	}
	// the wall clock counts too, because the monotonic clock stops while a machine sleeps
	silent := max(time.Since(w.heard), time.Since(w.heard.Round(0)))
	w.job.gate.set(func(g *gate) { g.silent = silent > min(HoldTime, w.lease*2/3) })
	if silent > w.lease {
		w.job.calls.endAll()
	}
}

// work carries out a run.
func (w *Worker) work(j *job) {
	log := w.opts.Log.With(slog.String("run", j.RunID), slog.Int64("epoch", j.LeaseEpoch))
	log.Info("run started", slog.Int("attempt", j.Attempt))
	err := j.run()
	switch {
	case j.unheard:
		log.Error("run ended early, and the gateway rejects the report: stop the run, or restart this worker to try again", slog.Any("err", err))
	case err != nil:
		log.Warn("run ended early", slog.Any("err", err))
	default:
		log.Info("run finished")
	}
	w.mu.Lock()
	w.unheard = j.unheard
	w.job, w.last, w.ended = nil, sdkapi.RunLease{RunID: j.RunID, LeaseEpoch: j.LeaseEpoch}, time.Now()
	w.mu.Unlock()
	close(j.done)
	w.beatSoon()
}
