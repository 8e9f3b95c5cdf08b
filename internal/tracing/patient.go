package tracing

import (
	"context"
	"log/slog"
	"sync"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// patient is an exporter whose failures nobody else hears of: it logs them,
// once in a while, with how many spans they cost.
type patient struct {
	sdktrace.SpanExporter
	log *slog.Logger

	mu   sync.Mutex
	told time.Time // when a failure was logged last
	lost int       // spans since then
}

var _ sdktrace.SpanExporter = (*patient)(nil)

// ExportSpans implements sdktrace.SpanExporter. It does not fail.
func (p *patient) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := p.SpanExporter.ExportSpans(ctx, spans)
	if err == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lost += len(spans)
	if p.told.IsZero() || time.Since(p.told) >= complainGap {
		p.log.Warn("traces cannot be sent", slog.Int("spans lost", p.lost), slog.Any("err", err))
		p.told, p.lost = time.Now(), 0
	}
	return nil // the library would print it where nobody looks
}

// Shutdown implements sdktrace.SpanExporter. It reports what was lost last.
func (p *patient) Shutdown(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lost > 0 {
		p.log.Warn("traces could not be sent", slog.Int("spans lost", p.lost))
		p.lost = 0
	}
	return p.SpanExporter.Shutdown(ctx)
}
