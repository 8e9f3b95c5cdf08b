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
		op.OperationID, op.Method, op.Hidden = "head-"+id, http.MethodHead, true // Fiber adds none to routes of huma's
		gateway.Register(s.core, op, tell)
	}
	s.core.App.Use(sdkapi.HealthPath, s.prove)
	watched(sdkapi.HealthPath, "health", "Tell whether the gateway works",
		"Answers 200 for as long as the gateway runs, also while it stops: whoever restarts what does not answer asks here. "+
			"`healthy` tells whether every part works, and `checks` which does not and what to do, which a restart seldom mends.", s.health)
	watched(sdkapi.ReadyPath, "ready", "Tell whether to send requests to the gateway",
		"Answers 200 when every part works and the gateway is not stopping, and 503 otherwise: "+
			"whoever chooses between gateways asks here. The body is as /health's, with the check `serving`.", s.ready)
}

func (s *door) health(context.Context, *struct{}) (*healthOutput, error) {
	return &healthOutput{Status: http.StatusOK, Body: s.examine()}, nil
}

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

// examine asks all parts at once.
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

// probe asks one part whether it is ready: at most once at a time, so that a part which hangs
// holds one goroutine and not one for each request, and not again while its answer holds: whoever
// supervises a gateway asks often, and a check writes a file or asks another server.
type probe struct {
	name  string
	ready func(context.Context) error
	fine  func() string   // the message of a part that is ready
	life  context.Context // of the server
	times gateway.Times
	log   *slog.Logger

	mu   sync.Mutex
	last *reply // nil before the first
}

// reply is what a part said, or is about to say.
type reply struct {
	began    time.Time
	done     chan struct{} // closed when what follows is set
	ended    time.Time
	check    sdkapi.Check
	panicked any // for the request to panic with, as all that handlers do wrong
}

func (s *door) newProbe(name string, ready func(context.Context) error, fine func() string) *probe {
	return &probe{name: name, ready: ready, fine: fine, life: s.core.Requests, times: s.times, log: s.core.Log}
}

// latest returns an answer that holds, or one that is under way.
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

// ask asks the part. It logs a failure's cause: /health shows only the message.
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

// wait returns what the part said, or that it has said nothing for too long.
func (p *probe) wait(a *reply) sdkapi.Check {
	late := time.NewTimer(time.Until(a.began.Add(p.times.Health + p.times.Health/4))) // what minds its context says itself what it waited for
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
