package runs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/test/databasetest"
	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/journal/sqljournal"
	"github.com/windieos/windie/state/runs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open returns a control plane that ends with the test.
func open(t *testing.T, cfg database.Config, opts runs.Options) *runs.Plane {
	t.Helper()
	db := databasetest.Open(t, cfg)
	log, err := sqljournal.Open(db, sqljournal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	return runs.Open(db, log, opts)
}

func request(workspace string) *sdkapi.RunRequest {
	return &sdkapi.RunRequest{WorkspaceID: workspace, AgentID: "clerk", Query: "sort the letters", RequestedBy: "ada"}
}

func create(t *testing.T, p *runs.Plane, in *sdkapi.RunRequest) sdkapi.Run {
	t.Helper()
	run, events, err := p.Create(t.Context(), in)
	if err != nil || len(events) != 1 || events[0].Seq != 1 || events[0].EventType != sdkapi.RunCreated {
		t.Fatalf("%+v, %v", events, err)
	}
	return run
}

// worker is one that does what a test says.
type worker struct {
	*runs.Plane

	t    *testing.T
	beat sdkapi.RunHeartbeat
}

func newWorker(t *testing.T, p *runs.Plane, id, session string) *worker {
	return &worker{p, t, sdkapi.RunHeartbeat{WorkspaceID: "home", WorkerID: id, SessionID: session, UserID: "vm", Status: "ready"}}
}

func (w *worker) beats(acknowledged ...string) sdkapi.RunHeartbeatAnswer {
	w.t.Helper()
	w.beat.Acknowledged = append([]string{}, acknowledged...)
	return w.beatsAsIs()
}

// beatsAsIs is beats for a worker that knows the reference alone, where nothing is acknowledged in w.beat.
func (w *worker) beatsAsIs() sdkapi.RunHeartbeatAnswer {
	w.t.Helper()
	answer, err := w.Heartbeat(w.t.Context(), &w.beat)
	if err != nil {
		w.t.Fatal(err)
	}
	return answer
}

// takes has the worker take a run and dispatch it.
func (w *worker) takes() *sdkapi.AssignedRun {
	w.t.Helper()
	got := w.beats().AssignedRun
	if got == nil {
		w.t.Fatal("there is no run for the worker")
	}
	if _, err := w.Dispatched(w.t.Context(), got.RunID, &sdkapi.RunDispatch{WorkerID: w.beat.WorkerID, TurnRef: "turn-1", LeaseEpoch: got.LeaseEpoch}); err != nil {
		w.t.Fatal(err)
	}
	w.beat.Runs = []sdkapi.RunLease{{RunID: got.RunID, LeaseEpoch: got.LeaseEpoch}}
	return got
}

func (w *worker) relays(got *sdkapi.AssignedRun, seq int64, kind, payload string) (sdkapi.RunRelayed, error) {
	return w.Relay(w.t.Context(), got.RunID, &sdkapi.RunRelay{EventType: kind, Payload: json.RawMessage(payload), WorkerID: w.beat.WorkerID, LeaseEpoch: got.LeaseEpoch, WorkerSeq: seq})
}

func status(t *testing.T, p *runs.Plane, id string) string {
	t.Helper()
	run, err := p.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return run.Status
}

// kinds returns the types of a run's events.
func kinds(t *testing.T, p *runs.Plane, id string) string {
	t.Helper()
	events, err := p.Events(t.Context(), id, 0, runs.MaxPage)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for i, e := range events {
		if e.Seq != int64(i+1) {
			t.Errorf("event %d is number %d", i+1, e.Seq)
		}
		all = append(all, e.EventType)
	}
	return strings.Join(all, " ")
}

// A run goes from its request to its end, and its timeline says how.
func TestLife(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		p := open(t, cfg, runs.Options{})
		run := create(t, p, request("home"))
		if run.Status != sdkapi.RunAwaiting || run.ConversationRef != "run-"+run.RunID || string(run.Metadata) != "{}" {
			t.Errorf("%+v", run)
		}
		w := newWorker(t, p, "w", "s")
		if got := w.beats(); got.AssignedRun == nil || got.AssignedRun.Query != run.Query || got.AssignedRun.LeaseEpoch != 1 || got.LeaseMs != 30_000 {
			t.Fatalf("%+v", got)
		}
		if again := w.beats(); again.AssignedRun == nil || again.AssignedRun.LeaseEpoch != 1 { // the answer may have been lost
			t.Fatalf("%+v", again)
		}
		got := w.takes()
		w.beat.Status = "running"
		if answer := w.beats(); answer.AssignedRun != nil || len(answer.Lost) > 0 || status(t, p, run.RunID) != sdkapi.RunRunning {
			t.Errorf("%+v", answer)
		}
		for seq, kind := range []string{sdkapi.WSToolCall, sdkapi.WSToolOutput, sdkapi.WSToolOutput} {
			if done, err := w.relays(got, min(int64(seq+1), 2), kind, `{"payload":{"success":false}}`); err != nil || done.Duplicate != (seq == 2) {
				t.Errorf("%s: %+v, %v", kind, done, err)
			}
		}
		if done, err := w.relays(got, 3, sdkapi.WSStreamingComplete, `{"payload":{"text":"sorted"}}`); err != nil || done.Status != sdkapi.RunCompleted {
			t.Errorf("%+v, %v", done, err)
		}
		if got, err := p.Get(t.Context(), run.RunID); err != nil || got.FailedCalls != 1 { // the second was the first again
			t.Errorf("%d calls failed, %v; expected 1", got.FailedCalls, err)
		}
		const want = "run-created run-worker-assigned run-dispatched worker-heartbeat tool-call tool-output streaming-complete run-ended"
		if all := kinds(t, p, run.RunID); all != want {
			t.Errorf("%s", all)
		}
		var heard []string
		for e, err := range p.Follow(t.Context(), run.RunID, 5) {
			if err != nil {
				t.Fatal(err)
			}
			heard = append(heard, e.EventType)
		}
		if strings.Join(heard, " ") != "tool-output streaming-complete run-ended" {
			t.Errorf("heard %v", heard)
		}
		if answer := w.beats(); !slices.Equal(answer.Lost, []string{run.RunID}) {
			t.Errorf("a worker is told of a run that has ended: %+v", answer)
		}
	})
}

