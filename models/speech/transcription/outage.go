package transcription

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/windieos/windie/internal/background"
)

// Pauses before a server is tried again.
const (
	firstPause = 50 * time.Millisecond
	longPause  = 5 * time.Second
)

// outage is a time in which a server is away. Its zero value is one that begins with the first wait.
type outage struct {
	since    time.Time
	pause    time.Duration // before the next try
	reported bool
}

// wait waits until it is time for another try. From the second time on, the client knows that the server is away.
// Its error says that the server is away for too long, or it is ctx's.
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
