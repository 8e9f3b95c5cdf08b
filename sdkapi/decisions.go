package sdkapi

import (
	"encoding/json"
	"time"
)

// DecisionsPath lists by GET the calls that wait for the caller's approval. Followed by an id, GET
// returns one decision and POST answers it.
const DecisionsPath = "/api/decisions"

// KeyHeader names the header that proves to a local gateway that a program acts for a person. Its
// value is the content of the file approval.key in the gateway's data folder.
const KeyHeader = "X-Windie-Key"

// DecisionList is the response of DecisionsPath.
type DecisionList struct {
	Decisions []Decision `json:"decisions" doc:"What waits for an answer, oldest first; of what does not, the newest first."`
	Next      string     `json:"next,omitempty" doc:"What to send as after for the next page, which may be shorter than others; without it there is none."`
}

// Decision is a tool call that needs or needed approval.
type Decision struct {
	ID         string          `json:"id" doc:"The name to answer it by." example:"approval_1f6b2c"`
	Tool       string          `json:"tool" doc:"The tool's id." example:"shell.run"`
	Arguments  json.RawMessage `json:"arguments" doc:"What it is to be called with, exactly."`
	Via        string          `json:"via,omitempty" enum:"mcp,prompt,ws,general,host" doc:"The protocol that the call came by."`
	PromptID   string          `json:"prompt_id,omitempty" doc:"The prompt that it belongs to."`
	SessionID  string          `json:"session_id,omitempty" doc:"The session of the general agent service, or the conversation of a WebSocket, that it belongs to."`
	ToolCallID string          `json:"tool_call_id,omitempty" doc:"The call, as the prompt or the session names it."`
	Why        string          `json:"why" doc:"Why it was asked about."`
	State      string          `json:"state" enum:"pending,approved,denied,expired" doc:"How far it is. Only a pending one can be answered."`
	Reason     string          `json:"reason,omitempty" doc:"What who answered said."`
	Allowed    json.RawMessage `json:"allowed_arguments,omitempty" doc:"What it was allowed with instead of its arguments, where who answered changed them."`
	CreatedAt  time.Time       `json:"created_at"`
	ExpiresAt  time.Time       `json:"expires_at" doc:"From when on it counts as denied."`
}

// The values of Decision.State.
const (
	DecisionPending  = "pending"
	DecisionApproved = "approved"
	DecisionDenied   = "denied"
	DecisionExpires  = "expired"
)

// DecisionAnswer approves or denies a call.
type DecisionAnswer struct {
	Approved bool   `json:"approved" doc:"Whether the call may be made: once, as it stands there, within ten minutes."`
	Reason   string `json:"reason,omitempty" maxLength:"4096" doc:"Why not, for the one who wants to make it."`
}
