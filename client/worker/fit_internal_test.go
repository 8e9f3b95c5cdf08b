package worker

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/sdkapi"
)

// Answers that are too large together for one message are cut, and others are not.
func TestFit(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		steps  int
		output any
		cut    bool
	}{
		"small":      {45, strings.Repeat("x", 100<<10), false},
		"texts":      {45, strings.Repeat("x", 250<<10), true},
		"objects":    {45, map[string]string{"text": strings.Repeat("x", 250<<10)}, true},
		"escapes":    {45, strings.Repeat("\x01", 250<<10), true},
		"many":       {300, strings.Repeat("\x01", 60<<10), true},
		"only one":   {1, strings.Repeat("x", maxSteps), true},
		"just below": {1, strings.Repeat("x", maxSteps-100), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps := make([]stepResult, tt.steps)
			for i := range steps {
				steps[i] = stepResult{Tool: "file_read", Status: "ok", Output: tt.output}
			}
			raw, err := json.Marshal(request{id: "r", bundle: true, tools: make([]sdkapi.WSBundleTool, tt.steps)}.answer(steps, screenData{}).payload)
			if err != nil || len(raw) > sdkapi.MaxWSMessage || strings.Contains(string(raw), "bytes left out") != tt.cut {
				t.Errorf("%d bytes, %v", len(raw), err)
			}
		})
	}
}

// Calls under way end with the lease, also while a heartbeat is not answered.
func TestLeaseEndsCalls(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer server.Close()
	w, err := New(Options{URL: server.URL, Tools: agent.NewRegistry().View()})
	if err != nil {
		t.Fatal(err)
	}
	w.heard, w.lease = time.Now(), 200*time.Millisecond
	w.job = newJob(t.Context(), w, &sdkapi.AssignedRun{RunID: "run-1"})
	close(w.job.done)
	ended := make(chan time.Duration, 1)
	w.job.calls.once(t.Context(), "r", "", func(ctx context.Context) message {
		<-ctx.Done()
		ended <- time.Since(w.heard)
		return message{}
	})
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	select {
	case after := <-ended:
		if after < w.lease {
			t.Errorf("the call was ended after %v", after)
		}
	case <-ctx.Done():
		t.Error("the call goes on")
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