// Ends of a run, by what a worker relays.
func TestOutcome(t *testing.T) {
	t.Parallel()
	p := open(t, databasetest.InFile(t), runs.Options{MaxActive: 100})
	for name, tt := range map[string]struct{ kind, payload, status, why string }{
		"complete":          {sdkapi.WSStreamingComplete, `{}`, sdkapi.RunCompleted, ""},
		"failed":            {sdkapi.WSError, `{"payload":{"message":"the model is away","reason":"failed"}}`, sdkapi.RunFailed, "the model is away"},
		"without a reason":  {sdkapi.WSError, `"what"`, sdkapi.RunFailed, "the agent could not continue"},
		"canceled":          {sdkapi.WSError, `{"payload":{"reason":"canceled"}}`, sdkapi.RunStopped, ""},
		"message refused":   {sdkapi.WSError, `{"payload":{"in_reply_to":"1"}}`, sdkapi.RunRunning, ""},
		"a call":            {sdkapi.WSToolCall, `{}`, sdkapi.RunRunning, ""},
		"an approval is no": {sdkapi.WSApprovalRequest, `{}`, sdkapi.RunRunning, ""},
	} {
		t.Run(name, func(t *testing.T) {
			create(t, p, request("home"))
			w := newWorker(t, p, name, "s")
			got := w.takes()
			if _, err := w.relays(got, 1, tt.kind, tt.payload); err != nil {
				t.Fatal(err)
			}
			run, err := p.Get(t.Context(), got.RunID)
			if err != nil || run.Status != tt.status || run.Error != tt.why || run.NeedsHuman != (tt.kind == sdkapi.WSApprovalRequest) {
				t.Errorf("%+v, %v", run, err)
			}
		})
	}
}

