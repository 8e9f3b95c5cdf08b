package health

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

type healthOutput struct {
	Status int
	Body   sdkapi.Health
}

// addHealth creates the probes and registers the routes of health and readiness, each for GET and HEAD.
func (s *door) addHealth() {
	s.probes = []*probe{
		s.newProbe("artifacts", s.store.Ready, func() string { return "the store can be used" }),
		s.newProbe("ocr", s.scenes.Ready, s.scenes.EngineName),
	}
	if state := s.state; state != nil {
		s.probes = append(s.probes, s.newProbe("state", state.Ready, func() string { return state.Name() + " answers" }))
	}
	watched := func(path, id, summary, description string, tell func(context.Context, *struct{}) (*healthOutput, error)) {
		op := huma.Operation{OperationID: id, Method: http.MethodGet, Path: path, Tags: []string{"gateway"}, Summary: summary, Description: description}
		gateway.Register(s.core, op, tell)
		// Fiber adds no HEAD to huma's routes.
		op.OperationID, op.Method, op.Hidden = "head-"+id, http.MethodHead, true
		gateway.Register(s.core, op, tell)
	}
	s.core.App.Use(sdkapi.HealthPath, s.prove)
	watched(sdkapi.HealthPath, "health", "Check that the gateway runs",
		"Returns 200 while the gateway runs, also during shutdown: use it for liveness probes. `healthy` says whether all parts work. "+
			"`checks` has each problem with its fix, which is rarely a restart.", s.health)
	watched(sdkapi.ReadyPath, "ready", "Check that the gateway accepts requests",
		"Returns 200 if all parts work and the gateway is not stopping. Otherwise, returns 503. Use this route for load balancers. The body is that of "+
			"/health, with the additional check `serving`.", s.ready)
}

// health reports the state of all parts. The status is 200 even if a part does not work, because a restart would rarely
// help.
func (s *door) health(context.Context, *struct{}) (*healthOutput, error) {
	return &healthOutput{Status: http.StatusOK, Body: s.examine()}, nil
}

// ready reports the state of all parts. The status is 503 if a part does not work or the gateway is stopping.
func (s *door) ready(context.Context, *struct{}) (*healthOutput, error) {
	out := &healthOutput{Status: http.StatusOK, Body: s.examine()}
	serving := sdkapi.Check{Name: "serving", OK: true, Message: "accepting requests"}
	if s.core.Draining.Load() {
		serving = sdkapi.Check{Name: "serving", Message: "the gateway is stopping; send requests to another one"}
		out.Body.Healthy = false
	}
	out.Body.Checks = append(out.Body.Checks, serving)
	if !out.Body.Healthy {
		out.Status = http.StatusServiceUnavailable
	}
	return out, nil
}

// examine checks all parts concurrently.
func (s *door) examine() sdkapi.Health {
	replies := make([]*reply, len(s.probes))
	for i, p := range s.probes {
		replies[i] = p.latest()
	}
	h := sdkapi.Health{Healthy: true, Version: s.version, UptimeMS: time.Since(s.core.Started).Milliseconds()}
	for i, p := range s.probes {
		check := p.wait(replies[i])
		h.Healthy = h.Healthy && check.OK
		h.Checks = append(h.Checks, check)
	}
	return h
}

// probe checks one part of the gateway. It runs at most one check at a time, so a check that hangs
// blocks one goroutine and not one per request. It reuses a result for times.Holds, because
// supervisors ask often, and a check may write a file or contact another server.
type probe struct {
	name  string
	ready func(context.Context) error
	fine  func() string   // returns the message for a part that is ready
	life  context.Context // ends with the server
	times gateway.Times
	log   *slog.Logger

	mu   sync.Mutex
	last *reply // nil before the first check
}

// reply is the result of a check, which may still be running.
type reply struct {
	began    time.Time
	done     chan struct{} // closed when the fields below are set
	ended    time.Time
	check    sdkapi.Check
	panicked any // panic of the check; wait repeats it in the request's goroutine, where it is handled
}

// newProbe returns a probe that has not run yet. fine returns the message for success.
func (s *door) newProbe(name string, ready func(context.Context) error, fine func() string) *probe {
	return &probe{name: name, ready: ready, fine: fine, life: s.core.Requests, times: s.times, log: s.core.Log}
}

// latest returns a result that is still valid, or the running check. Otherwise it starts a check.
func (p *probe) latest() *reply {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last != nil {
		select {
		case <-p.last.done:
			if time.Since(p.last.ended) < p.times.Holds {
				return p.last
			}
		default:
			return p.last
		}
	}
	p.last = &reply{began: time.Now(), done: make(chan struct{})}
	go p.ask(p.last)
	return p.last
}

// ask runs the check. It logs the cause of a failure, since /health shows only the message.
func (p *probe) ask(a *reply) {
	defer close(a.done)
	defer func() {
		if a.panicked = recover(); a.panicked != nil {
			a.panicked = fmt.Sprintf("%v\n%s", a.panicked, debug.Stack())
		}
		a.ended = time.Now()
	}()
	ctx, cancel := context.WithTimeout(p.life, p.times.Health)
	defer cancel()
	if err := p.ready(ctx); err != nil {
		p.log.Debug("a health check failed", slog.String("part", p.name), slog.Any("err", err))
		a.check = sdkapi.Check{Name: p.name, Message: fault.From(err).Message}
		return
	}
	a.check = sdkapi.Check{Name: p.name, OK: true, Message: p.fine()}
}

// wait returns the result of a check. If the check takes too long, it returns a failed Check that
// says so.
func (p *probe) wait(a *reply) sdkapi.Check {
	// Later than the check's own timeout, whose error says more.
	late := time.NewTimer(time.Until(a.began.Add(p.times.Health + p.times.Health/4)))
	defer late.Stop()
	select {
	case <-a.done:
	case <-late.C:
		select {
		case <-a.done:
		default:
			return sdkapi.Check{Name: p.name, Message: fmt.Sprintf("has not answered for %v", time.Since(a.began).Round(time.Second))}
		}
	}
	if a.panicked != nil {
		panic(a.panicked)
	}
	return a.check
}
