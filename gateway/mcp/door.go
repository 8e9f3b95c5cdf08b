// Package mcp serves the gateway's tools to MCP clients: over HTTP to many clients, or over stdin
// and stdout to one client.
package mcp

import (
	"context"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/state/identity"
	"github.com/windieos/windie/state/identity/upstream"
	"github.com/windieos/windie/state/journal"
)

// door holds what the handlers of this package need.
type door struct {
	core             *gateway.Server
	hosted           bool
	identity         *identity.Identity
	journal          *journal.Counted
	connections      *upstream.Store // signs users in to MCP servers; nil if nobody can
	sessionTTL       time.Duration
	maxArtifactBytes int64
	agent            *session.Sessions
	tools            *agent.Registry
	chosen           agent.Filter            // tools that clients may list and call; nil for the default
	clients          map[string]agent.Filter // listed tools by the client's name; the others have the default
	version          string
}

// open returns the parts of a gateway that this package needs.
func open(core *gateway.Server, app gateway.App) *door {
	return &door{core: core, hosted: app.Hosted, identity: app.Identity, journal: app.Journal, connections: app.Connections, sessionTTL: app.MCPSessionTTL, maxArtifactBytes: app.MaxArtifactBytes, agent: app.Sessions, tools: app.Tools, chosen: app.MCPTools, clients: app.MCPClients, version: app.Version}
}

// Parts returns the part that serves MCP over HTTP.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	var m *server
	return []gateway.Part{{
		ID: "mcp",
		Setup: func(*gateway.Setup) error {
			m = newServer(open(core, app))
			m.addRoutes()
			return nil
		},
		Ready: func(context.Context) error {
			go m.follow(m.core.Requests)
			return nil
		},
		Revoked: func(user, install string) { m.sessions.revoke(user, install) },
		Close:   func() { m.close() },
	}}
}
