package eyes

import "time"

// took is where the time of an action went, in milliseconds. What is not named is little.
type took struct {
	Look    float64 `json:"look,omitempty" doc:"Taking the picture of the screen that the target was looked for on."`
	Find    float64 `json:"find,omitempty" doc:"Reading the picture, and finding the target on it."`
	Check   float64 `json:"check,omitempty" doc:"Looking whether the target is still there."`
	Act     float64 `json:"act,omitempty" doc:"Doing it, until the program had noticed."`
	Settle  float64 `json:"settle,omitempty" doc:"Waiting until the screen was calm."`
	Compare float64 `json:"compare,omitempty" doc:"Reading the screen again, and comparing."`
}

// lap adds the time since the lap before to one of took's fields, and begins the next.
func lap(to *float64, since *time.Time) {
	now := time.Now()
	*to += float64(now.Sub(*since).Microseconds()) / 1000
	*since = now
}
