package tracing_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/windieos/windie/internal/test/testkit"
	"github.com/windieos/windie/internal/tracing"
	"github.com/windieos/windie/internal/tracing/tracingtest"
)

type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func open(t *testing.T, endpoint string, log *buffer) *tracing.Tracer {
	t.Helper()
	tracer, err := tracing.Open(t.Context(), tracing.Config{Endpoint: endpoint, Version: "1.2.3", Every: 20 * time.Millisecond, Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tracer.Close)
	return tracer
}

// What is within a request is within its span, and what has ended is there
// when the tracer is closed.
func TestSpansArrive(t *testing.T) {
	t.Parallel()
	collector, log := tracingtest.Start(t, nil), new(buffer)
	tracer := open(t, collector.URL, log)
	ctx, request := tracer.Request(t.Context(), http.MethodPost, "", "")
	call := tracer.Call(ctx, "ocr.read", "builtin")
	_, reading := tracer.Reading(call, "windie", 1920, 1080)
	reading.EndReading(7, "")
	tracer.EndCall(call, "TOOL_ERROR", 99)
	request.EndRequest(tracing.Answered{Method: "POST", Route: "/api/tools/{id}/invoke", Status: 500, Received: 3, Sent: 4, RequestID: "me-1"})
	tracer.Close()
	tracer.Close()
	spans := map[string]tracingtest.Span{}
	for _, s := range collector.Spans() {
		spans[s.Name] = s
	}
	r, c, o := spans["POST /api/tools/{id}/invoke"], spans["execute_tool ocr.read"], spans["read screen"]
	if len(spans) != 3 || c.Parent != r.ID || o.Parent != c.ID || r.Parent != "" || r.Trace != o.Trace || tracing.IDOf(ctx) != r.Trace {
		t.Fatalf("%+v", spans)
	}
	for _, tt := range []struct {
		of         map[string]string
		key, value string
	}{
		{r.About, "http.request.method", "POST"}, {r.About, "http.route", "/api/tools/{id}/invoke"}, {r.About, "http.response.status_code", "500"},
		{r.About, "error.type", "500"}, {r.About, "windie.request_id", "me-1"}, {r.About, "http.request.body.size", "3"}, {r.About, "http.response.body.size", "4"},
		{c.About, "gen_ai.tool.name", "ocr.read"}, {c.About, "windie.tool.origin", "builtin"}, {c.About, "error.type", "TOOL_ERROR"}, {c.About, "windie.tool.fuel", "99"},
		{o.About, "windie.image.width", "1920"}, {o.About, "windie.ocr.rows", "7"}, {o.About, "windie.ocr.engine", "windie"},
		{r.Resource, "service.name", "windie"}, {r.Resource, "service.version", "1.2.3"},
	} {
		t.Run(fmt.Sprint(tt.key, " ", tt.value), func(t *testing.T) {
			if tt.of[tt.key] != tt.value {
				t.Errorf("%s is %q, not %q", tt.key, tt.of[tt.key], tt.value)
			}
		})
	}
	if !r.Server || !r.Failed || !c.Failed || o.Failed || o.About["error.type"] != "" {
		t.Errorf("kinds or outcomes are wrong: %+v", spans)
	}
	if log.String() != "" {
		t.Errorf("it complained: %s", log)
	}
}

// A caller's trace is taken over if its header is whole and not too long.
func TestTraceParent(t *testing.T) {
	t.Parallel()
	tracer := open(t, tracingtest.Start(t, nil).URL, new(buffer))
	const id = "0af7651916cd43dd8448eb211c80319c"
	whole := "00-" + id + "-b7ad6b7169203331-01"
	for parent, taken := range map[string]bool{
		whole: true, "": false, "00-" + id: false, "00-" + strings.Repeat("0", 32) + "-b7ad6b7169203331-01": false,
		"01" + whole[2:] + "-" + strings.Repeat("x", 128-len(whole)-1): true, // a later version may have more
		"01" + whole[2:] + "-" + strings.Repeat("x", 128-len(whole)):   false,
	} {
		t.Run(fmt.Sprintf("%.60q", parent), func(t *testing.T) {
			ctx, span := tracer.Request(t.Context(), http.MethodGet, parent, "vendor=1")
			if got := tracing.IDOf(ctx) == id; got != taken {
				t.Errorf("%q: taken over %v", parent, got)
			}
			span.EndRequest(tracing.Answered{})
		})
	}
}

// A collector that fails costs its callers nothing, and the log one line.
func TestCollectorFails(t *testing.T) {
	t.Parallel()
	collector, log := tracingtest.Start(t, func(w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "no", http.StatusBadRequest)
		return true
	}), new(buffer)
	tracer := open(t, collector.URL, log)
	testkit.Eventually(t, "the collector is asked three times", func() (int, bool) {
		_, span := tracer.Request(t.Context(), http.MethodGet, "", "")
		span.EndRequest(tracing.Answered{})
		return collector.Asked(), collector.Asked() >= 3
	})
	tracer.Close()
	if text := log.String(); strings.Count(text, "the gateway cannot send traces; check OTEL_EXPORTER_OTLP_ENDPOINT") != 1 || !strings.Contains(text, "spans lost") {
		t.Errorf("the log of %d failures:\n%s", collector.Asked(), text)
	}
}

// Without a tracer nothing happens, and nothing is allocated.
func TestNoTracer(t *testing.T) {
	var tracer *tracing.Tracer
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() {
		ctx, request := tracer.Request(ctx, http.MethodGet, "", "")
		call := tracer.Call(ctx, "a.b", "wasm")
		_, reading := tracer.Reading(call, "windie", 1, 1)
		reading.EndReading(1, "")
		tracer.EndCall(call, "", 1)
		request.EndRequest(tracing.Answered{})
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if err := tracer.Flush(t.Context()); err != nil {
		t.Error(err)
	}
	tracer.Close()
}
