package sdkapi

import (
	"encoding/json"
	"time"
)

// Paths of the prompt routes. All ask for UserHeader.
const (
	PromptPath  = "/api/prompt"  // POST; answers with server-sent events
	PromptsPath = "/api/prompts" // below it: GET ID, GET ID/events, POST ID/approve, ID/reject, ID/cancel
)

// Bounds of a prompt.
const (
	// MaxPromptInput bounds the text of a prompt, in characters; beyond it: 422 VALIDATION_ERROR.
	MaxPromptInput = 256 << 10
	// MaxPromptImages bounds the images of a prompt; beyond it: 422 VALIDATION_ERROR. A model is shown no more at once.
	MaxPromptImages = 4
	// MaxPromptBody bounds the body of a prompt with its images, in bytes; beyond it: 413 PAYLOAD_TOO_LARGE.
	MaxPromptBody = MaxWSMessage
)

// The events of a prompt's stream, and the types of their data. The last one is
// EventPromptCompleted or EventError.
const (
	EventPromptCreated   = "prompt.created"   // PromptCreated
	EventPromptDelta     = "prompt.delta"     // PromptDelta; only when asked for
	EventPromptOutput    = "prompt.output"    // PromptOutput
	EventPromptApproval  = "prompt.approval"  // PromptApproval
	EventPromptRepaired  = "prompt.repaired"  // PromptRepaired
	EventPromptWarning   = "prompt.warning"   // PromptWarning
	EventPromptProgress  = "prompt.progress"  // PromptProgress
	EventPromptCompleted = "prompt.completed" // PromptCompleted
	EventError           = "error"            // PromptError
)

// The values of PromptStart.Model.
const (
	PromptModelNormal = "normal"
	PromptModelHigh   = "high"
)

// PromptStart is the body of PromptPath.
type PromptStart struct {
	Input          string `json:"input" minLength:"1" maxLength:"262144" doc:"What the user says."`
	Model          string `json:"model,omitempty" enum:"normal,high" default:"normal" doc:"Which of the two models answers that the operator chose."`
	ConversationID string `json:"conversationId,omitempty" maxLength:"128" doc:"The conversation that this goes on with, as conversation.create made it; without it the prompt stands alone."`
	Deltas         bool   `json:"deltas,omitempty" doc:"Also send the answer's text piece by piece, as prompt.delta."`

	Images []ImageSource `json:"images,omitempty" maxItems:"4" doc:"What the user shows with it, as a screenshot: artifacts, or the images themselves, which the gateway keeps as artifacts. Tools take them by their artifact_id, which the model is told."`
}

// PromptCreated begins a stream.
type PromptCreated struct {
	PromptID       string `json:"promptId" doc:"What the prompt is called in the other routes."`
	ConversationID string `json:"conversationId,omitempty"`
}

// PromptDelta is a piece of what the model says, before it is a PromptOutput.
type PromptDelta struct {
	PromptID string `json:"promptId"`
	Text     string `json:"text"`
	Restart  bool   `json:"restart,omitempty" doc:"What came since the last prompt.output is void: the model is asked again."`
}

// PromptRepaired says that the model did not get on with the conversation, and
// is asked again with a shortened one. No tool is called again by that.
type PromptRepaired struct {
	PromptID string `json:"promptId"`
	Reason   string `json:"reason" enum:"context_full,refused,broken_off,empty,malformed_calls,repeated_calls"`
	Message  string `json:"message" doc:"The same, for people."`
}

// The types of PromptOutput.
const (
	PromptText = "text"
	PromptTool = "tool"
	PromptFile = "file"
)

