// Package tracing sends traces to an OpenTelemetry collector. No other package uses the
// OpenTelemetry library.
//
//	t, err := tracing.Open(ctx, tracing.Config{Endpoint: "http://collector:4318/v1/traces", Log: log})
//	defer t.Close()
//	ctx, span := t.Reading(ctx, "windie", 1920, 1080)
//	defer span.EndReading(len(rows), "")
//
// A span is one piece of work: a request, a call of a tool, a reading of a screen. It records
// kinds, codes and sizes, never a caller's data or the content of a screen. A nil *Tracer creates
// nil spans, whose methods do nothing.
package tracing

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Limits of tracing. No request waits for any of it.
const (
	maxQueue    = 4096             // spans in the queue; further spans are dropped
	maxBatch    = 512              // spans in one batch
	sendTime    = 10 * time.Second // time limit for one batch, retries included
	complainGap = time.Minute      // minimum time between two log lines about failures

	maxTraceParent = 128 // bytes of a caller's header; current headers have 55
	maxTraceState  = 512 // bytes; the recommendation requires support for at least this length
)

// Config configures a Tracer. Endpoint is required.
type Config struct {
	Endpoint string        // URL to which spans are sent, for example http://collector:4318/v1/traces
	Version  string        // version of the gateway; default "dev"
	Every    time.Duration // time for which spans are collected before they are sent; default 5 s
	Last     time.Duration // maximum time that Close takes to send the remaining spans; default 3 s
	Log      *slog.Logger  // log for failures to send; default: log nothing
}

// Tracer creates spans and sends them in the background. Create a Tracer with Open. A nil Tracer does
// nothing. The methods are safe for concurrent use.
type Tracer struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	last     time.Duration // see Config
}

// Open creates a tracer. It does not contact the collector. OpenTelemetry's environment variables
// apply, such as OTEL_SERVICE_NAME, OTEL_EXPORTER_OTLP_HEADERS and OTEL_TRACES_SAMPLER.
func Open(ctx context.Context, cfg Config) (*Tracer, error) {
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	client := otlptracehttp.NewClient(
		otlptracehttp.WithEndpointURL(cfg.Endpoint),
		otlptracehttp.WithTimeout(sendTime),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: true, InitialInterval: time.Second, MaxInterval: 5 * time.Second, MaxElapsedTime: sendTime}),
	)
	exporter, err := otlptrace.New(ctx, client)
	if err != nil {
		return nil, fmt.Errorf("cannot start sending traces to OTEL_EXPORTER_OTLP_ENDPOINT: %w", err)
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "windie"), attribute.String("service.version", cmp.Or(cfg.Version, "dev"))),
		resource.WithFromEnv(), // overrides the attributes above
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
	return &Tracer{provider: provider, tracer: provider.Tracer("github.com/windieos/windie"), last: cmp.Or(cfg.Last, 3*time.Second)}, nil
}

// Close sends the remaining spans and ends the tracer. It takes at most Config.Last. It logs
// failures to send. It may be called twice, and on a nil Tracer.
func (t *Tracer) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), t.last)
	defer cancel()
	_ = t.provider.Shutdown(ctx) // patient logs lost spans
}

// Flush sends all finished spans. It is for tests. On a nil Tracer it does nothing.
func (t *Tracer) Flush(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.ForceFlush(ctx)
}

// Request begins the span of a request. traceparent and tracestate are the values of the HTTP
// headers with these names. If they are valid and not too long, the span belongs to the caller's
// trace.
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

// Call begins the span of a tool call; EndCall ends it. origin is the tool's kind. An empty origin
// means that the tool does not exist. The span then omits the tool's name, because the caller may
// have invented it.
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

// Ask begins the span of a request to a language model; EndAsk ends it. The names in the span
// follow OpenTelemetry's conventions for generative AI.
func (t *Tracer) Ask(ctx context.Context, provider, model string) context.Context {
	if t == nil {
		return ctx
	}
	ctx, _ = t.tracer.Start(ctx, "chat "+model, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("gen_ai.operation.name", "chat"), attribute.String("gen_ai.provider.name", provider), attribute.String("gen_ai.request.model", model)))
	return ctx
}

// EndAsk ends the span that Ask has put into ctx. input and output are numbers of tokens, 0 if
// unknown. first is the time to the first piece of the answer, 0 if no piece arrived. code is the
// error code, empty for a success.
func (t *Tracer) EndAsk(ctx context.Context, input, output int, first time.Duration, code string) {
	if t == nil {
		return
	}
	span := trace.SpanFromContext(ctx)
	if input+output > 0 {
		span.SetAttributes(attribute.Int("gen_ai.usage.input_tokens", input), attribute.Int("gen_ai.usage.output_tokens", output))
	}
	if first > 0 {
		span.SetAttributes(attribute.Float64("gen_ai.response.time_to_first_chunk", first.Seconds()))
	}
	end(span, code)
}

