// Package health serves the routes for people who operate or install a gateway. The routes report
// whether the gateway works and accepts requests, and register an install.
package health

import (
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/state/identity"
)

// door holds what the handlers of this package need.
type door struct {
	core        *gateway.Server
	approvalKey string
	identity    *identity.Identity
	scenes      *perception.Scenes
	state       gateway.State
	store       artifacts.Store
	times       gateway.Times
	version     string
	probes      []*probe
}

// Parts returns the part that reports health. If app.Identity is set, it also returns the part that
// registers installs.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	d := &door{core: core, approvalKey: app.ApprovalKey, identity: app.Identity, scenes: app.Scenes, state: app.State, store: app.Store, times: app.Times, version: app.Version}
	parts := []gateway.Part{gateway.PartOf("", d.addHealth)}
	if app.Identity != nil {
		parts = append(parts, gateway.PartOf("install", d.addInstall))
	}
	return parts
}
