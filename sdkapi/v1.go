package sdkapi

import (
	"encoding/json"
	"reflect"
	"time"
)

// Paths of the general agent service.
const (
	V1SessionsPath   = "/v1/sessions"     // POST
	V1ChatPath       = "/v1/chat"         // POST; the response is a stream of server-sent events, or JSON
	V1StreamPath     = "/v1/stream"       // GET; the response is a stream of server-sent events
	V1ToolResultPath = "/v1/tools/result" // POST
	V1CancelPath     = "/v1/cancel"       // POST

	V1MemoryWritePath  = "/v1/memory/write"  // POST
	V1MemorySearchPath = "/v1/memory/search" // GET
	V1MemoryGetPath    = "/v1/memory/get"    // GET
)

// The events of the general agent service.
const (
	EventAssistantDelta = "assistant.delta"
	EventAssistantFinal = "assistant.final"
	EventToolRequest    = "tool.request"
	EventToolResult     = "tool.result"
	EventToolResultAck  = "tool.result.ack"
	EventResync         = "resync"
	EventWarning        = "warning"       // extension
	EventToolProgress   = "tool.progress" // extension
)

// V1Events has the type of the data of each event of the general agent service.
var V1Events = map[string]reflect.Type{
	EventAssistantDelta: reflect.TypeFor[V1Text](),
	EventAssistantFinal: reflect.TypeFor[V1Text](),
	EventToolRequest:    reflect.TypeFor[V1ToolCall](),
	EventToolResult:     reflect.TypeFor[V1ToolResult](),
	EventToolResultAck:  reflect.TypeFor[V1ToolAck](),
	EventToolProgress:   reflect.TypeFor[V1Progress](),
	EventResync:         reflect.TypeFor[WSNothing](),
	EventWarning:        reflect.TypeFor[V1Warning](),
	EventError:          reflect.TypeFor[V1Error](),
}

// V1SessionRequest is the body of V1SessionsPath.
type V1SessionRequest struct {
	JarvisSessionID    string            `json:"jarvis_session_id,omitempty" nullable:"true" maxLength:"256" doc:"What the client calls the conversation. It is not kept."`
	PreferredSessionID string            `json:"preferred_session_id,omitempty" nullable:"true" maxLength:"256" doc:"A session to go on with, if it is there."`
	Tools              *WSClientManifest `json:"tools,omitempty" doc:"The tools that the client runs, as the client_manifest of a WebSocket's handshake; without it, those of a desktop."`
}

// V1Session is the response of V1SessionsPath.
type V1Session struct {
	GeneralSessionID string            `json:"general_session_id"`
	Resumed          bool              `json:"resumed,omitempty" doc:"It was there already."`
	Tools            *WSManifestResult `json:"tools,omitempty" doc:"Which of the client's tools were taken."`
}

// V1Part is a piece of a message.
type V1Part struct {
	Type string `json:"type" enum:"text,image"`
	Text string `json:"text,omitempty" maxLength:"262144" doc:"Of a text."`

	ArtifactID  string `json:"artifact_id,omitempty" maxLength:"256" doc:"Of an image: what its upload answered."`
	ImageBase64 string `json:"image_base64,omitempty" doc:"Of an image, in place of artifact_id: the file itself, as base64 or a data URI. The gateway keeps it as an artifact."`
}

// V1Message is a message of the user.
type V1Message struct {
	ID    string   `json:"id,omitempty" nullable:"true" maxLength:"128" doc:"A name of the client's for the message, which no other message of the session has: one of the same name is the same message, and gets its answer."`
	Parts []V1Part `json:"parts" minItems:"1" maxItems:"20"`
}

// V1Chat is the body of V1ChatPath.
type V1Chat struct {
	GeneralSessionID string    `json:"general_session_id" minLength:"1" maxLength:"256"`
	Mode             string    `json:"mode,omitempty" enum:"general" default:"general"`
	Message          V1Message `json:"message"`
	Stream           bool      `json:"stream,omitempty" doc:"Answer with events while it happens; without it, with the last words once all is done."`
}