// PromptOutput is something that has come of a prompt, whole but for a text that is cut. Its type says
// which of the other fields it has.
type PromptOutput struct {
	Type     string            `json:"type" enum:"text,tool,file"`
	Content  string            `json:"content,omitempty" doc:"Of a text: the model's words."`
	Cut      bool              `json:"cut,omitempty" doc:"Of a text: incomplete, as the prompt still runs or ended early."`
	ID       string            `json:"id,omitempty" doc:"Of a tool: call id. Of a file: artifact_id."`
	Function string            `json:"function,omitempty" doc:"Of a tool: tool id." example:"ocr.find_text"`
	Input    json.RawMessage   `json:"input,omitempty" doc:"Of a tool: arguments."`
	Result   *PromptCallResult `json:"result,omitempty" doc:"Of a tool."`
	URL      string            `json:"url,omitempty" doc:"Of a file: path on the gateway."`
	Start    time.Time         `json:"start"`
	End      time.Time         `json:"end"`
}

// The types of PromptCallResult.
const (
	PromptToolSuccess = "success"
	PromptToolFailure = "error"
	PromptToolDenied  = "denied"
)

// PromptCallResult is what came of a call.
type PromptCallResult struct {
	Type   string `json:"type" enum:"success,error,denied" doc:"denied: not run, as the user refused or did not answer in time."`
	Output any    `json:"output,omitempty" doc:"Of success: a JSON value, or else text."`
	Error  string `json:"error,omitempty" doc:"Of error and denied: the reason."`
}

// PromptApproval asks whether a tool may be called. The stream goes on when
// somebody has answered, or the time is up.
type PromptApproval struct {
	PromptID   string          `json:"promptId"`
	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	Input      json.RawMessage `json:"input"`
	Reason     string          `json:"reason"`
	DecisionID string          `json:"decisionId" doc:"Id of the decision in other protocols."`
	ExpiresAt  time.Time       `json:"expiresAt" doc:"Without an answer, it is rejected at this time."`
	Answered   bool            `json:"answered,omitempty" doc:"Closed: answered, expired, or the prompt ended. Sent again for late readers."`
}

// PromptWarning reports something that somebody should see to, and that keeps
// nothing from going on.
type PromptWarning struct {
	PromptID   string `json:"promptId"`
	ToolCallID string `json:"toolCallId,omitempty" doc:"The call that it came up in, if any."`
	Message    string `json:"message"`
}

// PromptProgress is what a running call reports.
type PromptProgress struct {
	PromptID   string `json:"promptId"`
	ToolCallID string `json:"toolCallId"`
	Message    string `json:"message" doc:"How far it is, in a line for people. Empty if only output is new."`
	Output     string `json:"output,omitempty" doc:"The next piece of what the tool puts out."`
}

// PromptUsage is what a prompt took.
type PromptUsage struct {
	InputTokens     int `json:"inputTokens"`
	OutputTokens    int `json:"outputTokens" doc:"Includes reasoningTokens."`
	TotalTokens     int `json:"totalTokens"`
	CachedTokens    int `json:"cachedTokens,omitempty" doc:"Part of inputTokens that the provider cached."`
	ReasoningTokens int `json:"reasoningTokens,omitempty" doc:"Part of outputTokens."`
}

// PromptCompleted ends a stream when the prompt has ended.
type PromptCompleted struct {
	PromptID string      `json:"promptId"`
	Usage    PromptUsage `json:"usage"`
}

// PromptError ends a stream when there will be no answer.
type PromptError struct {
	PromptID string       `json:"promptId,omitempty"`
	Message  string       `json:"message" doc:"Cause and fix, for people."`
	Code     Code         `json:"code,omitempty"`
	Reason   string       `json:"reason,omitempty" enum:"canceled,failed,refused,length,rounds,tokens,time,repeated,revoked,silent,budget"`
	Usage    *PromptUsage `json:"usage,omitempty"`
	ResetsAt *time.Time   `json:"resets_at,omitempty" doc:"Of BUDGET_EXCEEDED: start of the next budget."`
}

// What a Prompt does.
const (
	PromptRunning   = "running"
	PromptWaiting   = "waiting_for_approval"
	PromptCompletes = "completed"
	PromptFailed    = "failed"
	PromptCanceling = "canceling" // of the answer to a cancel whose prompt has not ended yet
	PromptCanceled  = "canceled"
)