// Reading begins a span for the reading of a screen. width and height are in pixels.
func (t *Tracer) Reading(ctx context.Context, engine string, width, height int) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	ctx, span := t.tracer.Start(ctx, "read screen", trace.WithAttributes(
		attribute.String("windie.ocr.engine", engine), attribute.Int("windie.image.width", width), attribute.Int("windie.image.height", height)))
	return ctx, &Span{span}
}

// IDOf returns the id of ctx's trace. It returns "" if ctx has no trace.
func IDOf(ctx context.Context) string {
	if id := trace.SpanContextFromContext(ctx).TraceID(); id.IsValid() {
		return id.String()
	}
	return ""
}

// Span is a piece of work in progress. Call one of its End methods exactly once. A nil Span does
// nothing.
type Span struct{ span trace.Span }

// Answered contains the data about an HTTP response that EndRequest adds to the request's span.
type Answered struct {
	Method, Route  string // HTTP method, and pattern of the route; Route is empty if no route matched
	Status         int
	Received, Sent int64  // sizes of the request body and of the response body, in bytes
	RequestID      string // id of the request, as in the log
}

// EndRequest ends the span of a request.
func (s *Span) EndRequest(a Answered) {
	if s == nil {
		return
	}
	about := []attribute.KeyValue{
		attribute.Int("http.response.status_code", a.Status), attribute.Int64("http.request.body.size", a.Received),
		attribute.Int64("http.response.body.size", a.Sent), attribute.String("windie.request_id", a.RequestID),
	}
	if a.Route != "" {
		s.span.SetName(a.Method + " " + a.Route)
		about = append(about, attribute.String("http.route", a.Route))
	}
	if a.Status >= http.StatusInternalServerError { // a caller's error is not a server error
		about = append(about, attribute.String("error.type", strconv.Itoa(a.Status)))
		s.span.SetStatus(codes.Error, "")
	}
	s.span.SetAttributes(about...)
	s.span.End()
}

// EndCall ends the span that Call has put into ctx. code is the error code, empty for a success.
// fuel is the number of executed instructions; if it is 0, the span omits it.
func (t *Tracer) EndCall(ctx context.Context, code string, fuel uint64) {
	if t == nil {
		return
	}
	span := trace.SpanFromContext(ctx)
	if fuel > 0 {
		span.SetAttributes(attribute.Int64("windie.tool.fuel", int64(min(fuel, 1<<62))))
	}
	end(span, code)
}

// EndReading ends the span of reading a screen. rows is the number of rows on the screen. code is
// the error code, empty for a success.
func (s *Span) EndReading(rows int, code string) {
	if s == nil {
		return
	}
	s.span.SetAttributes(attribute.Int("windie.ocr.rows", rows))
	end(s.span, code)
}

// end ends a span. A code that is not empty marks the span as failed.
func end(span trace.Span, code string) {
	if code != "" {
		span.SetAttributes(attribute.String("error.type", code))
		span.SetStatus(codes.Error, "")
	}
	span.End()
}

// patient is an exporter that logs failures, at most once per complainGap, with the number of lost
// spans. No other code reports failures.
type patient struct {
	sdktrace.SpanExporter
	log *slog.Logger

	mu   sync.Mutex
	told time.Time // time of the last log line
	lost int       // spans since the last log line
}

var _ sdktrace.SpanExporter = (*patient)(nil)

// ExportSpans implements sdktrace.SpanExporter. It never fails.
func (p *patient) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := p.SpanExporter.ExportSpans(ctx, spans)
	if err == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lost += len(spans)
	if p.told.IsZero() || time.Since(p.told) >= complainGap {
		p.log.Warn("the gateway cannot send traces; check OTEL_EXPORTER_OTLP_ENDPOINT", slog.Int("spans lost", p.lost), slog.Any("err", err))
		p.told, p.lost = time.Now(), 0
	}
	return nil // the library would print an error to standard error, outside of the log
}

// Shutdown implements sdktrace.SpanExporter. It logs the number of spans that were lost since the
// last log line.
func (p *patient) Shutdown(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lost > 0 {
		p.log.Warn("the gateway could not send some traces before it ended", slog.Int("spans lost", p.lost))
		p.lost = 0
	}
	return p.SpanExporter.Shutdown(ctx)
}
