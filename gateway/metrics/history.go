package metrics

import (
	"context"
	"strings"
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/windieos/windie/internal/background"
	"github.com/windieos/windie/sdkapi"
)

// A history covers one day in periods of five minutes.
const (
	historyPeriod  = 5 * time.Minute
	historyPeriods = int(24 * time.Hour / historyPeriod)
)

// History stores a gateway's metrics of the last day, in memory. It is safe for concurrent use.
type History struct {
	metrics *Metrics

	mu      sync.Mutex
	totals  sdkapi.HistoryPeriod // totals at the end of the last period
	periods []sdkapi.HistoryPeriod
}

// NewHistory returns an empty history of m.
func NewHistory(m *Metrics) *History { return &History{metrics: m} }

// Run adds a period of five minutes to the history every five minutes, until ctx ends.
func (h *History) Run(ctx context.Context) {
	background.Every(ctx, historyPeriod, func(context.Context) { h.endPeriod(time.Now()) })
}

// endPeriod ends the current period at the time now, and drops the oldest period if the day is full.
func (h *History) endPeriod(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	totals := h.metrics.totals() // under the lock: h.totals must not be newer
	h.periods = append(h.periods, since(h.totals, totals, now))
	h.periods = h.periods[max(0, len(h.periods)-historyPeriods+1):]
	h.totals = totals
}

// Get returns all periods of the last day, oldest first. The last period is incomplete: it ends at
// the time now.
func (h *History) Get(now time.Time) sdkapi.History {
	h.mu.Lock()
	defer h.mu.Unlock()
	totals := h.metrics.totals() // under the lock: h.totals must not be newer
	all := make([]sdkapi.HistoryPeriod, 0, len(h.periods)+1)
	return sdkapi.History{Seconds: int(historyPeriod / time.Second), Periods: append(append(all, h.periods...), since(h.totals, totals, now))}
}

// since returns the period between two totals. It ends at end.
func since(before, after sdkapi.HistoryPeriod, end time.Time) sdkapi.HistoryPeriod {
	return sdkapi.HistoryPeriod{
		EndsAt: end.UTC(), Requests: after.Requests - before.Requests, Errors: after.Errors - before.Errors, ToolCalls: after.ToolCalls - before.ToolCalls,
		ScreensRead: after.ScreensRead - before.ScreensRead, ReadSeconds: after.ReadSeconds - before.ReadSeconds,
		ModelRequests: after.ModelRequests - before.ModelRequests, ModelCost: after.ModelCost - before.ModelCost,
	}
}

// totals returns the totals since the gateway started. A metric that cannot be collected counts as
// zero.
func (m *Metrics) totals() (t sdkapi.HistoryPeriod) {
	families, _ := m.Registry.Gather()
	for _, family := range families {
		for _, one := range family.GetMetric() {
			value := one.GetCounter().GetValue()
			switch family.GetName() {
			case "windie_http_requests_total":
				t.Requests += int64(value)
				if strings.HasPrefix(label(one, "status"), "5") {
					t.Errors += int64(value)
				}
			case "windie_tool_calls_total":
				t.ToolCalls += int64(value)
			case "windie_ocr_read_duration_seconds":
				t.ScreensRead += int64(one.GetHistogram().GetSampleCount())
				t.ReadSeconds += one.GetHistogram().GetSampleSum()
			case "windie_model_requests_total":
				t.ModelRequests += int64(value)
			case "windie_model_cost_total":
				t.ModelCost += value
			}
		}
	}
	return t
}

// label returns the value of a label, or empty if it is missing.
func label(of *dto.Metric, name string) string {
	for _, l := range of.GetLabel() {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}
