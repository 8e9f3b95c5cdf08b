// Package prompts serves prompts, conversations and decisions. A prompt is a turn that one
// request begins; the response streams the turn's events. A conversation groups prompts. A
// decision is a person's answer to a tool call that needs approval.
package prompts

import (
	"github.com/windieos/windie/agent/conversation"
	"github.com/windieos/windie/agent/promptlist"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/gateway/turns"
)

// door holds the services that the routes of this package use.
type door struct {
	turns.Turns
	conversations *conversation.Conversations
	promptModels  map[string]string
	prompts       *promptlist.List
}

// Parts returns the parts that serve prompts, conversations and decisions. Decisions need
// app.Journal. Prompts and conversations need app.Journal and app.Sessions. Parts leaves out a part
// if app lacks a service that the part needs.
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
