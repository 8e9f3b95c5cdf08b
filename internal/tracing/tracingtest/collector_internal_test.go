package tracingtest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	common "go.opentelemetry.io/proto/otlp/common/v1"
)

// Attributes of each type become plain texts.
func TestTexts(t *testing.T) {
	t.Parallel()
	got := texts([]*common.KeyValue{
		{Key: "text", Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: "a"}}},
		{Key: "number", Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: 3}}},
		{Key: "ratio", Value: &common.AnyValue{Value: &common.AnyValue_DoubleValue{DoubleValue: 0.5}}},
		{Key: "flag", Value: &common.AnyValue{Value: &common.AnyValue_BoolValue{BoolValue: true}}},
	})
	for name, want := range map[string]string{"text": "a", "number": "3", "ratio": "0.5", "flag": "true"} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
}

// The problem of a wrong request says what was expected.
func TestProblem(t *testing.T) {
	t.Parallel()
	c := &Collector{}
	c.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/v2/traces", nil))
	if c.problem == nil || strings.Contains(c.problem.Error(), "%!") || !strings.Contains(c.problem.Error(), "/v2/traces") {
		t.Errorf("got %v", c.problem)
	}
}
