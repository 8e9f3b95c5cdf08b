package sdkapi

import (
	"encoding/json"
	"time"
)

// Paths of the remote tool host.
const (
	AgentSessionsPath = "/api/agent/sessions"      // POST creates a session; GET lists sessions (extension)
	AgentSessionPath  = "/api/agent/sessions/{id}" // GET and DELETE of one session (extension)
	// A client opens a WebSocket at this path, or sends GET. The response to GET is a stream of
	// server-sent events.
	AgentStreamPath = "/api/agent/sessions/{id}/stream"
	// POST sends a message to a session (extension). It is for clients that read the server-sent
	// events.
	AgentMessagesPath = "/api/agent/sessions/{id}/messages"
)

// Messages from a client of the remote tool host.
const (
	AgentHello       = "hello"
	AgentUserMessage = "user.message"
	AgentToolResult  = "tool.result"
	AgentCancel      = "cancel"
	AgentDecision    = "approval.decision" // extension: the user's answer to an approval.request
)

// Messages to a client of the remote tool host.
const (
	AgentSessionCreated = "session.created"
	AgentDelta          = "assistant.delta"
	AgentDone           = "assistant.done"
	AgentToolCall       = "tool.call"
	AgentError          = "error"
	AgentHeartbeat      = "heartbeat"
)

// Messages to a client that are extensions: it gets them only if its hello accepts them. One more,
// AgentUserMessage, is declared above.
const (
	AgentThought     = "assistant.thought"
	AgentToolStarted = "tool.started"
	AgentToolOutput  = "tool.output"
	AgentApproval    = "approval.request"
	AgentDecided     = "approval.decided"
	AgentWarning     = "warning"
	AgentResync      = "resync"
	AgentProgress    = "tool.progress"
)

// AgentExtensions lists the types of extension messages. A client's hello says which of them the
// client accepts.
func AgentExtensions() []string {
	return []string{AgentUserMessage, AgentThought, AgentToolStarted, AgentToolOutput, AgentApproval, AgentDecided, AgentWarning, AgentResync, AgentProgress}
}

// Bounds of the remote tool host.
const (
	// MaxAgentRoot bounds the workspaceRoot of a hello, in bytes; beyond it: close code 1008.
	MaxAgentRoot = 4096
	// MaxAgentVersion bounds the clientVersion of a hello, in bytes; beyond it: close code 1008.
	MaxAgentVersion = 128
	// MaxAgentClientID bounds a clientId and a messageId, in bytes; beyond it: VALIDATION_ERROR.
	MaxAgentClientID = 128
	// MaxAgentImages bounds the images in one message, or in one tool result, from a tool host; beyond
	// it: VALIDATION_ERROR.
	MaxAgentImages = 4
	// MaxAgentCalls bounds the calls per minute that one session sends to its tool host; beyond it:
	// the gateway does not send the call, and the model gets the reason. After a minute without
	// calls, the session can send this number of calls at once.
	MaxAgentCalls = 120
	// The gateway disconnects a client that sends neither a message nor a pong for this number of
	// hours.
	AgentReceiveHours = 1
)

// AgentSession is the response of AgentSessionsPath.
type AgentSession struct {
	SessionID string `json:"sessionId"`
}

// AgentClientMessage is a message of a client. Its type says which fields apply. AfterSeq and all
// fields below it are extensions.
type AgentClientMessage struct {
	Type      string `json:"type" enum:"hello,user.message,tool.result,cancel,approval.decision"`
	SessionID string `json:"sessionId,omitempty" maxLength:"64" doc:"The session id in the path."`

	ClientVersion string          `json:"clientVersion,omitempty" doc:"In hello: name and version of the client, at most 128 bytes."`
	ToolManifest  json.RawMessage `json:"toolManifest,omitempty" doc:"In hello: the client's tools, as a list, or as an object {\"tools\": [...]}. A tool has a name, a description and a JSON Schema of its arguments. The schema is in the field parameters, inputSchema, input_schema or schema. A tool may have a risk: safe, risky or forbidden."`
	WorkspaceRoot string          `json:"workspaceRoot,omitempty" doc:"In hello: the client's working folder for the tools. It must be an absolute path without the parts \".\" and \"..\"."`
	Content       string          `json:"content,omitempty" maxLength:"262144" doc:"In user.message: the user's text."`
	ToolCallID    string          `json:"toolCallId,omitempty" maxLength:"256" doc:"In tool.result: id of the call."`
	Output        json.RawMessage `json:"output,omitempty" doc:"In tool.result: output of the tool, as text or any JSON."`

	AfterSeq     *int64        `json:"afterSeq,omitempty" minimum:"0" doc:"In hello: seq of the last message that the client received; 0 for all messages."`
	ClientID     string        `json:"clientId,omitempty" maxLength:"128" doc:"In hello: permanent name of the client. After a reconnect, the client gets its open calls again."`
	Accept       []string      `json:"accept,omitempty" maxItems:"20" doc:"In hello: optional message types that the client supports. If the client supports approval.request, the gateway sends this message before risky calls."`
	GatewayTools []string      `json:"gatewayTools,omitempty" maxItems:"200" doc:"In hello: names of the gateway's own tools that the model may also call, or patterns such as ocr_* (default none)."`
	System       string        `json:"operatingSystem,omitempty" doc:"In hello: operating system of the client."`
	MessageID    string        `json:"messageId,omitempty" maxLength:"128" doc:"In user.message: id of the message. If the id was sent before, the message is a repeat."`
	OnBusy       string        `json:"onBusy,omitempty" enum:"reject,queue,interrupt" doc:"In user.message: what the gateway does while the agent works on another message (default reject)."`
	Images       []ImageSource `json:"images,omitempty" maxItems:"4" doc:"In user.message and tool.result: images of the message."`
	IsError      bool          `json:"isError,omitempty" doc:"In tool.result: whether the tool failed. If it failed, output contains the reason."`
	TurnID       string        `json:"turnId,omitempty" maxLength:"64" doc:"In cancel: id of the turn to cancel (default: the current turn)."`

	ApprovalID string          `json:"approvalId,omitempty" maxLength:"256" doc:"In approval.decision: id of the approval.request."`
	Approved   *bool           `json:"approved,omitempty" doc:"In approval.decision: whether the call may run."`
	Reason     string          `json:"reason,omitempty" maxLength:"2000" doc:"In approval.decision: reason for a denial, shown to the model."`
	Arguments  json.RawMessage `json:"arguments,omitempty" doc:"In approval.decision: arguments that replace the model's arguments."`
}

