package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/screens"
	"github.com/windieos/windie/internal/test/gatewaytest"
	"github.com/windieos/windie/internal/tracing"
	"github.com/windieos/windie/internal/tracing/tracingtest"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/sdk"
	"github.com/windieos/windie/sdkapi"

	"github.com/windieos/windie/gateway/doors/doorstest"
)

// traced returns a gateway's settings whose traces go to a collector.
func traced(t *testing.T, collector *tracingtest.Collector) gateway.App {
	t.Helper()
	tracer, err := tracing.Open(t.Context(), tracing.Config{Endpoint: collector.URL, Every: 20 * time.Millisecond, Last: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tracer.Close)
	cfg := doorstest.Working()
	cfg.Tracer = tracer
	cfg.Scenes = perception.NewScenes(gateway.Traced(doorstest.FullEngine{}, tracer), perception.Options{})
	return cfg
}

// A tool that reads a screen for a caller with a trace of its own: three spans
// within each other, within the caller's, and none holds what was sent or read.
func TestTraceOfACall(t *testing.T) {
	t.Parallel()
	collector, log := tracingtest.Start(t, nil), new(doorstest.LockedBuffer)
	cfg := traced(t, collector)
	cfg.Log = slog.New(slog.NewTextHandler(log, nil))
	cfg.Tools = agent.NewRegistry()
	for _, tool := range screens.BuiltinTools(cfg.Store, query.New(cfg.Scenes, nil)) {
		if err := cfg.Tools.Register(tool); err != nil {
			t.Fatal(err)
		}
	}
	url := gatewaytest.Start(t, cfg)
	const id, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	body := fmt.Sprintf(`{"image":{"image_base64":%q},"text":"Row number 7"}`, sdk.Inline(gatewaytest.Card()).ImageBase64)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+sdkapi.ToolPath("ocr.find_text")+"?key=hush-1", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Traceparent", "00-"+id+"-"+parent+"-01")
	req.Header.Set("Authorization", "Bearer hush-2")
	req.Header.Set(sdkapi.UserHeader, "hush-3")
	req.Header.Set("X-Request-ID", "me-1")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	var answer bytes.Buffer
	_, _ = answer.ReadFrom(resp.Body)
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatal(answer.String())
	}
	request := collector.Wait(t, "POST "+sdkapi.ToolPath("{toolId}"))
	call, reading := collector.Wait(t, "execute_tool ocr.find_text"), collector.Wait(t, "read screen")
	if request.Trace != id || request.Parent != parent || call.Parent != request.ID || reading.Parent != call.ID {
		t.Errorf("they are not within each other:\n%+v\n%+v\n%+v", request, call, reading)
	}
	if request.About["http.request.body.size"] != fmt.Sprint(len(body)) || request.About["http.response.body.size"] != fmt.Sprint(answer.Len()) ||
		request.About["windie.request_id"] != "me-1" || reading.About["windie.ocr.rows"] != "120" {
		t.Errorf("%+v\n%+v", request, reading)
	}
	for _, s := range collector.Spans() {
		if text := fmt.Sprintf("%+v", s); strings.Contains(text, "hush") || strings.Contains(text, "Row number") {
			t.Errorf("a span tells what it must not: %s", text)
		}
	}
	if text := log.String(); !strings.Contains(text, "trace_id="+id) {
		t.Errorf("the log does not name the trace:\n%s", text)
	}
}

// What callers make up names no span, and supervisors' requests make no span.
func TestTraceNamesAreOurs(t *testing.T) {
	t.Parallel()
	collector := tracingtest.Start(t, nil)
	url := gatewaytest.Start(t, traced(t, collector))
	for _, path := range []string{sdkapi.HealthPath, sdkapi.ReadyPath, sdkapi.MetricsPath, "/hush-1"} {
		_, _ = doorstest.Get(t, url+path)
	}
	_, _ = doorstest.Invoke(t, url, "hush.tool", nil)
	_, _ = doorstest.Get(t, url+"/docs")
	collector.Wait(t, "GET /docs")
	var names []string
	for _, s := range collector.Spans() {
		names = append(names, s.Name)
		if s.Name == "GET" && (s.Failed || s.About["http.response.status_code"] != "404") || strings.Contains(fmt.Sprintf("%+v", s), "hush") {
			t.Errorf("%+v", s)
		}
	}
	if got, want := strings.Join(names, ", "), "GET, execute_tool, POST "+sdkapi.ToolPath("{toolId}")+", GET /docs"; got != want {
		t.Errorf("spans %s, not %s", got, want)
	}
}

// A collector that hangs slows no request and no end of the gateway.
func TestHangingCollector(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	collector := tracingtest.Start(t, func(http.ResponseWriter, *http.Request) bool { <-end; return true })
	t.Cleanup(func() { close(end) })
	cfg := traced(t, collector)
	cfg.DrainTimeout = doorstest.Patience
	url, stop, ended := doorstest.ServeFor(t, cfg)
	for range 200 {
		if status, err := doorstest.Fresh(t, url+"/docs"); err != nil || status != http.StatusOK {
			t.Fatal(status, err)
		}
	}
	if collector.Asked() == 0 {
		t.Error("nothing was sent")
	}
	stop()
	if err := doorstest.Receive(t, ended, "Serve"); err != nil {
		t.Error(err)
	}
}

// What a request costs with traces and without.
func BenchmarkTracedRequest(b *testing.B) {
	collector := tracingtest.Start(b, nil)
	tracer, err := tracing.Open(b.Context(), tracing.Config{Endpoint: collector.URL})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(tracer.Close)
	var with, without *tracing.Tracer = tracer, nil
	for name, tracer := range map[string]*tracing.Tracer{"with": with, "without": without} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, span := tracer.Request(context.Background(), http.MethodGet, "", "")
				span.EndRequest(tracing.Answered{Method: "GET", Route: "/docs", Status: 200, RequestID: "me-1"})
			}
		})
	}
}
