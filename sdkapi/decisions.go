package sdkapi

import (
	"encoding/json"
	"time"
)

// DecisionsPath is the path of decisions. GET lists the calls that wait for the caller's approval.
// If a decision's id follows the path, GET returns that decision, and POST answers it.
const DecisionsPath = "/api/decisions"

// KeyHeader names the header that proves to a local gateway that a program acts for a person. Its
// value is the content of the file approval.key in the gateway's data folder.
const KeyHeader = "X-Windie-Key"

// DecisionList is the response of DecisionsPath.
type DecisionList struct {
	Decisions []Decision `json:"decisions" doc:"Decisions with the requested status. Pending decisions are listed oldest first, all others newest first."`
	Next      string     `json:"next,omitempty" doc:"Cursor to send as \"after\" for the next page. Absent on the last page. The next page may be shorter than this page."`
}

// Decision is a tool call that needs or needed approval.
type Decision struct {
	ID         string          `json:"id" doc:"Id to send with the answer." example:"approval_1f6b2c"`
	Tool       string          `json:"tool" doc:"The tool's id." example:"shell.run"`
	Arguments  json.RawMessage `json:"arguments" doc:"The exact arguments of the call."`
	Via        string          `json:"via,omitempty" enum:"mcp,prompt,ws,general,host" doc:"The protocol of the call."`
	PromptID   string          `json:"prompt_id,omitempty" doc:"The prompt of the call."`
	SessionID  string          `json:"session_id,omitempty" doc:"The session of the general agent service, or the conversation at /ws."`
	ToolCallID string          `json:"tool_call_id,omitempty" doc:"Id of the call in the prompt or session."`
	Why        string          `json:"why" doc:"Why the call needs approval."`
	State      string          `json:"state" enum:"pending,approved,denied,expired" doc:"Status of the decision. Only a pending decision can be answered."`
	Reason     string          `json:"reason,omitempty" doc:"Reason given with the answer."`
	Allowed    json.RawMessage `json:"allowed_arguments,omitempty" doc:"The changed arguments, if the user changed the arguments when approving the call."`
	CreatedAt  time.Time       `json:"created_at"`
	ExpiresAt  time.Time       `json:"expires_at" doc:"When the decision expires. The call then counts as denied."`
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
	Approved bool   `json:"approved" doc:"Whether the call may run. It may run once within ten minutes, with exactly the arguments of the decision."`
	Reason   string `json:"reason,omitempty" maxLength:"4096" doc:"Reason for the denial, shown to the caller."`
}
