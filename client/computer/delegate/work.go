package delegate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/windieos/windie/agent"
)

// program is an agent's running program. One goroutine calls its methods, except stop.
type program interface {
	// begin starts a new session. Late messages of the earlier one are dropped.
	begin(ctx context.Context) error

	// say sends text in the session, and returns how the turn ended. The turn's events go to t
	// until t is closed. When ctx ends, it stops the turn and returns ctx's error, joined with
	// errDeaf if the program did not stop.
	say(ctx context.Context, t *turn, text string) (how string, err error)

	// stop ends the program and all processes that it started, and returns when they have ended. It
	// may be called twice.
	stop()
}

// Errors of a program.
var (
	errDeaf  = errors.New("the agent does not stop when asked")
	errStuck = errors.New("the agent got stuck")
)

// work is a running task.
type work struct {
	opts  Options
	agent Agent
	task  string
	call  agent.Call

	report func(line string) // shows a line to the viewers of the call

	program program
	before  map[string]state // the files before the task
	turns   []*turn

	mu    sync.Mutex
	steps []string
	quiet bool // deny all steps without asking the user
	out   outcome
}

// do performs the task.
func (w *work) do(ctx context.Context) (outcome, error) {
	w.out = outcome{Agent: w.agent.Name, Ended: done}
	w.before = snapshot(w.opts.Dir)
	defer w.end()
	if err := w.start(ctx); err != nil {
		return w.out, w.failure(ctx, err)
	}
	err := w.talk(ctx)
	w.end() // processes that it left change no files any more
	w.out.Changed = changes(w.before, snapshot(w.opts.Dir))
	w.mu.Lock()
	w.out.Steps = w.steps
	w.mu.Unlock()
	if w.out.Answer == "" && ctx.Err() == nil && err != nil {
		return w.out, w.failure(ctx, err)
	}
	if err != nil {
		w.out.Ended = err.Error()
	}
	return w.out, nil
}

// failure returns the error of a task without a result, for the model.
func (w *work) failure(ctx context.Context, err error) error {
	var said agent.Failure
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &said):
		return err
	}
	return agent.Failf("the agent %s failed: %v", w.agent.Name, err)
}

// talk sends the task, and further messages until there is an answer.
func (w *work) talk(ctx context.Context) error {
	next := w.task
	for asked := 0; ; {
		t, how, err := w.turn(ctx, next, w.opts.Times.Quiet)
		if ctx.Err() != nil {
			w.answered(t)
			return ctx.Err()
		}
		if err != nil {
			if w.out.Replays == MaxReplays {
				w.answered(t)
				return fmt.Errorf("%w, even after %d restarts", err, MaxReplays)
			}
			w.out.Replays++
			if err := w.renew(ctx, err); err != nil {
				return err
			}
			next = condensed(w.task, w.turns, changes(w.before, snapshot(w.opts.Dir)))
			continue
		}
		w.answered(t)
		switch all, _ := t.answer(); {
		case all == "" && len(changes(w.before, snapshot(w.opts.Dir))) > 0:
			return w.summarize(ctx)
		case t.incomplete(how) && asked < MaxGoOn:
			asked, next = asked+1, goOn
			continue
		case how == refused:
			return errors.New("the agent refused the task")
		case t.incomplete(how):
			return fmt.Errorf("the agent stopped before the task was done, although it was asked %d times to continue", asked)
		}
		return w.check(ctx)
	}
}

// answered takes a turn's text as the answer, if it has some.
func (w *work) answered(t *turn) {
	if all, last := t.answer(); last != "" {
		w.out.Answer = last
	} else if all != "" {
		w.out.Answer = all
	}
}

// check waits for the files that the answer names, and asks the agent once for the missing ones.
func (w *work) check(ctx context.Context) error {
	gone := missing(ctx, w.opts.Dir, claimed(w.opts.Dir, w.out.Answer), w.opts.Times.Files)
	if len(gone) == 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	t, _, err := w.turn(ctx, fmt.Sprintf(notThere, strings.Join(gone, "\n")), w.opts.Times.Quiet)
	if err == nil {
		w.answered(t)
		gone = append(gone, claimed(w.opts.Dir, w.out.Answer)...)
	}
	w.out.Missing = unique(missing(ctx, w.opts.Dir, gone, w.opts.Times.Files))
	return ctx.Err() // if it still does not write them, Missing lists them
}

// unique returns list without duplicates, in the same order.
func unique(list []string) (out []string) {
	seen := map[string]bool{}
	for _, one := range list {
		if !seen[one] {
			out = append(out, one)
		}
		seen[one] = true
	}
	return out
}

// summarize asks the agent for a summary of its work. All steps are denied meanwhile.
func (w *work) summarize(ctx context.Context) error {
	w.setQuiet(true)
	defer w.setQuiet(false)
	short, cancel := context.WithTimeout(ctx, w.opts.Times.Summary)
	defer cancel()
	changed := changes(w.before, snapshot(w.opts.Dir))
	t, _, err := w.turn(short, fmt.Sprintf(summarize, strings.Join(changed, "\n")), w.opts.Times.Summary)
	w.answered(t)
	if w.out.Answer == "" && ctx.Err() == nil {
		w.out.Answer = "The agent gave no report. Changed files: " + strings.Join(changed, ", ")
		err = nil
	}
	if short.Err() != nil && ctx.Err() == nil {
		return nil // Changed lists the work
	}
	return err
}

