// Package mcp serves the gateway's tools to MCP clients: over HTTP, and over
// stdin and stdout for one client.
package mcp

import (
	"context"

	"github.com/windieos/windie/gateway"
)

// door is this protocol of a gateway.
type door struct{ *gateway.Server }

// Parts returns the part that serves MCP over HTTP.
func Parts() []gateway.Part {
	var m *server
	return []gateway.Part{{
		ID: "mcp",
		Setup: func(s *gateway.Setup) error {
			m = newServer(&door{s.Server})
			m.addRoutes()
			return nil
		},
		Ready: func(context.Context) error {
			go m.follow(m.Requests)
			return nil
		},
		Revoked: func(user, install string) { m.sessions.revoke(user, install) },
		Close:   func() { m.close() },
	}}
}
