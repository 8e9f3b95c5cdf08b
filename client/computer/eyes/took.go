package eyes

import "time"

// took is where the time of an action went, in milliseconds. What is not named is little.
type took struct {
	Look    float64 `json:"look,omitempty"`
	Find    float64 `json:"find,omitempty"`
	Check   float64 `json:"check,omitempty"`
	Act     float64 `json:"act,omitempty"`
	Settle  float64 `json:"settle,omitempty"`
	Compare float64 `json:"compare,omitempty"`
}

// lap adds the time since the lap before to one of took's fields, and begins the next.
func lap(to *float64, since *time.Time) {
	now := time.Now()
	*to += float64(now.Sub(*since).Microseconds()) / 1000
	*since = now
}