// setQuiet sets whether allow denies all steps without asking the user.
func (w *work) setQuiet(quiet bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.quiet = quiet
}

// start starts the agent's program and a session.
func (w *work) start(ctx context.Context) error {
	begin, cancel := context.WithTimeout(ctx, w.opts.Times.Begin)
	defer cancel()
	w.say("starts")
	open := openACP
	if w.agent.Speaks == Windie {
		open = openWindie
	}
	p, err := open(begin, w)
	if err == nil {
		w.program = p
		err = p.begin(begin)
	}
	if err != nil && begin.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("the agent did not start within %v: %w", w.opts.Times.Begin, err)
	}
	return err
}

// end ends the agent's program.
func (w *work) end() {
	if w.program != nil {
		w.program.stop()
	}
}

// renew starts a new session after a failure: in the same program if that still responds.
func (w *work) renew(ctx context.Context, why error) error {
	w.say("restarts: " + why.Error())
	if errors.Is(why, errStuck) && !errors.Is(why, errDeaf) {
		begin, cancel := context.WithTimeout(ctx, w.opts.Times.Begin)
		defer cancel()
		if w.program.begin(begin) == nil {
			return nil
		}
	}
	w.end()
	w.program = nil
	return w.start(ctx)
}

// turn sends text to the agent, and watches it until the turn ends. It stops a stuck turn: one
// without activity for quiet, or for Times.Tool while a tool of the agent runs. While the user is
// asked, no limit applies.
func (w *work) turn(ctx context.Context, text string, quiet time.Duration) (t *turn, how string, err error) {
	t = newTurn(w.say)
	w.turns = append(w.turns, t)
	w.out.Turns++
	defer t.close()
	within, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		w.watch(within, t, quiet, stop)
	}()
	how, err = w.program.say(within, t, text)
	if err == nil {
		w.wait(within, t)
	}
	stuck := context.Cause(within)
	stop(nil)
	<-watched
	switch {
	case ctx.Err() != nil:
		return t, how, ctx.Err()
	case err != nil && errors.Is(stuck, errStuck) && errors.Is(err, errDeaf):
		return t, how, errors.Join(stuck, errDeaf)
	case err != nil && errors.Is(stuck, errStuck):
		return t, how, stuck
	}
	return t, how, err
}

// watch stops a stuck turn. A change of files below the folder counts as activity.
func (w *work) watch(ctx context.Context, t *turn, quiet time.Duration, stop context.CancelCauseFunc) {
	tick := time.NewTicker(max(quiet/10, time.Millisecond))
	defer tick.Stop()
	files := snapshot(w.opts.Dir)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		since, busy := t.quiet()
		limit := quiet
		if busy {
			limit = max(quiet, w.opts.Times.Tool)
		}
		if since < limit {
			continue
		}
		if now := snapshot(w.opts.Dir); len(changes(files, now)) > 0 {
			files = now
			t.sign()
			continue
		}
		stop(fmt.Errorf("%w: it produced no output for %v", errStuck, limit))
		return
	}
}

// saidAfter is the divisor of Times.Grace for the wait after the last tool has ended. In this time
// the agent may report on a tool that a turn left running.
const saidAfter = 10

// wait waits for the tools that an ended turn left running, and for the agent's report on them. It
// returns at once if no tool runs.
func (w *work) wait(ctx context.Context, t *turn) {
	tick := time.NewTicker(max(w.opts.Times.Grace/50, time.Millisecond))
	defer tick.Stop()
	for waited := false; ; {
		since, busy := t.quiet()
		waited = waited || busy
		if !waited || busy && since >= w.opts.Times.Grace || !busy && since >= w.opts.Times.Grace/saidAfter {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// say shows the agent's activity to the viewers of the call.
func (w *work) say(line string) {
	if line != "" {
		w.report(w.agent.Name + ": " + line)
	}
}

// maxInput limits the shown arguments of a step, in bytes.
const maxInput = 32 << 10

// allow decides about a step of the turn t, and records the decision.
func (w *work) allow(ctx context.Context, t *turn, step Step) (bool, error) {
	step.Agent, step.Task = w.agent.Name, cut(w.task)
	if len(step.Input) > maxInput {
		shown, err := json.Marshal(string(step.Input[:maxInput]) + "…")
		if err != nil {
			return false, err
		}
		step.Input = shown
	}
	w.mu.Lock()
	refuse := w.quiet || w.opts.Ask == nil
	w.mu.Unlock()
	var ok bool
	var err error
	if !refuse {
		t.ask(true)
		ok, err = w.opts.Ask(ctx, w.call, step)
		t.ask(false)
	}
	said := "denied "
	if ok && err == nil {
		said = "allowed "
	}
	w.note(said, step)
	return ok, err
}

// decline records a step that is denied without asking the user, with the reason.
func (w *work) decline(step Step, why string) {
	w.say("denied, " + why + ": " + cut(step.Title))
	w.note("denied, "+why+": ", step)
}

// note records the decision on a step.
func (w *work) note(said string, step Step) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.steps) < MaxListed {
		w.steps = append(w.steps, said+strings.TrimSpace(step.Kind+" "+cut(step.Title)))
	}
}
