package main

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/tracing"
	"github.com/windieos/windie/models"
)

// tracesPath is the default path of a collector's traces.
const tracesPath = "/v1/traces"

// openTracer returns a tracer, or nil without a collector. The caller closes it.
func openTracer(ctx context.Context, c *config, log *slog.Logger) (*tracing.Tracer, error) {
	if c.otlp == "" {
		return nil, nil
	}
	endpoint := c.otlp
	if u, err := url.Parse(endpoint); err == nil && u.Path == "" {
		endpoint += tracesPath
	}
	return tracing.Open(ctx, tracing.Config{Endpoint: endpoint, Version: version, Log: log})
}

// otlpEndpoint returns the URL for traces from OpenTelemetry's own variables, or "" if there is
// none. The variable for traces contains the whole URL, and the general variable only its start.
func otlpEndpoint(env map[string]string) string {
	if strings.EqualFold(env["OTEL_SDK_DISABLED"], "true") || env["OTEL_TRACES_EXPORTER"] == "none" {
		return ""
	}
	if endpoint := env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]; endpoint != "" {
		if u, err := url.Parse(endpoint); err == nil && u.Path == "" {
			endpoint += "/"
		}
		return endpoint
	}
	if endpoint := env["OTEL_EXPORTER_OTLP_ENDPOINT"]; endpoint != "" {
		return strings.TrimRight(endpoint, "/") + tracesPath
	}
	return ""
}

// tracedModels makes a span of each model request. Without a tracer it does nothing.
type tracedModels struct{ tracer *tracing.Tracer }

var _ models.Watcher = tracedModels{}

// Begin implements models.Watcher.
func (t tracedModels) Begin(ctx context.Context, provider, model string) context.Context {
	return t.tracer.Ask(ctx, provider, model)
}

// End implements models.Watcher. A canceled request does not count as a failure.
func (t tracedModels) End(ctx context.Context, a models.Asked) {
	code := ""
	if a.Err != nil && !errors.Is(a.Err, context.Canceled) {
		code = string(fault.CodeOf(a.Err))
	}
	t.tracer.EndAsk(ctx, a.Usage.Prompt(), a.Usage.Output+a.Usage.Reasoning, a.First, code)
}
