package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/internal/tracing/tracingtest"
	"github.com/windieos/windie/sdk"
)

// Traces go where OpenTelemetry's own variables say.
func TestWhereTracesGo(t *testing.T) {
	t.Parallel()
	const traces, all = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=", "OTEL_EXPORTER_OTLP_ENDPOINT="
	for _, tt := range []struct {
		environ []string
		want    string
	}{
		{nil, ""},
		{[]string{all + "http://c:4318"}, "http://c:4318/v1/traces"},
		{[]string{all + "http://c:4318/otlp/"}, "http://c:4318/otlp/v1/traces"},
		{[]string{all + "http://c:4318", traces + "http://d:4318/x"}, "http://d:4318/x"},
		{[]string{traces + "http://d:4318"}, "http://d:4318/"},
		{[]string{all + "http://c:4318", "OTEL_SDK_DISABLED=true"}, ""},
		{[]string{all + "http://c:4318", "OTEL_SDK_DISABLED=TRUE"}, ""},
		{[]string{all + "http://c:4318", "OTEL_TRACES_EXPORTER=none"}, ""},
	} {
		t.Run(fmt.Sprint(tt.environ), func(t *testing.T) {
			c, err := loadWith(t, nil, tt.environ, "")
			if err != nil || c.otlp != tt.want {
				t.Errorf("%v: %q, %v; want %q", tt.environ, c.otlp, err, tt.want)
			}
		})
	}
	if _, err := loadWith(t, nil, []string{all + "collector:4318"}, ""); err == nil || !strings.Contains(err.Error(), "OTEL_EXPORTER_OTLP_ENDPOINT: ") {
		t.Errorf("an address without a scheme: %v", err)
	}
}

// What the gateway did is at the collector when it has stopped, long before
// the next batch would have been sent.
func TestServeFlushesTraces(t *testing.T) {
	t.Parallel()
	collector := tracingtest.Start(t, nil)
	t.Run("serve", func(t *testing.T) {
		url := serveForTest(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+strings.TrimSuffix(collector.URL, "/v1/traces"))
		client, err := sdk.New(url)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if _, err := client.StatArtifact(ctx, "no-such.png"); err == nil {
			t.Error("there is such an artifact")
		}
	})
	if spans := collector.Spans(); len(spans) != 1 || spans[0].Name != "HEAD /api/artifacts/{artifact_id}" || spans[0].Resource["service.version"] != version {
		t.Errorf("%+v", spans)
	}
}
