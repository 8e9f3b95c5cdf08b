package sdkapi

import (
	"encoding/json"
	"reflect"
	"time"
)

// Paths of the prompt routes. All require UserHeader.
const (
	PromptPath = "/api/prompt" // POST starts a prompt; the response is a stream of server-sent events
	// GET lists the prompts. The routes below this path are GET ID, GET ID/events, POST ID/approve,
	// POST ID/reject and POST ID/cancel.
	PromptsPath = "/api/prompts"
)

// Bounds of a prompt.
const (
	// MaxPromptInput bounds the text of a prompt, in characters; beyond it: 422 VALIDATION_ERROR.
	MaxPromptInput = 256 << 10
	// MaxPromptImages bounds the images of a prompt; beyond it: 422 VALIDATION_ERROR. The gateway
	// shows a model at most this number of images at once.
	MaxPromptImages = 4
	// MaxPromptBody bounds the body of a prompt with its images, in bytes; beyond it: 413
	// PAYLOAD_TOO_LARGE.
	MaxPromptBody = MaxWSMessage
)

// The events of a prompt's stream, with the types of their data. The last event is
// EventPromptCompleted or EventError.
const (
	EventPromptCreated   = "prompt.created"
	EventPromptDelta     = "prompt.delta" // the stream has this event only if the request sets Deltas
	EventPromptOutput    = "prompt.output"
	EventPromptApproval  = "prompt.approval"
	EventPromptRepaired  = "prompt.repaired"
	EventPromptWarning   = "prompt.warning"
	EventPromptProgress  = "prompt.progress"
	EventPromptCompleted = "prompt.completed"
	EventError           = "error" // the data of this event is a PromptError
)

// PromptEvents maps each event of a prompt's stream to the type of the event's data.
var PromptEvents = map[string]reflect.Type{
	EventPromptCreated:   reflect.TypeFor[PromptCreated](),
	EventPromptDelta:     reflect.TypeFor[PromptDelta](),
	EventPromptOutput:    reflect.TypeFor[PromptOutput](),
	EventPromptApproval:  reflect.TypeFor[PromptApproval](),
	EventPromptRepaired:  reflect.TypeFor[PromptRepaired](),
	EventPromptWarning:   reflect.TypeFor[PromptWarning](),
	EventPromptProgress:  reflect.TypeFor[PromptProgress](),
	EventPromptCompleted: reflect.TypeFor[PromptCompleted](),
	EventError:           reflect.TypeFor[PromptError](),
}

// The values of PromptStart.Model.
const (
	PromptModelNormal = "normal"
	PromptModelHigh   = "high"
)

// PromptStart is the body of PromptPath.
type PromptStart struct {
	Input          string `json:"input" minLength:"1" maxLength:"262144" doc:"The user's text."`
	Model          string `json:"model,omitempty" enum:"normal,high" default:"normal" doc:"The model that answers: one of the operator's two models."`
	ConversationID string `json:"conversationId,omitempty" maxLength:"128" doc:"Id of the conversation to continue, from conversation.create. Without it, the prompt belongs to no conversation."`
	Deltas         bool   `json:"deltas,omitempty" doc:"If true, the stream also has the answer's text in pieces, as prompt.delta."`

	Images []ImageSource `json:"images,omitempty" maxItems:"4" doc:"Images for the prompt, such as a screenshot. The gateway stores each image as an artifact, unless the image already is an artifact. The model gets each artifact_id and can pass it to tools."`
}

// PromptCreated is the first event of a stream.
type PromptCreated struct {
	PromptID       string `json:"promptId" doc:"Id of the prompt. Use it in the paths below /api/prompts."`
	ConversationID string `json:"conversationId,omitempty"`
}

// PromptDelta is a piece of the model's text. The whole text follows later, in a PromptOutput.
type PromptDelta struct {
	PromptID string `json:"promptId"`
	Text     string `json:"text"`
	Restart  bool   `json:"restart,omitempty" doc:"If true, discard the text since the last prompt.output: the gateway asks the model again."`
}

// PromptRepaired reports that the model failed on the conversation. The gateway asks the model
// again with a shortened conversation. This does not run any tool again.
type PromptRepaired struct {
	PromptID string `json:"promptId"`
	Reason   string `json:"reason" enum:"context_full,refused,broken_off,empty,malformed_calls,repeated_calls"`
	Message  string `json:"message" doc:"Text for people that says why the gateway asks the model again."`
}

