package sdkapi

import "time"

// ConversationsPath lists by GET the conversations of a user. PromptsPath lists
// the prompts, and DecisionsPath what waits for a yes or a no. A list comes by
// pages: the next one begins behind what the page before has as its Next.
const ConversationsPath = "/api/conversations"

// MaxPage bounds the entries of one page of a list; beyond it: 422 VALIDATION_ERROR.
const MaxPage = 100

// PromptList is the answer of PromptsPath.
type PromptList struct {
	Prompts []PromptSummary `json:"prompts" doc:"The newest first."`
	Next    string          `json:"next,omitempty" doc:"What to send as after for the next page; without it there is none."`
}

// PromptSummary is a prompt of a list.
type PromptSummary struct {
	ID             string     `json:"id" doc:"What to ask for the whole prompt by, and its events."`
	ConversationID string     `json:"conversationId,omitempty"`
	Status         string     `json:"status" enum:"running,waiting_for_approval,completed,failed,canceled"`
	Input          string     `json:"input" doc:"How what the user said begins."`
	CreatedAt      time.Time  `json:"createdAt"`
	EndedAt        *time.Time `json:"endedAt,omitempty"`
}

// ConversationPages is the answer of ConversationsPath.
type ConversationPages struct {
	Conversations []ConversationSummary `json:"conversations" doc:"The most recently updated first."`
	Next          string                `json:"next,omitempty" doc:"What to send as after for the next page; without it there is none."`
}
