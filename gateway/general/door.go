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
	ends ends
}

// Parts returns the parts that serve sessions and the memory of users, as far as
// cfg has what they need.
func Parts(cfg gateway.Config) []gateway.Part {
	if cfg.Sessions == nil || cfg.Journal == nil {
		return nil
	}
	parts := []gateway.Part{part("general", (*door).addSessions)}
	if cfg.Memory != nil {
		parts = append(parts, part("memory", (*door).addMemory))
	}
	return parts
}

func part(id string, add func(*door)) gateway.Part {
	return gateway.Part{ID: id, Setup: func(s *gateway.Setup) error {
		add(&door{Turns: turns.Turns{Server: s.Server}})
		return nil
	}}
}
