// Package health serves what those ask who run or install a gateway: whether it
// works, whether to send it requests, and the token of a new install.
package health

import (
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/perception"
	"github.com/windieos/windie/state/identity"
)

// door is this protocol of a gateway.
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

// Parts returns the parts that serve health and, where users have tokens, installs.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	d := &door{core: core, approvalKey: app.ApprovalKey, identity: app.Identity, scenes: app.Scenes, state: app.State, store: app.Store, times: app.Times, version: app.Version}
	parts := []gateway.Part{gateway.PartOf("", d.addHealth)}
	if app.Identity != nil {
		parts = append(parts, gateway.PartOf("install", d.addInstall))
	}
	return parts
}