// AgentAccepted is the response of AgentMessagesPath.
type AgentAccepted struct {
	Accepted     bool              `json:"accepted"`
	SessionID    string            `json:"sessionId"`
	Seq          int64             `json:"seq" doc:"Number of the session's last event."`
	ToolManifest *WSManifestResult `json:"toolManifest,omitempty" doc:"After hello: the accepted tools, and the rejected tools with the reasons."`
}

// AgentHead holds the first fields of each message to a client. All fields except type and
// sessionId are extensions.
type AgentHead struct {
	Type      string `json:"type"`
	SessionID string `json:"sessionId"`
	Seq       int64  `json:"seq,omitempty"` // to resume after this message, send it as afterSeq
	TurnID    string `json:"turnId,omitempty"`
}

// Head returns h. Each message embeds an AgentHead.
func (h *AgentHead) Head() *AgentHead { return h }

// AgentMessage is a message to a client: a pointer to one of the types below.
type AgentMessage interface{ Head() *AgentHead }

// AgentCreatedMessage answers a hello.
type AgentCreatedMessage struct {
	AgentHead
	Running bool `json:"running,omitempty"` // a turn is running
	// which tools were accepted; nil without a manifest
	ToolManifest *WSManifestResult `json:"toolManifest,omitempty"`
}

// AgentDeltaMessage is a piece of the assistant's text, or of a thought.
type AgentDeltaMessage struct {
	AgentHead
	Content string `json:"content"`
	Restart bool   `json:"restart,omitempty"` // discard the earlier pieces of this answer
}

// AgentDoneMessage ends the turn of a user's message, whatever its outcome.
type AgentDoneMessage struct {
	AgentHead
	Metadata AgentDoneMetadata `json:"metadata"`
}

// AgentDoneMetadata describes the outcome of a turn.
type AgentDoneMetadata struct {
	Reason  string      `json:"reason"`           // done, canceled, failed or another reason of /ws
	Answer  string      `json:"answer,omitempty"` // the last text, if Reason is done
	Message string      `json:"message,omitempty"`
	Code    Code        `json:"code,omitempty"`
	Usage   PromptUsage `json:"usage"`
}

// AgentToolCallMessage asks the client to run a tool.
type AgentToolCallMessage struct {
	AgentHead
	ToolCallID string          `json:"toolCallId"`
	Name       string          `json:"name"`
	Arguments  json.RawMessage `json:"arguments"`
	Risk       string          `json:"risk,omitempty"`
	Reason     string          `json:"reason,omitempty"` // why the client should ask its user; empty: no need
	ExpiresAt  *time.Time      `json:"expiresAt,omitempty"`
}

// AgentErrorMessage reports why the gateway refused a message, or why a turn has no answer.
type AgentErrorMessage struct {
	AgentHead
	Message    string        `json:"message"`
	Code       Code          `json:"code,omitempty"`
	Reason     string        `json:"reason,omitempty"`    // why the turn ended
	InReplyTo  string        `json:"inReplyTo,omitempty"` // type of the refused message
	ToolCallID string        `json:"toolCallId,omitempty"`
	MessageID  string        `json:"messageId,omitempty"`
	ApprovalID string        `json:"approvalId,omitempty"`
	Details    *ErrorDetails `json:"details,omitempty"`
}

