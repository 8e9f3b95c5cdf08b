package transcription

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/windieos/windie/internal/background"
)

// Pauses before another attempt to reach a server.
const (
	firstPause = 50 * time.Millisecond
	longPause  = 5 * time.Second
)

// outage is a time in which a server is unreachable. The zero value is ready; the outage begins at the first
// call of wait.
type outage struct {
	since    time.Time
	pause    time.Duration // before the next attempt
	reported bool
}

// wait waits before the next attempt. At the second call, it reports the outage to the client. It returns a
// fault if the outage lasts longer than patience, and ctx's error if ctx ends.
func (o *outage) wait(ctx context.Context, why error, patience time.Duration, report func(Event)) error {
	switch {
	case o.pause == 0:
		o.since, o.pause = time.Now(), firstPause
	case time.Since(o.since) > patience:
		return givenUp(why)
	case !o.reported:
		o.reported = true
		report(Failed{away(why)})
	}
	pause := o.pause/2 + rand.N(o.pause) //nolint:gosec // it is no secret
	o.pause = min(2*o.pause, longPause)
	return background.Sleep(ctx, pause)
}
