package sdkapi

import "time"

// ConversationsPath is the route that lists a user's conversations, by GET. The list has pages. To
// get the next page, send the value Next of the previous page.
const ConversationsPath = "/api/conversations"

// MaxPage bounds the entries of one page of a list; beyond it: 422 VALIDATION_ERROR.
const MaxPage = 100

// PromptList is the response of PromptsPath.
type PromptList struct {
	Prompts []PromptSummary `json:"prompts" doc:"Prompts, newest first."`
	Next    string          `json:"next,omitempty" doc:"Cursor to send as \"after\" for the next page. Absent on the last page."`
}

// PromptSummary is a prompt in a list.
type PromptSummary struct {
	ID             string     `json:"id" doc:"Id of the prompt, for its routes and events."`
	ConversationID string     `json:"conversationId,omitempty"`
	Status         string     `json:"status" enum:"running,waiting_for_approval,completed,failed,canceled"`
	Input          string     `json:"input" doc:"Start of the user's text."`
	CreatedAt      time.Time  `json:"createdAt"`
	EndedAt        *time.Time `json:"endedAt,omitempty"`
}

// ConversationPages is the response of ConversationsPath.
type ConversationPages struct {
	Conversations []ConversationSummary `json:"conversations" doc:"Conversations, the most recently updated first."`
	Next          string                `json:"next,omitempty" doc:"Cursor to send as \"after\" for the next page. Absent on the last page."`
}