// Prompt is what is known of a prompt.
type Prompt struct {
	ID             string           `json:"id"`
	ConversationID string           `json:"conversationId,omitempty"`
	Status         string           `json:"status" enum:"running,waiting_for_approval,completed,failed,canceling,canceled"`
	Input          string           `json:"input"`
	Images         []ImageSource    `json:"images,omitempty"`
	Output         []PromptOutput   `json:"output"`
	Approvals      []PromptApproval `json:"approvals,omitempty" doc:"Open approvals."`
	Error          *PromptError     `json:"error,omitempty"`
	Usage          *PromptUsage     `json:"usage,omitempty" doc:"Set when the prompt has ended."`
	CreatedAt      time.Time        `json:"createdAt"`
	EndedAt        *time.Time       `json:"endedAt,omitempty"`
	LastEventID    string           `json:"lastEventId" doc:"Cursor to resume the stream from."`
}

// PromptApprove is the body of the approve route.
type PromptApprove struct {
	ToolCallID string          `json:"toolCallId" minLength:"1" maxLength:"256" doc:"The call, as prompt.approval names it."`
	Input      json.RawMessage `json:"input,omitempty" doc:"Other arguments to call the tool with."`
}

// PromptReject is the body of the reject route.
type PromptReject struct {
	ToolCallID string `json:"toolCallId" minLength:"1" maxLength:"256" doc:"The call, as prompt.approval names it."`
	Reason     string `json:"reason,omitempty" maxLength:"2000" doc:"Why, for the model."`
}

// PromptDecided answers an approval or a rejection.
type PromptDecided struct {
	PromptID   string `json:"promptId"`
	ToolCallID string `json:"toolCallId"`
	Approved   bool   `json:"approved"`
}

// The ids and bodies of the conversation tools, which are for clients and never
// offered to a model.
const (
	ConversationCreate = "conversation.create"
	ConversationList   = "conversation.list"
	ConversationGet    = "conversation.get"
	ConversationDelete = "conversation.delete"
)

// ConversationID is what conversation.create gives.
type ConversationID struct {
	ID string `json:"id" doc:"Send it as conversationId."`
}

// ConversationPage is what conversation.list takes.
type ConversationPage struct {
	Limit  int `json:"limit,omitempty" minimum:"1" maximum:"100" default:"20"`
	Offset int `json:"offset,omitempty" minimum:"0" maximum:"100000" default:"0"`
}

// ConversationSummary is a conversation of a list.
type ConversationSummary struct {
	ID        string    `json:"id"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt" doc:"Start or end of the last prompt."`
}

// ConversationSummaries is what conversation.list gives, the most recently
// updated first.
type ConversationSummaries struct {
	Conversations []ConversationSummary `json:"conversations"`
}

// ConversationGetPage is what conversation.get takes.
type ConversationGetPage struct {
	ConversationNamed
	Limit  int    `json:"limit,omitempty" minimum:"1" maximum:"100" default:"100" doc:"Return at most this many of the last prompts."`
	Cursor string `json:"cursor,omitempty" maxLength:"128" doc:"nextCursor of the last response, for earlier prompts."`
}

// ConversationNamed is what conversation.delete takes.
type ConversationNamed struct {
	ConversationID string `json:"conversationId" minLength:"1" maxLength:"128"`
}

// Conversation is what conversation.get gives.
type Conversation struct {
	ConversationSummary
	Prompts   []Prompt `json:"prompts" doc:"Oldest first."`
	Truncated bool     `json:"truncated,omitempty" doc:"Earlier prompts exist or were deleted."`

	NextCursor string `json:"nextCursor,omitempty" doc:"Send it as cursor for earlier prompts. Absent on the last page."`
}

// ConversationDeleted is what conversation.delete gives.
type ConversationDeleted struct {
	Deleted bool `json:"deleted" doc:"false if there was no such conversation."`
}
