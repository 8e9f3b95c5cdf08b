// Package prompts serves prompts, which are turns that one request begins and
// whose events it answers with, the conversations that prompts belong to, and
// the decisions that people take about calls of tools.
package prompts

import (
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/turns"
)

// door is this protocol of a gateway.
type door struct{ turns.Turns }

// Parts returns the parts that serve prompts, conversations and decisions, as
// far as cfg has what they need.
func Parts(cfg gateway.Config) []gateway.Part {
	var parts []gateway.Part
	if cfg.Journal != nil {
		parts = append(parts, part("", (*door).addDecisions))
	}
	if cfg.Sessions == nil || cfg.Journal == nil {
		return parts
	}
	parts = append(parts, part("prompt", (*door).addPrompts))
	if cfg.Prompts != nil {
		parts = append(parts, part("", (*door).addPromptList))
	}
	if cfg.Conversations != nil {
		parts = append(parts, part("", (*door).addConversationList), gateway.Part{ID: "conversation", Setup: func(s *gateway.Setup) error {
			d := &door{turns.Turns{Server: s.Server}}
			return s.ExposeTools("Conversations", d.conversationTools()...)
		}})
	}
	return parts
}

func part(id string, add func(*door)) gateway.Part {
	return gateway.Part{ID: id, Setup: func(s *gateway.Setup) error {
		add(&door{turns.Turns{Server: s.Server}})
		return nil
	}}
}
