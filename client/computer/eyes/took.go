package eyes

import "time"

// took holds the times of the parts of an action, in milliseconds. Parts that are not listed take
// little.
type took struct {
	Look    float64 `json:"look,omitempty"`
	Find    float64 `json:"find,omitempty"`
	Check   float64 `json:"check,omitempty"`
	Act     float64 `json:"act,omitempty"`
	Settle  float64 `json:"settle,omitempty"`
	Compare float64 `json:"compare,omitempty"`
}

// lap adds the time since the last lap to a field of took, and starts the next lap.
func lap(to *float64, since *time.Time) {
	now := time.Now()
	*to += float64(now.Sub(*since).Microseconds()) / 1000
	*since = now
}
