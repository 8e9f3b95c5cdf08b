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
	Content  string            `json:"content,omitempty" doc:"Of a text: what the model says."`
	Cut      bool              `json:"cut,omitempty" doc:"Of a text: it is not all that the model wants to say: the prompt is still running, or was ended before."`
	ID       string            `json:"id,omitempty" doc:"Of a tool: the call's id. Of a file: the artifact's."`
	Function string            `json:"function,omitempty" doc:"Of a tool: its id." example:"ocr.find_text"`
	Input    json.RawMessage   `json:"input,omitempty" doc:"Of a tool: the arguments that it was called with."`
	Result   *PromptCallResult `json:"result,omitempty" doc:"Of a tool: what came of it."`
	URL      string            `json:"url,omitempty" doc:"Of a file: where to fetch it, from the root of the gateway."`
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
	Type   string `json:"type" enum:"success,error,denied" doc:"Denied: it was not called, as the user did not want it or did not answer in time."`
	Output any    `json:"output,omitempty" doc:"Of success: what the tool gave; a value where that is JSON, else text."`
	Error  string `json:"error,omitempty" doc:"Of the others: why."`
}

// PromptApproval asks whether a tool may be called. The stream goes on when
// somebody has answered, or the time is up.
type PromptApproval struct {
	PromptID   string          `json:"promptId"`
	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	Input      json.RawMessage `json:"input"`
	Reason     string          `json:"reason"`
	DecisionID string          `json:"decisionId" doc:"What the question is called in the other protocols of the gateway."`
	ExpiresAt  time.Time       `json:"expiresAt" doc:"When it counts as rejected."`
	Answered   bool            `json:"answered,omitempty" doc:"Nothing waits for it any longer: it was answered, its time is up, or the prompt has ended. It is told again for who missed it."`
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
	OutputTokens    int `json:"outputTokens" doc:"Those of the model's thoughts included."`
	TotalTokens     int `json:"totalTokens"`
	CachedTokens    int `json:"cachedTokens,omitempty" doc:"Of the input: those that the provider knew."`
	ReasoningTokens int `json:"reasoningTokens,omitempty" doc:"Of the output: those of thoughts."`
}

// PromptCompleted ends a stream when the prompt has ended.
type PromptCompleted struct {
	PromptID string      `json:"promptId"`
	Usage    PromptUsage `json:"usage"`
}

// PromptError ends a stream when there will be no answer.
type PromptError struct {
	PromptID string       `json:"promptId,omitempty"`
	Message  string       `json:"message" doc:"What happened and what to do about it, for a person."`
	Code     Code         `json:"code,omitempty"`
	Reason   string       `json:"reason,omitempty" enum:"canceled,failed,refused,length,rounds,tokens,time,repeated,revoked,silent,budget" doc:"Why the prompt ended."`
	Usage    *PromptUsage `json:"usage,omitempty"`
	ResetsAt *time.Time   `json:"resets_at,omitempty" doc:"When there is a new budget, for BUDGET_EXCEEDED."`
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
	Images         []ImageSource    `json:"images,omitempty" doc:"The images that came with it, as artifacts."`
	Output         []PromptOutput   `json:"output"`
	Approvals      []PromptApproval `json:"approvals,omitempty" doc:"What waits for an answer."`
	Error          *PromptError     `json:"error,omitempty"`
	Usage          *PromptUsage     `json:"usage,omitempty" doc:"Once it has ended."`
	CreatedAt      time.Time        `json:"createdAt"`
	EndedAt        *time.Time       `json:"endedAt,omitempty"`
	LastEventID    string           `json:"lastEventId" doc:"The cursor after which a stream goes on from here."`
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
	ID string `json:"id" doc:"What to send as conversationId."`
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
	UpdatedAt time.Time `json:"updatedAt" doc:"When the last prompt began, or ended if it has."`
}

// ConversationSummaries is what conversation.list gives, the most recently
// updated first.
type ConversationSummaries struct {
	Conversations []ConversationSummary `json:"conversations"`
}

// ConversationGetPage is what conversation.get takes.
type ConversationGetPage struct {
	ConversationNamed
	Limit  int    `json:"limit,omitempty" minimum:"1" maximum:"100" default:"100" doc:"The most prompts, the last ones."`
	Cursor string `json:"cursor,omitempty" maxLength:"128" doc:"What an answer had as nextCursor: the prompts before those of that answer."`
}

// ConversationNamed is what conversation.delete takes.
type ConversationNamed struct {
	ConversationID string `json:"conversationId" minLength:"1" maxLength:"128"`
}

// Conversation is what conversation.get gives.
type Conversation struct {
	ConversationSummary
	Prompts   []Prompt `json:"prompts" doc:"The oldest first."`
	Truncated bool     `json:"truncated,omitempty" doc:"There were earlier prompts, which are not kept or not listed."`

	NextCursor string `json:"nextCursor,omitempty" doc:"With it as cursor, the prompts before these are told. Absent where there are none, or none that are kept."`
}

// ConversationDeleted is what conversation.delete gives.
type ConversationDeleted struct {
	Deleted bool `json:"deleted" doc:"Whether there was such a conversation."`
}