// The workers of a run, one of which dies: the other gets it, and nothing that the first one says counts any longer.
func TestWorkerIsLost(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		p := open(t, cfg, runs.Options{Lease: 600 * time.Millisecond})
		defer background.Start(t.Context(), p.Run)()
		run := create(t, p, request("home"))
		first, second := newWorker(t, p, "first", "s"), newWorker(t, p, "second", "s")
		old := first.takes()
		if second.beats().AssignedRun != nil {
			t.Fatal("two workers have the run")
		}
		got := testkit.Eventually(t, "the run at the second worker", func() (*sdkapi.AssignedRun, bool) {
			got := second.beats().AssignedRun
			return got, got != nil
		})
		if got.RunID != run.RunID || got.LeaseEpoch != 2 || got.Attempt != 2 || got.TurnRef != "turn-1" {
			t.Errorf("%+v", got)
		}
		if _, err := first.relays(old, 9, sdkapi.WSStreamingComplete, `{}`); fault.CodeOf(err) != sdkapi.LeaseLost {
			t.Errorf("the first worker relays: %v", err)
		}
		if _, err := p.Dispatched(t.Context(), run.RunID, &sdkapi.RunDispatch{WorkerID: "first", TurnRef: "turn-1"}); fault.CodeOf(err) != sdkapi.LeaseLost {
			t.Errorf("the first worker dispatches: %v", err)
		}
		if lost := first.beats().Lost; !slices.Equal(lost, []string{run.RunID}) {
			t.Errorf("the first worker is told that %v are lost", lost)
		}
	})
}

// A worker that is started again is another one: its run begins anew, at most three times, and the session before is over.
func TestWorkerBeginsAnew(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		p := open(t, cfg, runs.Options{})
		run := create(t, p, request("home"))
		newWorker(t, p, "w", "1").takes()
		for _, session := range []int64{2, 3} {
			if got := newWorker(t, p, "w", fmt.Sprint(session)).takes(); got.LeaseEpoch != session || got.Attempt != int(session) {
				t.Errorf("session %d: %+v", session, got)
			}
		}
		if _, err := newWorker(t, p, "w", "1").Heartbeat(t.Context(), &sdkapi.RunHeartbeat{WorkspaceID: "home", WorkerID: "w", SessionID: "1", Status: "ready"}); fault.CodeOf(err) != sdkapi.LeaseLost {
			t.Errorf("the first session: %v", err)
		}
		if got := newWorker(t, p, "w", "4").beats(); got.AssignedRun != nil || status(t, p, run.RunID) != sdkapi.RunFailed {
			t.Errorf("after three: %+v", got)
		}
	})
}

// A command holds at once, is repeated until it is acknowledged, and changes nothing when it is asked for again.
func TestControl(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		p := open(t, cfg, runs.Options{})
		run := create(t, p, request("home"))
		control := func(action, mode string) *sdkapi.RunCommand {
			t.Helper()
			_, command, err := p.Control(t.Context(), run.RunID, &sdkapi.RunControlRequest{Action: action, ControlMode: mode, RequestedBy: "ada"})
			if err != nil {
				t.Fatal(err)
			}
			return command
		}
		if c := control(sdkapi.RunPause, ""); c != nil || newWorker(t, p, "w", "s").beats().AssignedRun != nil {
			t.Errorf("a paused run is given to a worker: %+v", c)
		}
		control(sdkapi.RunResume, "")
		w := newWorker(t, p, "w", "s")
		w.takes()
		first, again := control(sdkapi.RunPause, ""), control(sdkapi.RunPause, "")
		mode := control(sdkapi.RunSetControlMode, sdkapi.RunHumanOverride)
		if first == nil || again != nil || mode == nil || status(t, p, run.RunID) != sdkapi.RunPaused {
			t.Fatalf("%+v %+v %+v", first, again, mode)
		}
		for range 2 { // an answer may be lost
			if got := w.beats().ControlCommands; len(got) != 2 || got[0] != *first || got[1] != *mode {
				t.Errorf("%+v", got)
			}
		}
		if got := w.beats(first.CommandID).ControlCommands; len(got) != 1 || got[0] != *mode {
			t.Errorf("after one is acknowledged: %+v", got)
		}
		stop := control(sdkapi.RunStop, "")
		if got := w.beats().ControlCommands; len(got) != 1 || got[0] != *stop { // it beats what came before
			t.Errorf("%+v", got)
		}
		if got := w.beats(stop.CommandID); len(got.ControlCommands) != 0 || !slices.Equal(got.Lost, []string{run.RunID}) {
			t.Errorf("%+v", got)
		}
		if c := control(sdkapi.RunStop, ""); c != nil {
			t.Errorf("stopped twice: %+v", c)
		}
		_, _, err := p.Control(t.Context(), run.RunID, &sdkapi.RunControlRequest{Action: sdkapi.RunResume})
		if fault.CodeOf(err) != sdkapi.RunIsOver {
			t.Errorf("resumed after its end: %v", err)
		}
		const want = "run-created run-control run-control run-worker-assigned run-dispatched run-control run-control run-control-applied run-control run-ended run-control-applied"
		if all := kinds(t, p, run.RunID); all != want {
			t.Errorf("%s", all)
		}
	})
}

