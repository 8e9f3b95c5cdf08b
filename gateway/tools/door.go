// Package tools serves the registry's tools over HTTP, the plugins that provide tools, and the
// audit log of tool calls.
package tools

import (
	"github.com/windieos/windie/agent/audit"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/wasmtools"
)

// door holds the services that the handlers of this package use.
type door struct {
	core          *gateway.Server
	audit         *audit.Log
	operatorToken string
	plugins       *wasmtools.Plugins
}

// Parts returns the parts that serve tools, plugins and the audit log. If app has no plugins or no
// audit log, it leaves out their parts.
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
