package metrics

import (
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/perception/query"
	"github.com/windieos/windie/perception/reader"
	"github.com/windieos/windie/sdkapi"
)

// The totals are gathered under the lock. Otherwise a period that ends meanwhile would have the newer
// totals, and the next one would have negative numbers.
func TestHistoryGathersUnderItsLock(t *testing.T) {
	t.Parallel()
	var h *History
	gathered := 0
	h = NewHistory(New(Sources{
		InFlight: func() int64 {
			gathered++
			if h.mu.TryLock() {
				h.mu.Unlock()
				t.Error("the totals are gathered outside of the lock")
			}
			return 0
		},
		Draining: func() bool { return false }, Refused: func() map[string]uint64 { return nil },
		Scenes: perception.NewScenes(reader.New(reader.Config{}), perception.Options{}), Finder: new(query.Finder), Tools: agent.NewRegistry(),
	}))
	h.endPeriod(time.Unix(0, 0))
	h.Get(time.Unix(1, 0))
	if gathered != 2 {
		t.Errorf("gathered %d times, want 2", gathered)
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	m := New(Sources{
		InFlight: func() int64 { return 0 }, Draining: func() bool { return false }, Refused: func() map[string]uint64 { return nil },
		Scenes: perception.NewScenes(reader.New(reader.Config{}), perception.Options{}), Finder: new(query.Finder), Tools: agent.NewRegistry(),
	})
	h := NewHistory(m)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	m.requests.WithLabelValues("GET", "/ready", "200").Add(3)
	m.calls.WithLabelValues("builtin", CodeOK).Add(2)
	h.endPeriod(at)
	m.requests.WithLabelValues("GET", "/ready", "503").Add(4)
	got := h.Get(at.Add(time.Minute))
	want := []sdkapi.HistoryPeriod{{EndsAt: at, Requests: 3, ToolCalls: 2}, {EndsAt: at.Add(time.Minute), Requests: 4, Errors: 4}}
	if len(got.Periods) != 2 || got.Periods[0] != want[0] || got.Periods[1] != want[1] || got.Seconds != 300 {
		t.Errorf("Get returned %+v; expected %+v", got, want)
	}
	for range 2 * historyPeriods {
		h.endPeriod(at)
	}
	if n := len(h.Get(at).Periods); n != historyPeriods {
		t.Errorf("the history has %d periods; expected %d, a day", n, historyPeriods)
	}
}