// A worker that knows the reference alone acknowledges nothing, and yet gets each command once, and another run when it is
// ready.
func TestWorkerWithoutAcknowledgement(t *testing.T) {
	t.Parallel()
	p := open(t, databasetest.InFile(t), runs.Options{})
	first := create(t, p, request("home"))
	w := newWorker(t, p, "w", "s")
	w.takes()
	w.beat.Acknowledged, w.beat.Runs, w.beat.Status = nil, nil, "busy"
	w.beatsAsIs()
	control := func(action string) {
		t.Helper()
		if _, _, err := p.Control(t.Context(), first.RunID, &sdkapi.RunControlRequest{Action: action}); err != nil {
			t.Fatal(err)
		}
	}
	gets := func(want ...string) {
		t.Helper()
		var got []string
		for _, c := range w.beatsAsIs().ControlCommands {
			got = append(got, c.Action)
		}
		if !slices.Equal(got, want) {
			t.Errorf("it gets %v, not %v", got, want)
		}
	}
	control(sdkapi.RunPause)
	gets(sdkapi.RunPause)
	control(sdkapi.RunResume)
	control(sdkapi.RunPause)
	gets(sdkapi.RunResume, sdkapi.RunPause)
	gets()
	control(sdkapi.RunStop)
	second := create(t, p, request("home"))
	gets(sdkapi.RunStop)
	gets()
	w.beat.Status = "ready"
	if got := w.beatsAsIs(); len(got.ControlCommands) != 0 || got.AssignedRun == nil || got.AssignedRun.RunID != second.RunID {
		t.Errorf("when it is ready: %+v", got)
	}
}

// What a lost worker reports of its turn in the form of the reference, which names no lease, does not end the run that
// another has taken over.
func TestEventsOfAnotherTurn(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		p := open(t, cfg, runs.Options{})
		run := create(t, p, request("home"))
		dispatch := func(worker, turn string) {
			t.Helper()
			if _, err := p.Dispatched(t.Context(), run.RunID, &sdkapi.RunDispatch{WorkerID: worker, TurnRef: turn}); err != nil {
				t.Fatal(err)
			}
		}
		relay := func(kind, turn string) sdkapi.Code {
			t.Helper()
			payload := fmt.Sprintf(`{"payload":{"message":"lost"},"conversation_ref":"c","turn_ref":%q}`, turn)
			_, err := p.Relay(t.Context(), run.RunID, &sdkapi.RunRelay{EventType: kind, Payload: json.RawMessage(payload)})
			return fault.CodeOf(err)
		}
		newWorker(t, p, "a", "1").takes()
		dispatch("a", "tA")
		newWorker(t, p, "a", "2").beats() // started again: the run is another's
		for _, kind := range []string{sdkapi.WSStreamingComplete, sdkapi.WSError, sdkapi.WSToolCall} {
			if code := relay(kind, "tA"); code != sdkapi.LeaseLost {
				t.Errorf("%s of the turn before, while the run is queued: %q", kind, code)
			}
		}
		dispatch("a", "tB")
		for _, kind := range []string{sdkapi.WSStreamingComplete, sdkapi.WSError} {
			if code := relay(kind, "tA"); code != sdkapi.LeaseLost {
				t.Errorf("%s of the turn before: %q", kind, code)
			}
		}
		if got := status(t, p, run.RunID); got != sdkapi.RunRunning {
			t.Errorf("the run is %s", got)
		}
		if code := relay(sdkapi.WSStreamingComplete, "tB"); code != "" || status(t, p, run.RunID) != sdkapi.RunCompleted {
			t.Errorf("the end of its own turn: %q, the run is %s", code, status(t, p, run.RunID))
		}
	})
}