// The types of PromptOutput.
const (
	PromptText = "text"
	PromptTool = "tool"
	PromptFile = "file"
)

// PromptOutput is one output of a prompt. Every output is complete, except that a long text may be
// shortened. The type of the output says which other fields are set.
type PromptOutput struct {
	Type     string            `json:"type" enum:"text,tool,file"`
	Content  string            `json:"content,omitempty" doc:"Text of the model. Only if the type is text."`
	Cut      bool              `json:"cut,omitempty" doc:"Whether the text is incomplete: the prompt is still running, or it ended early. Only if the type is text."`
	ID       string            `json:"id,omitempty" doc:"Id of the tool call, or artifact_id of the file."`
	Function string            `json:"function,omitempty" doc:"Id of the tool. Only if the type is tool." example:"ocr.find_text"`
	Input    json.RawMessage   `json:"input,omitempty" doc:"Arguments of the call. Only if the type is tool."`
	Result   *PromptCallResult `json:"result,omitempty" doc:"Result of the call. Only if the type is tool."`
	URL      string            `json:"url,omitempty" doc:"Path of the file on the gateway. Only if the type is file."`
	Start    time.Time         `json:"start"`
	End      time.Time         `json:"end"`
}

// The types of PromptCallResult.
const (
	PromptToolSuccess = "success"
	PromptToolFailure = "error"
	PromptToolDenied  = "denied"
)

// PromptCallResult is the result of a tool call.
type PromptCallResult struct {
	Type   string `json:"type" enum:"success,error,denied" doc:"Type of the result. The value denied means that the call did not run, because the user denied it or did not answer in time."`
	Output any    `json:"output,omitempty" doc:"Output of a successful call: a JSON value, or text."`
	Error  string `json:"error,omitempty" doc:"Why the call failed or was denied."`
}

// PromptApproval asks whether a tool may be called. The stream continues after an answer, or when
// the request expires.
type PromptApproval struct {
	PromptID   string          `json:"promptId"`
	ToolCallID string          `json:"toolCallId"`
	ToolName   string          `json:"toolName"`
	Input      json.RawMessage `json:"input"`
	Reason     string          `json:"reason"`
	DecisionID string          `json:"decisionId" doc:"Id of the decision. Use it to answer through another protocol."`
	ExpiresAt  time.Time       `json:"expiresAt" doc:"When the approval expires. If nobody has answered by then, the gateway rejects the call."`
	Answered   bool            `json:"answered,omitempty" doc:"If true, the approval no longer needs an answer: it was answered, it expired, or the prompt ended."`
}

// PromptWarning reports a problem that somebody should look at. The prompt continues.
type PromptWarning struct {
	PromptID   string `json:"promptId"`
	ToolCallID string `json:"toolCallId,omitempty" doc:"The tool call that caused the warning, if any."`
	Message    string `json:"message"`
}

// PromptProgress is the progress of a running call.
type PromptProgress struct {
	PromptID   string `json:"promptId"`
	ToolCallID string `json:"toolCallId"`
	Message    string `json:"message" doc:"Progress as one line for people. Empty if the event has only output."`
	Output     string `json:"output,omitempty" doc:"The next part of the tool's output."`
}

// PromptUsage is the number of tokens that a prompt used.
type PromptUsage struct {
	InputTokens     int `json:"inputTokens"`
	OutputTokens    int `json:"outputTokens" doc:"Tokens of the output, including reasoningTokens."`
	TotalTokens     int `json:"totalTokens"`
	CachedTokens    int `json:"cachedTokens,omitempty" doc:"Part of inputTokens that the provider cached."`
	ReasoningTokens int `json:"reasoningTokens,omitempty" doc:"Tokens of the reasoning, a part of outputTokens."`
}

// PromptCompleted is the last event of a prompt that was completed.
type PromptCompleted struct {
	PromptID string      `json:"promptId"`
	Usage    PromptUsage `json:"usage"`
}

// PromptError is the last event of a prompt that ended without an answer.
type PromptError struct {
	PromptID string       `json:"promptId,omitempty"`
	Message  string       `json:"message" doc:"Cause of the failure and its fix, for people."`
	Code     Code         `json:"code,omitempty"`
	Reason   string       `json:"reason,omitempty" enum:"canceled,failed,refused,length,rounds,tokens,time,repeated,revoked,silent,budget"`
	Usage    *PromptUsage `json:"usage,omitempty"`
	ResetsAt *time.Time   `json:"resets_at,omitempty" doc:"When the next daily budget starts. Only with BUDGET_EXCEEDED."`
}

