// Package turns holds the code that all protocols with turns share: starting a turn once per
// idempotency key, following its events, answering its decisions, and ending it. It does not depend
// on any protocol.
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

// Turns holds the services that work on sessions. Sessions and Journal must not be nil.
type Turns struct {
	Core       *gateway.Server
	Sessions   *session.Sessions
	Journal    *journal.Counted
	Once       *once.Keys
	Tools      *agent.Registry
	CancelTime time.Duration // maximum time that a cancel request waits for the end of its turn
}

// New returns Turns with the services of a gateway.
func New(core *gateway.Server, app gateway.App) Turns {
	return Turns{core, app.Sessions, app.Journal, app.Once, app.Tools, app.Times.Cancel}
}
