package session

import (
	"sync"
	"time"

	"github.com/windieos/windie/internal/meter"
)

// figures counts turns that ended here. The zero value is ready to use.
type figures struct {
	mu   sync.Mutex
	took map[string]*meter.Durations // durations by protocol
	ends map[turnEnd]uint64
}

type turnEnd struct {
	protocol string
	reason   EndReason
}

// TurnFigures counts the turns of one gateway.
type TurnFigures struct {
	Running int                             // number of running turns
	Took    map[string]meter.Histogram      // durations of ended turns, by protocol
	Ends    map[string]map[EndReason]uint64 // number of ended turns, by protocol and reason
}

// count counts an ended turn.
func (f *figures) count(protocol string, reason EndReason, took time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ends == nil {
		f.took, f.ends = map[string]*meter.Durations{}, map[turnEnd]uint64{}
	}
	if f.took[protocol] == nil {
		f.took[protocol] = new(meter.Durations)
	}
	f.took[protocol].Add(took)
	f.ends[turnEnd{protocol, reason}]++
}