// States of a Prompt.
const (
	PromptRunning   = "running"
	PromptWaiting   = "waiting_for_approval"
	PromptCompletes = "completed"
	PromptFailed    = "failed"
	PromptCanceling = "canceling" // only in the response to a cancel request, while the prompt still runs
	PromptCanceled  = "canceled"
)

// Prompt is the state of a prompt.
type Prompt struct {
	ID             string           `json:"id"`
	ConversationID string           `json:"conversationId,omitempty"`
	Status         string           `json:"status" enum:"running,waiting_for_approval,completed,failed,canceling,canceled"`
	Input          string           `json:"input"`
	Images         []ImageSource    `json:"images,omitempty"`
	Output         []PromptOutput   `json:"output"`
	Approvals      []PromptApproval `json:"approvals,omitempty" doc:"Open approvals."`
	Error          *PromptError     `json:"error,omitempty"`
	Usage          *PromptUsage     `json:"usage,omitempty" doc:"Usage of the prompt. Absent until the prompt has ended."`
	CreatedAt      time.Time        `json:"createdAt"`
	EndedAt        *time.Time       `json:"endedAt,omitempty"`
	LastEventID    string           `json:"lastEventId" doc:"Cursor from which you can resume the stream."`
}

// PromptApprove is the body of the approve route.
type PromptApprove struct {
	ToolCallID string          `json:"toolCallId" minLength:"1" maxLength:"256" doc:"Id of the call from prompt.approval."`
	Input      json.RawMessage `json:"input,omitempty" doc:"Arguments that replace the original ones."`
}

// PromptReject is the body of the reject route.
type PromptReject struct {
	ToolCallID string `json:"toolCallId" minLength:"1" maxLength:"256" doc:"Id of the call from prompt.approval."`
	Reason     string `json:"reason,omitempty" maxLength:"2000" doc:"Reason for the denial, shown to the model."`
}

// PromptDecided is the response to an approval or a rejection.
type PromptDecided struct {
	PromptID   string `json:"promptId"`
	ToolCallID string `json:"toolCallId"`
	Approved   bool   `json:"approved"`
}

// The ids and bodies of the conversation tools. They are for clients; a model never sees them.
const (
	ConversationCreate = "conversation.create"
	ConversationList   = "conversation.list"
	ConversationGet    = "conversation.get"
	ConversationDelete = "conversation.delete"
)

// ConversationID is the result of conversation.create.
type ConversationID struct {
	ID string `json:"id" doc:"Id of the conversation. Send it as conversationId."`
}

// ConversationPage is the argument of conversation.list.
type ConversationPage struct {
	Limit  int `json:"limit,omitempty" minimum:"1" maximum:"100" default:"20"`
	Offset int `json:"offset,omitempty" minimum:"0" maximum:"100000" default:"0"`
}

// ConversationSummary is a conversation in a list.
type ConversationSummary struct {
	ID        string    `json:"id"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt" doc:"When the last prompt started or ended."`
}

// ConversationSummaries is the result of conversation.list, most recently updated first.
type ConversationSummaries struct {
	Conversations []ConversationSummary `json:"conversations"`
}

// ConversationGetPage is the argument of conversation.get.
type ConversationGetPage struct {
	ConversationNamed
	Limit  int    `json:"limit,omitempty" minimum:"1" maximum:"100" default:"100" doc:"Maximum number of prompts. The last prompts are returned."`
	Cursor string `json:"cursor,omitempty" maxLength:"128" doc:"Value of nextCursor in the last response, to get earlier prompts."`
}

// ConversationNamed is the argument of conversation.delete.
type ConversationNamed struct {
	ConversationID string `json:"conversationId" minLength:"1" maxLength:"128"`
}

// Conversation is the result of conversation.get.
type Conversation struct {
	ConversationSummary
	Prompts   []Prompt `json:"prompts" doc:"Prompts, oldest first."`
	Truncated bool     `json:"truncated,omitempty" doc:"Whether earlier prompts are missing in this response, because they are on the next page or were deleted."`

	NextCursor string `json:"nextCursor,omitempty" doc:"Cursor to send as \"cursor\" for the page with earlier prompts. Absent on the last page."`
}

// ConversationDeleted is the result of conversation.delete.
type ConversationDeleted struct {
	Deleted bool `json:"deleted" doc:"Whether the conversation existed."`
}
