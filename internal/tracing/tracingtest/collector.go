// Package tracingtest is an OpenTelemetry collector for tests: a server that receives traces over
// HTTP and returns them.
package tracingtest

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/windieos/windie/internal/test/testkit"
)

// Span is a received span.
type Span struct {
	// Trace and ID identify the span. Parent is the ID of its parent span, empty for a root span.
	Name, Trace, ID, Parent string
	Server, Failed          bool
	About                   map[string]string // attributes of the span
	Resource                map[string]string // attributes of the sender
}

// Collector stores the spans that it receives. Make one with Start.
type Collector struct {
	URL string // URL to which a tracer sends spans

	mu      sync.Mutex
	spans   []Span
	asked   int
	answer  func(http.ResponseWriter, *http.Request) bool
	problem error
}

// Start runs a collector until the test ends. If answer is not nil, the collector calls it with
// each request; answer returns true if it has answered the request.
func Start(t testing.TB, answer func(http.ResponseWriter, *http.Request) bool) *Collector {
	t.Helper()
	c := &Collector{answer: answer}
	server := httptest.NewServer(c)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		if c.problem != nil {
			t.Error(c.problem)
		}
	})
	c.URL = server.URL + "/v1/traces"
	return c
}

// ServeHTTP receives an export: a request with spans.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.asked++
	c.mu.Unlock()
	if c.answer != nil && c.answer(w, r) {
		return
	}
	body, err := io.ReadAll(r.Body)
	var export collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &export)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && (r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf") {
		err = errors.New("expected application/x-protobuf at /v1/traces")
	}
	if err != nil {
		c.problem = fmt.Errorf("%s of %s: %w", r.URL.Path, r.Header.Get("Content-Type"), err)
		http.Error(w, "no export", http.StatusBadRequest)
		return
	}
	for _, of := range export.GetResourceSpans() {
		for _, scope := range of.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				c.spans = append(c.spans, Span{
					Name: s.GetName(), Trace: hex.EncodeToString(s.GetTraceId()), ID: hex.EncodeToString(s.GetSpanId()),
					Parent: hex.EncodeToString(s.GetParentSpanId()), Server: s.GetKind() == trace.Span_SPAN_KIND_SERVER,
					Failed: s.GetStatus().GetCode() == trace.Status_STATUS_CODE_ERROR,
					About:  texts(s.GetAttributes()), Resource: texts(of.GetResource().GetAttributes()),
				})
			}
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// texts returns attributes as texts, by name.
func texts(list []*common.KeyValue) map[string]string {
	out := map[string]string{}
	for _, kv := range list {
		switch v := kv.GetValue().GetValue().(type) {
		case *common.AnyValue_StringValue:
			out[kv.GetKey()] = v.StringValue
		case *common.AnyValue_IntValue:
			out[kv.GetKey()] = fmt.Sprint(v.IntValue)
		case *common.AnyValue_BoolValue:
			out[kv.GetKey()] = fmt.Sprint(v.BoolValue)
		case *common.AnyValue_DoubleValue:
			out[kv.GetKey()] = fmt.Sprint(v.DoubleValue)
		default:
			out[kv.GetKey()] = fmt.Sprint(v)
		}
	}
	return out
}

// Asked returns the number of exports that the collector received, including failed ones.
func (c *Collector) Asked() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked
}

// Spans returns the received spans, in order.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Span(nil), c.spans...)
}

// Wait waits for a span that has the given name, and returns the span.
func (c *Collector) Wait(t testing.TB, name string) Span {
	t.Helper()
	named := func(s Span) bool { return s.Name == name }
	spans := testkit.Eventually(t, "the span "+name+" arrives", func() ([]Span, bool) {
		spans := c.Spans()
		return spans, slices.ContainsFunc(spans, named)
	})
	return spans[slices.IndexFunc(spans, named)]
}