// AgentHeartbeatMessage shows that the connection is alive.
type AgentHeartbeatMessage struct{ AgentHead }

// AgentUserMessageMessage is a message of the user, possibly from another client.
type AgentUserMessageMessage struct {
	AgentHead
	Content   string `json:"content"`
	MessageID string `json:"messageId,omitempty"`
	Images    int    `json:"images,omitempty"`
}

// AgentToolStartedMessage reports that a tool of the gateway or of a client has started.
type AgentToolStartedMessage struct {
	AgentHead
	ToolCallID string          `json:"toolCallId"`
	Name       string          `json:"name"`
	Arguments  json.RawMessage `json:"arguments"`
}

// AgentToolOutputMessage is the outcome of a call of any tool.
type AgentToolOutputMessage struct {
	AgentHead
	ToolCallID string   `json:"toolCallId"`
	Name       string   `json:"name"`
	Output     string   `json:"output"`
	IsError    bool     `json:"isError,omitempty"`
	Outcome    string   `json:"outcome"` // done, refused, denied, canceled or unknown
	Seconds    float64  `json:"seconds,omitempty"`
	Artifacts  []string `json:"artifacts,omitempty"` // ids of images
}

// AgentApprovalMessage asks the user whether a call may be made.
type AgentApprovalMessage struct {
	AgentHead
	ApprovalID string          `json:"approvalId"`
	ToolCallID string          `json:"toolCallId"`
	Name       string          `json:"name"`
	Arguments  json.RawMessage `json:"arguments"`
	Reason     string          `json:"reason"`
	ExpiresAt  time.Time       `json:"expiresAt"`
}

// AgentDecidedMessage reports that an approval request has its answer, or no longer needs one.
type AgentDecidedMessage struct {
	AgentHead
	ToolCallID string `json:"toolCallId"`
	Approved   bool   `json:"approved"`
	Reason     string `json:"reason,omitempty"`
}

// AgentWarningMessage is a warning for people.
type AgentWarningMessage struct {
	AgentHead
	Message    string `json:"message"`
	ToolCallID string `json:"toolCallId,omitempty"`
}

// AgentProgressMessage reports the progress of a tool call that runs in the gateway.
type AgentProgressMessage struct {
	AgentHead
	ToolCallID string `json:"toolCallId"`
	Message    string `json:"message"`          // progress, as a line for people; empty if only Output is new
	Output     string `json:"output,omitempty"` // the next piece of the tool's output
}

// AgentResyncMessage reports that the gateway no longer stores the earlier messages.
type AgentResyncMessage struct{ AgentHead }

// ParseAgentMessage decodes a message to a client. It returns nil for an unknown type.
func ParseAgentMessage(raw []byte) (AgentMessage, error) {
	var h AgentHead
	if err := json.Unmarshal(raw, &h); err != nil {
		return nil, err
	}
	m := newAgentMessage(h.Type)
	if m == nil {
		return nil, nil
	}
	return m, json.Unmarshal(raw, m)
}

// newAgentMessage returns an empty message of a type, or nil for an unknown type.
func newAgentMessage(kind string) AgentMessage {
	switch kind {
	case AgentSessionCreated:
		return new(AgentCreatedMessage)
	case AgentDelta, AgentThought:
		return new(AgentDeltaMessage)
	case AgentDone:
		return new(AgentDoneMessage)
	case AgentToolCall:
		return new(AgentToolCallMessage)
	case AgentError:
		return new(AgentErrorMessage)
	case AgentHeartbeat:
		return new(AgentHeartbeatMessage)
	case AgentUserMessage:
		return new(AgentUserMessageMessage)
	case AgentToolStarted:
		return new(AgentToolStartedMessage)
	case AgentToolOutput:
		return new(AgentToolOutputMessage)
	case AgentApproval:
		return new(AgentApprovalMessage)
	case AgentDecided:
		return new(AgentDecidedMessage)
	case AgentWarning:
		return new(AgentWarningMessage)
	case AgentResync:
		return new(AgentResyncMessage)
	case AgentProgress:
		return new(AgentProgressMessage)
	}
	return nil
}

// AgentSessionInfo describes a session in a list.
type AgentSessionInfo struct {
	SessionID     string    `json:"sessionId"`
	UsedAt        time.Time `json:"usedAt"`
	WorkspaceRoot string    `json:"workspaceRoot,omitempty"`
	Title         string    `json:"title,omitempty" doc:"Start of the user's first message."`
	Running       bool      `json:"running,omitempty" doc:"Whether the agent is working on a message."`
	Seq           int64     `json:"seq" doc:"Number of the session's last event."`
}

// AgentSessionList is a page of a user's sessions.
type AgentSessionList struct {
	Sessions []AgentSessionInfo `json:"sessions"`
	Next     string             `json:"next,omitempty" doc:"Cursor to send as \"after\" for the next page. Empty on the last page."`
}
