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

func open(s *gateway.Server) *door { return &door{turns.Turns{Server: s}} }

// Parts returns the parts that serve prompts, conversations and decisions, as
// far as cfg has what they need.
func Parts(cfg gateway.Config) []gateway.Part {
	var parts []gateway.Part
	if cfg.Journal != nil {
		parts = append(parts, gateway.PartOf("", open, (*door).addDecisions))
	}
	if cfg.Sessions == nil || cfg.Journal == nil {
		return parts
	}
	parts = append(parts, gateway.PartOf("prompt", open, (*door).addPrompts, (*door).addPromptDelete))
	if cfg.Prompts != nil {
		parts = append(parts, gateway.PartOf("", open, (*door).addPromptList))
	}
	if cfg.Conversations != nil {
		parts = append(parts, gateway.PartOf("", open, (*door).addConversationList, (*door).addConversationDelete), gateway.Part{ID: "conversation", Setup: func(s *gateway.Setup) error {
			return s.ExposeTools("Conversations", open(s.Server).conversationTools()...)
		}})
	}
	return parts
}