// V1Answer is the response of V1ChatPath without a stream.
type V1Answer struct {
	Assistant V1Message `json:"assistant"`
}

// V1Text is the data of EventAssistantDelta and EventAssistantFinal.
type V1Text struct {
	Text    string `json:"text"`
	Restart bool   `json:"restart,omitempty" doc:"Of a delta: what came before it is void, as the model is asked again."`
	Repair  string `json:"repair,omitempty" doc:"Beside restart: the model is asked again with a shortened conversation, and why, as context_full."`
}

// V1ToolCall asks the client to run a tool.
type V1ToolCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Risk      string          `json:"risk" enum:"safe,risky"`
	Reason    string          `json:"reason"`
	Approval  bool            `json:"approval,omitempty" doc:"The gateway itself runs it: ok means that it may."`
	Answered  bool            `json:"answered,omitempty" doc:"Nothing waits for it any longer: it was answered, its time is up, or its turn has ended. It is told again for who missed it, and is not to be run."`
}

// V1ToolResult is the result of a tool.
type V1ToolResult struct {
	ID     string  `json:"id" minLength:"1" maxLength:"256"`
	Name   string  `json:"name,omitempty" maxLength:"64"`
	OK     bool    `json:"ok"`
	Result string  `json:"result,omitempty" nullable:"true" maxLength:"10485760" doc:"However long it is: the agent is shown the beginning and the end of what is longer than the deployment has it."`
	Error  *string `json:"error,omitempty" maxLength:"10485760" doc:"Likewise."`

	ScreenshotRef string `json:"screenshot_ref,omitempty" nullable:"true" maxLength:"256" doc:"The artifact that shows the screen behind the tool, as its upload answered. What the model says next is found on the latest one."`
	Screenshot    string `json:"screenshot,omitempty" nullable:"true" doc:"In place of screenshot_ref: the image itself, as base64 or a data URI. The gateway keeps it as an artifact."`
}

// V1ToolAck reports that a result has arrived.
type V1ToolAck struct {
	ID string `json:"id"`
}

// V1Warning is the data of EventWarning: a problem that somebody should look at. The turn
// continues.
type V1Warning struct {
	Message    string `json:"message"`
	ToolCallID string `json:"tool_call_id,omitempty" doc:"The call that it came up in, if any."`
}

// V1Progress is the data of EventToolProgress: the progress of a running call of the gateway.
type V1Progress struct {
	ToolCallID string `json:"tool_call_id"`
	Message    string `json:"message" doc:"How far it is, in a line for people. Empty if only output is new."`
	Output     string `json:"output,omitempty" doc:"The next piece of what the tool puts out."`
}

// V1ToolResultRequest is the body of V1ToolResultPath.
type V1ToolResultRequest struct {
	GeneralSessionID string       `json:"general_session_id" minLength:"1" maxLength:"256"`
	ToolResult       V1ToolResult `json:"tool_result"`
}

// V1Accepted is the response of V1ToolResultPath.
type V1Accepted struct {
	Accepted bool `json:"accepted"`
}

// V1CancelRequest is the body of V1CancelPath.
type V1CancelRequest struct {
	GeneralSessionID string `json:"general_session_id" minLength:"1" maxLength:"256"`
}

// V1Canceled is the response of V1CancelPath.
type V1Canceled struct {
	Accepted bool `json:"accepted"`
	Canceled bool `json:"canceled" doc:"The last message's turn is canceled. Without: it had an end of its own before, or nothing was said yet."`
}

// V1Error is the data of EventError.
type V1Error struct {
	Code    Code   `json:"code,omitempty"`
	Message string `json:"message"`
	Reason  string `json:"reason,omitempty"`

	ResetsAt *time.Time `json:"resets_at,omitempty"` // start of the next budget, for BUDGET_EXCEEDED
}