// A workspace has as many active runs as may be; the others are refused, or wait until one has ended.
func TestCap(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		p := open(t, cfg, runs.Options{MaxActive: 2})
		var ids []string
		for range 2 {
			ids = append(ids, create(t, p, request("home")).RunID)
		}
		create(t, p, request("elsewhere"))
		if _, _, err := p.Create(t.Context(), request("home")); fault.CodeOf(err) != sdkapi.RunLimit {
			t.Errorf("a third run: %v", err)
		}
		later := request("home")
		later.Queue = true
		for range 2 {
			run := create(t, p, later)
			if ids = append(ids, run.RunID); run.Status != sdkapi.RunWaiting {
				t.Errorf("%+v", run)
			}
		}
		if _, _, err := p.Control(t.Context(), ids[0], &sdkapi.RunControlRequest{Action: sdkapi.RunStop}); err != nil {
			t.Fatal(err)
		}
		if a, b := status(t, p, ids[2]), status(t, p, ids[3]); a != sdkapi.RunAwaiting || b != sdkapi.RunWaiting {
			t.Errorf("of those that wait the first is %s, and the second %s", a, b)
		}
		stopped, err := p.StopAll(t.Context(), "home", "ada")
		slices.Sort(stopped)
		want := slices.Sorted(slices.Values(ids[1:]))
		if err != nil || !slices.Equal(stopped, want) {
			t.Errorf("stopped %v of %v: %v", stopped, want, err)
		}
		page, err := p.List(t.Context(), runs.Query{WorkspaceID: "home", Status: sdkapi.RunStopped, Limit: 3})
		if err != nil || len(page.Runs) != 3 || page.Next == "" {
			t.Fatalf("%+v, %v", page, err)
		}
		if page, err = p.List(t.Context(), runs.Query{WorkspaceID: "home", After: page.Next}); err != nil || len(page.Runs) != 1 || page.Next != "" || page.Runs[0].RunID != ids[0] {
			t.Errorf("%+v, %v", page, err)
		}
		last, err := p.Get(t.Context(), ids[3])
		if err != nil {
			t.Fatal(err)
		}
		if page, err = p.List(t.Context(), runs.Query{Since: last.CreatedAt}); err != nil || len(page.Runs) == 0 || page.Runs[len(page.Runs)-1].CreatedAt.Before(last.CreatedAt) {
			t.Errorf("since the last run: %+v, %v", page, err)
		}
		if page, err = p.List(t.Context(), runs.Query{Since: last.CreatedAt.Add(time.Microsecond)}); err != nil || len(page.Runs) != 0 {
			t.Errorf("since the last run was created: %+v, %v", page, err)
		}
	})
}

// A run that is paused while it waits has not begun: it keeps none from being let in, neither one behind it nor a new one, and
// waits again once it is resumed.
func TestPauseWhileWaiting(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		p := open(t, cfg, runs.Options{MaxActive: 1})
		control := func(id, action string) {
			t.Helper()
			if _, _, err := p.Control(t.Context(), id, &sdkapi.RunControlRequest{Action: action}); err != nil {
				t.Fatal(err)
			}
		}
		first, later := create(t, p, request("home")), request("home")
		later.Queue = true
		paused, behind := create(t, p, later), create(t, p, later)
		control(paused.RunID, sdkapi.RunPause)
		control(first.RunID, sdkapi.RunStop)
		if got := status(t, p, behind.RunID); got != sdkapi.RunAwaiting {
			t.Errorf("behind one that is paused it is %s", got)
		}
		control(behind.RunID, sdkapi.RunStop)
		if fresh := create(t, p, request("home")); fresh.Status != sdkapi.RunAwaiting {
			t.Errorf("a new one is %s", fresh.Status)
		}
		control(paused.RunID, sdkapi.RunResume)
		if got := status(t, p, paused.RunID); got != sdkapi.RunWaiting {
			t.Errorf("the paused one is %s", got)
		}
	})
}

