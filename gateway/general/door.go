// Package general serves the general agent service: sessions under /v1 whose
// client hears a stream of events, runs its own tools and posts their results.
package general

import (
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/turns"
)

// door is this protocol of a gateway.
type door struct {
	turns.Turns
}

func open(s *gateway.Server) *door { return &door{Turns: turns.Turns{Server: s}} }

// Parts returns the parts that serve sessions and the memory of users, as far as
// cfg has what they need.
func Parts(cfg gateway.Config) []gateway.Part {
	if cfg.Sessions == nil || cfg.Journal == nil {
		return nil
	}
	parts := []gateway.Part{gateway.PartOf("general", open, (*door).addSessions, (*door).addKeptSessions)}
	if cfg.Memory != nil {
		parts = append(parts, gateway.PartOf("memory", open, (*door).addMemory, (*door).addKeptMemory))
	}
	return parts
}
