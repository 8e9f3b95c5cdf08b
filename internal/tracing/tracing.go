// Package tracing sends traces to a collector of OpenTelemetry. It is the only
// home of that library.
//
//	t, err := tracing.Open(ctx, tracing.Config{Endpoint: "http://collector:4318/v1/traces", Log: log})
//	defer t.Close()
//	ctx, span := t.Reading(ctx, "lstm", 1920, 1080)
//	defer span.EndReading(len(rows), "")
//
// A span is one piece of work: a request, a call of a tool, a reading of a
// screen. A nil *Tracer makes nil spans, whose methods do nothing: a gateway
// without a collector pays nothing. A span records kinds, codes and sizes, and
// never what a caller sent or a screen shows.
package tracing

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Bounds of what tracing may take. None of it is waited for by a request.
const (
	maxQueue    = 4096             // spans that wait to be sent; more are dropped
	maxBatch    = 512              // spans sent at once
	sendTime    = 10 * time.Second // for one batch, tries included
	closeTime   = 3 * time.Second  // for what is left when the gateway stops
	complainGap = time.Minute      // between two lines of the log about failures

	maxTraceParent = 128 // bytes of a caller's header; those of today have 55
	maxTraceState  = 512 // bytes, as the recommendation asks to pass on at least
)

// Config says where traces go. Endpoint is required.
type Config struct {
	Endpoint string        // where to post them, as http://collector:4318/v1/traces
	Version  string        // of the gateway; default "dev"
	Every    time.Duration // how long spans are gathered before they are sent; default 5 s
	Log      *slog.Logger  // default: discard
}

// Tracer makes spans and sends them in the background. Open makes one; nil is
// one that does nothing. Its methods may be called from several goroutines.
type Tracer struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// Open makes a tracer. The collector need not be there. What else the library
// reads from its own variables holds, as OTEL_SERVICE_NAME,
// OTEL_EXPORTER_OTLP_HEADERS and OTEL_TRACES_SAMPLER.
func Open(ctx context.Context, cfg Config) (*Tracer, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	client := otlptracehttp.NewClient(
		otlptracehttp.WithEndpointURL(cfg.Endpoint),
		otlptracehttp.WithTimeout(sendTime),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: true, InitialInterval: time.Second, MaxInterval: 5 * time.Second, MaxElapsedTime: sendTime}),
	)
	exporter, err := otlptrace.New(ctx, client)
	if err != nil {
		return nil, fmt.Errorf("traces cannot be sent to the endpoint of otlp_endpoint (WINDIE_OTLP_ENDPOINT): %w", err)
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "windie"), attribute.String("service.version", cmp.Or(cfg.Version, "dev"))),
		resource.WithFromEnv(), // wins
		resource.WithTelemetrySDK(),
	)
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithResource(about),
		sdktrace.WithBatcher(&patient{SpanExporter: exporter, log: cfg.Log},
			sdktrace.WithMaxQueueSize(maxQueue), sdktrace.WithMaxExportBatchSize(maxBatch),
			sdktrace.WithBatchTimeout(cmp.Or(cfg.Every, 5*time.Second)), sdktrace.WithExportTimeout(sendTime)),
	)
	return &Tracer{provider: provider, tracer: provider.Tracer("github.com/windieos/windie")}, nil
}

// Close sends what is left, within a few seconds, and ends the tracer. It may
// be called twice, and on nil. Traces that could not be sent are no error of
// the gateway's: they are logged.
func (t *Tracer) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // patient reports what was lost
}

// Flush sends what has ended so far. It is for tests.
func (t *Tracer) Flush(ctx context.Context) error { return t.provider.ForceFlush(ctx) }

// Request begins the span of a request. The headers of the same names, if they
// are whole and not too long, make it part of the caller's trace.
func (t *Tracer) Request(ctx context.Context, method, traceparent, tracestate string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	if traceparent != "" && len(traceparent) <= maxTraceParent {
		headers := propagation.MapCarrier{"traceparent": traceparent}
		if len(tracestate) <= maxTraceState {
			headers["tracestate"] = tracestate
		}
		ctx = propagation.TraceContext{}.Extract(ctx, headers)
	}
	ctx, span := t.tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(attribute.String("http.request.method", method), attribute.String("url.scheme", "http")))
	return ctx, &Span{span}
}

// Call begins the span of a tool's call, which EndCall ends. origin is the kind
// of the tool's; empty where there is no such tool, whose name is then any
// caller's word and is left out.
func (t *Tracer) Call(ctx context.Context, tool, origin string) context.Context {
	if t == nil {
		return ctx
	}
	name, about := "execute_tool", []attribute.KeyValue{attribute.String("gen_ai.operation.name", "execute_tool")}
	if origin != "" {
		name += " " + tool
		about = append(about, attribute.String("gen_ai.tool.name", tool), attribute.String("windie.tool.origin", origin))
	}
	ctx, _ = t.tracer.Start(ctx, name, trace.WithAttributes(about...))
	return ctx
}

// Reading begins the span of reading a screen of that size.
func (t *Tracer) Reading(ctx context.Context, engine string, width, height int) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	ctx, span := t.tracer.Start(ctx, "read screen", trace.WithAttributes(
		attribute.String("windie.ocr.engine", engine), attribute.Int("windie.image.width", width), attribute.Int("windie.image.height", height)))
	return ctx, &Span{span}
}

// IDOf returns the name of the trace that ctx belongs to, empty if there is none.
func IDOf(ctx context.Context) string {
	if id := trace.SpanContextFromContext(ctx).TraceID(); id.IsValid() {
		return id.String()
	}
	return ""
}
