// Package prompts serves prompts, which are turns that one request begins and
// whose events it answers with, the conversations that prompts belong to, and
// the decisions that people take about calls of tools.
package prompts

import (
	"github.com/windieos/windie/agent/conversation"
	"github.com/windieos/windie/agent/promptlist"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/turns"
)

// door is this protocol of a gateway.
type door struct {
	turns.Turns
	conversations *conversation.Conversations
	promptModels  map[string]string
	prompts       *promptlist.List
}

// Parts returns the parts that serve prompts, conversations and decisions, as
// far as app has what they need.
func Parts(core *gateway.Server, app gateway.App) []gateway.Part {
	d := &door{Turns: turns.New(core, app), conversations: app.Conversations, promptModels: app.PromptModels, prompts: app.Prompts}
	var parts []gateway.Part
	if app.Journal != nil {
		parts = append(parts, gateway.PartOf("", d.addDecisions))
	}
	if app.Sessions == nil || app.Journal == nil {
		return parts
	}
	parts = append(parts, gateway.PartOf("prompt", d.addPrompts, d.addPromptDelete))
	if app.Prompts != nil {
		parts = append(parts, gateway.PartOf("", d.addPromptList))
	}
	if app.Conversations != nil {
		parts = append(parts, gateway.PartOf("", d.addConversationList, d.addConversationDelete), gateway.Part{ID: "conversation", Setup: func(s *gateway.Setup) error {
			return s.ExposeTools("Conversations", d.conversationTools()...)
		}})
	}
	return parts
}
