//go:build system

package tracing_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/windieos/windie/internal/tracing"
	"github.com/windieos/windie/internal/tracing/tracingtest"
)

// A collector that never answers holds up nobody: neither who makes spans,
// more than fit, nor for long the gateway's end.
func TestCollectorHangs(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	collector, log := tracingtest.Start(t, func(_ http.ResponseWriter, r *http.Request) bool {
		select {
		case <-end:
		case <-r.Context().Done():
		}
		return true
	}), new(buffer)
	t.Cleanup(func() { close(end) })
	tracer := open(t, collector.URL, log)
	start := time.Now()
	for range 10_000 {
		_, span := tracer.Request(context.Background(), http.MethodGet, "", "")
		span.EndRequest(tracing.Answered{})
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("10000 spans took %v", took)
	}
	start = time.Now()
	tracer.Close()
	if took := time.Since(start); took > 6*time.Second {
		t.Errorf("Close took %v", took)
	}
}
