package tracing

import (
	"context"
	"net/http"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// Span is a piece of work that was begun. One of its End methods is called
// once. A nil one does nothing.
type Span struct{ span trace.Span }

// Answered is what a request's span records of its answer.
type Answered struct {
	Method, Route  string // the route's pattern; empty where none took the request
	Status         int
	Received, Sent int64  // bytes of the bodies
	RequestID      string // which the log has too
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
	if a.Status >= http.StatusInternalServerError { // what the caller did wrong is no error of the server's
		about = append(about, attribute.String("error.type", strconv.Itoa(a.Status)))
		s.span.SetStatus(codes.Error, "")
	}
	s.span.SetAttributes(about...)
	s.span.End()
}

// EndCall ends the span that Call put into ctx. code is that of the failure,
// empty if there was none.
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

// EndReading ends the span of a reading that found rows. code is that
// of the failure, empty if there was none.
func (s *Span) EndReading(rows int, code string) {
	if s == nil {
		return
	}
	s.span.SetAttributes(attribute.Int("windie.ocr.rows", rows))
	end(s.span, code)
}

// end ends a span, as failed if there is a code.
func end(span trace.Span, code string) {
	if code != "" {
		span.SetAttributes(attribute.String("error.type", code))
		span.SetStatus(codes.Error, "")
	}
	span.End()
}