// The runs of a user go with the user, and old ones by their age.
func TestErase(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		p := open(t, cfg, runs.Options{MaxActive: 9})
		mine, other := create(t, p, request("home")), request("home")
		other.RequestedBy = "bob"
		theirs := create(t, p, other)
		w := newWorker(t, p, "w", "s")
		w.takes()
		if n, err := p.EraseUser(t.Context(), "ada"); n != 1 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		if _, err := p.Events(t.Context(), mine.RunID, 0, 1); fault.CodeOf(err) != sdkapi.RunNotFound {
			t.Errorf("%v", err)
		}
		if lost := w.beats().Lost; !slices.Equal(lost, []string{mine.RunID}) {
			t.Errorf("the worker is told that %v are lost", lost)
		}
		if _, err := p.StopAll(t.Context(), "", ""); err != nil {
			t.Fatal(err)
		}
		for _, dry := range []bool{true, false} {
			if n, err := p.Prune(t.Context(), time.Now().Add(time.Minute), dry); n != 1 || err != nil {
				t.Errorf("%d, %v", n, err)
			}
			if _, err := p.Get(t.Context(), theirs.RunID); (err == nil) != dry {
				t.Errorf("dry %t: %v", dry, err)
			}
		}
	})
}

// Many workers and those who control, at once: each run is one worker's, and no more are active than may be.
func TestCrowd(t *testing.T) {
	databasetest.OnBoth(t, func(t *testing.T, cfg database.Config) {
		planes := []*runs.Plane{open(t, cfg, runs.Options{MaxActive: 4})}
		if cfg.URL != "" {
			planes = append(planes, open(t, cfg, runs.Options{MaxActive: 4}))
		}
		const total, workers = 30, 6
		later := request("home")
		later.Queue = true
		for i := range total {
			create(t, planes[i%len(planes)], later)
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		ended := make(chan string, total)
		for i := range workers {
			defer background.Start(ctx, func(ctx context.Context) {
				work(ctx, t, newWorker(t, planes[i%len(planes)], fmt.Sprint("w", i), "s"), ended)
			})()
		}
		seen := map[string]bool{}
		for range total {
			select {
			case id := <-ended:
				if seen[id] {
					t.Errorf("%s ended twice", id)
				}
				seen[id] = true
			case <-ctx.Done():
				t.Fatalf("only %d runs have ended", len(seen))
			}
		}
		stop()
	})
}

// work carries out runs until ctx ends.
func work(ctx context.Context, t *testing.T, w *worker, ended chan<- string) {
	for ctx.Err() == nil {
		answer, err := w.Heartbeat(ctx, &w.beat)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			t.Error(err)
			return
		}
		got := answer.AssignedRun
		if got == nil {
			_ = background.Sleep(ctx, 10*time.Millisecond)
			continue
		}
		if active, err := w.List(ctx, runs.Query{WorkspaceID: "home", Status: sdkapi.RunRunning, Limit: 100}); err == nil && len(active.Runs) > 4 {
			t.Errorf("%d runs are active", len(active.Runs))
		}
		_, err = w.Dispatched(ctx, got.RunID, &sdkapi.RunDispatch{WorkerID: w.beat.WorkerID, TurnRef: "t", LeaseEpoch: got.LeaseEpoch})
		if err == nil {
			_, err = w.relays(got, 1, sdkapi.WSStreamingComplete, `{}`)
		}
		if err != nil && ctx.Err() == nil {
			t.Error(err)
			return
		}
		ended <- got.RunID
	}
}
