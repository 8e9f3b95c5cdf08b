package gateway

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// healthTimeout bounds each part's check.
const healthTimeout = 5 * time.Second

type healthOutput struct {
	Status int
	Body   sdkapi.Health
}

func (s *Server) addHealth() {
	register(s, huma.Operation{
		OperationID: "health", Method: http.MethodGet, Path: sdkapi.HealthPath, Tags: []string{"gateway"},
		Summary:     "Tell whether the gateway works",
		Description: "Answers 200 when every part works, and 503 when one does not; `checks` says which and what to do.",
	}, s.health)
}

func (s *Server) health(ctx context.Context, _ *struct{}) (*healthOutput, error) {
	checks := []sdkapi.Check{
		check(ctx, "artifacts", "the store can be used", s.cfg.Store.Ready),
		check(ctx, "ocr", "screens can be read", s.cfg.Scenes.Ready),
	}
	if checks[1].OK {
		checks[1].Message = s.cfg.Scenes.EngineName()
	}
	out := &healthOutput{Status: http.StatusOK, Body: sdkapi.Health{
		Healthy: true, Version: s.cfg.Version, UptimeMS: time.Since(s.started).Milliseconds(), Checks: checks,
	}}
	for _, c := range checks {
		if !c.OK {
			out.Status, out.Body.Healthy = http.StatusServiceUnavailable, false
		}
	}
	return out, nil
}

// check asks one part whether it is ready.
func check(ctx context.Context, name, fine string, ready func(context.Context) error) sdkapi.Check {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	if err := ready(ctx); err != nil {
		return sdkapi.Check{Name: name, Message: fault.From(err).Message}
	}
	return sdkapi.Check{Name: name, OK: true, Message: fine}
}
