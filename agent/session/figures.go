package session

import (
	"sync"
	"time"

	"github.com/windieos/windie/internal/meter"
)

// figures count turns that ended here. The zero value is empty.
type figures struct {
	mu   sync.Mutex
	took map[string]*meter.Durations // by protocol
	ends map[turnEnd]uint64
}

type turnEnd struct {
	protocol string
	reason   EndReason
}

// TurnFigures are the turns that one gateway has worked on.
type TurnFigures struct {
	Running int                             // now
	Took    map[string]meter.Histogram      // of turns that ended, by protocol
	Ends    map[string]map[EndReason]uint64 // by protocol
}

// count counts a turn that has ended.
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
