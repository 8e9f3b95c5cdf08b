// Package tools serves the registry's tools over HTTP, the plugins that bring
// tools, and the log of their calls.
package tools

import (
	"github.com/windieos/windie/agent/audit"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/wasmtools"
)

// door is this protocol of a gateway.
type door struct {
	core          *gateway.Server
	audit         *audit.Log
	operatorToken string
	plugins       *wasmtools.Plugins
}

// Parts returns the parts that serve tools, plugins and the audit log, as far as
// app has what they need.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	d := &door{core: core, audit: app.Audit, operatorToken: app.OperatorToken, plugins: app.Plugins}
	parts := []gateway.Part{gateway.PartOf("tools", d.addTools)}
	if app.Plugins != nil {
		parts = append(parts, gateway.PartOf("plugins", d.addPlugins))
	}
	if app.Audit != nil {
		parts = append(parts, gateway.PartOf("audit", d.addAudit))
	}
	return parts
}
