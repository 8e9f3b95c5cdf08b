// Package turns holds what every protocol with turns shares: a turn is begun once for an
// idempotency key, followed event by event, answered, and ended. It knows no protocol.
//
//	t := turns.New(server, app)
//	err := t.FollowSession(ctx, id, after, func(e journal.Event) (enough bool, err error) { ... })
package turns

import (
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/state/journal"
	"github.com/windieos/windie/state/once"
)

// Turns works on the sessions of a gateway, which must have some.
type Turns struct {
	Core       *gateway.Server
	Sessions   *session.Sessions
	Journal    *journal.Counted
	Once       *once.Keys
	Tools      *agent.Registry
	CancelTime time.Duration // how long a request to cancel waits for its turn's end
}

// New returns the turns of a gateway.
func New(core *gateway.Server, app gateway.App) Turns {
	return Turns{core, app.Sessions, app.Journal, app.Once, app.Tools, app.Times.Cancel}
}
