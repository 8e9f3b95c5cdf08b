// Package console serves the console: its page, its files, and the routes by which browsers sign in
// and out. For everything else the console uses the public API.
package console

import (
	"net/netip"
	"time"

	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/console/pages"
	"github.com/windieos/windie/internal/ratelimit"
	"github.com/windieos/windie/state/identity"
	"github.com/windieos/windie/state/identity/openid"
)

// door has the parts of the gateway that the handlers of this package use.
type door struct {
	core           *gateway.Server
	hosted         bool
	identity       *identity.Identity
	openID         *openid.Provider
	trustedProxies []netip.Prefix
	version        string
	page           *pages.Page
	tries          *ratelimit.Limiter // limits wrong codes and tokens, by address
}

// triesMinute is the limit of wrong codes and tokens per address and minute.
const triesMinute = 20

// Parts returns the part of the gateway that serves the console. If app.Identity is nil, nobody can
// sign in, and the console shows only views that need no sign-in.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	d := &door{core: core, hosted: app.Hosted, identity: app.Identity, openID: app.OpenID, trustedProxies: app.TrustedProxies, version: app.Version, page: pages.Load(), tries: ratelimit.New(triesMinute, time.Minute)}
	return []gateway.Part{gateway.PartOf("", d.addPage, d.addVisits)}
}
