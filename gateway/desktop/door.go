// Package desktop serves desktop clients: the WebSocket at /ws, over which they talk
// with an agent and run its tools, and the routes that show what a model would be asked.
package desktop

import (
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/turns"
)

// door is this protocol of a gateway.
type door struct{ turns.Turns }

// Parts returns the part that serves desktop clients, none without sessions.
func Parts(cfg gateway.Config) []gateway.Part {
	if cfg.Sessions == nil {
		return nil
	}
	open := func(s *gateway.Server) *door { return &door{turns.Turns{Server: s}} }
	return []gateway.Part{gateway.PartOf("agent", open, (*door).addSocket, (*door).addIntrospection, (*door).addRules)}
}
