// Package turns holds what every protocol with turns shares: a turn is begun once for an
// idempotency key, followed event by event, answered, and ended. It knows no protocol.
//
//	t := turns.Turns{Server: server}
//	err := t.FollowSession(ctx, id, after, func(e journal.Event) (enough bool, err error) { ... })
package turns

import "github.com/windieos/windie/gateway"

// Turns works on the sessions of a gateway, which must have some.
type Turns struct{ *gateway.Server }
