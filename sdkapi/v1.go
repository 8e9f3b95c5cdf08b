package sdkapi

import (
	"encoding/json"
	"reflect"
	"time"
)

// Paths of the general agent service.
const (
	V1SessionsPath = "/v1/sessions" // POST creates or continues a session; GET lists the sessions
	// POST sends a message; the response is a stream of server-sent events, or JSON
	V1ChatPath = "/v1/chat"
	// GET follows a session; the response is a stream of server-sent events
	V1StreamPath     = "/v1/stream"
	V1ToolResultPath = "/v1/tools/result" // POST sends the result of a tool
	V1CancelPath     = "/v1/cancel"       // POST cancels the turn of the last message

	V1MemoryWritePath  = "/v1/memory/write"  // POST writes to the memory
	V1MemorySearchPath = "/v1/memory/search" // GET searches the memory
	V1MemoryGetPath    = "/v1/memory/get"    // GET returns lines of a memory file
)

// The events of the general agent service.
const (
	EventAssistantDelta = "assistant.delta"
	EventAssistantFinal = "assistant.final"
	EventToolRequest    = "tool.request"
	EventToolResult     = "tool.result"
	EventToolResultAck  = "tool.result.ack"
	EventResync         = "resync"
	EventWarning        = "warning"       // extension: a problem that somebody should look at
	EventToolProgress   = "tool.progress" // extension: the progress of a running call
)

// V1Events maps each event of the general agent service to the type of the event's data.
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
	JarvisSessionID    string            `json:"jarvis_session_id,omitempty" nullable:"true" maxLength:"256" doc:"The client's name for the conversation. It is not stored."`
	PreferredSessionID string            `json:"preferred_session_id,omitempty" nullable:"true" maxLength:"256" doc:"Session to continue, if it exists."`
	Tools              *WSClientManifest `json:"tools,omitempty" doc:"The client's tools, in the same format as client_manifest in the handshake at /ws. Without this field, a new session has the desktop tools."`
}

// V1Session is the response of V1SessionsPath.
type V1Session struct {
	GeneralSessionID string            `json:"general_session_id"`
	Resumed          bool              `json:"resumed,omitempty" doc:"Whether the session already existed."`
	Tools            *WSManifestResult `json:"tools,omitempty" doc:"The accepted tools of the client."`
}

// V1Part is a piece of a message.
type V1Part struct {
	Type string `json:"type" enum:"text,image"`
	Text string `json:"text,omitempty" maxLength:"262144" doc:"The text. Only for a text part."`

	ArtifactID  string `json:"artifact_id,omitempty" maxLength:"256" doc:"artifact_id of an uploaded image. Only for an image part."`
	ImageBase64 string `json:"image_base64,omitempty" doc:"The image as base64 or a data URI, instead of artifact_id. The gateway stores it as an artifact."`
}

// V1Message is a message of the user.
type V1Message struct {
	ID    string   `json:"id,omitempty" nullable:"true" maxLength:"128" doc:"The client's id of the message, unique in the session. A repeat with the same id gets the same answer."`
	Parts []V1Part `json:"parts" minItems:"1" maxItems:"20"`
}

// V1Chat is the body of V1ChatPath.
type V1Chat struct {
	GeneralSessionID string    `json:"general_session_id" minLength:"1" maxLength:"256"`
	Mode             string    `json:"mode,omitempty" enum:"general" default:"general"`
	Message          V1Message `json:"message"`
	Stream           bool      `json:"stream,omitempty" doc:"If true, the answer is streamed as events. Otherwise, the response is the final answer."`
}

// V1Answer is the response of V1ChatPath if the client does not ask for a stream.
type V1Answer struct {
	Assistant V1Message `json:"assistant"`
}

// V1Text is the data of EventAssistantDelta and EventAssistantFinal.
type V1Text struct {
	Text    string `json:"text"`
	Restart bool   `json:"restart,omitempty" doc:"In a delta: discard the earlier text, because the gateway asks the model again."`
	Repair  string `json:"repair,omitempty" doc:"With restart: why the gateway shortened the conversation, for example context_full."`
}

// V1ToolCall asks the client to run a tool.
type V1ToolCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Risk      string          `json:"risk" enum:"safe,risky"`
	Reason    string          `json:"reason"`
	Approval  bool            `json:"approval,omitempty" doc:"If true, the gateway itself runs the tool and only needs approval. To approve the call, send a result in which ok is true."`
	Answered  bool            `json:"answered,omitempty" doc:"If true, the call no longer needs an answer: it was answered, it expired, or its turn ended. Do not run the call."`
}

// V1ToolResult is the result of a tool.
type V1ToolResult struct {
	ID     string  `json:"id" minLength:"1" maxLength:"256"`
	Name   string  `json:"name,omitempty" maxLength:"64"`
	OK     bool    `json:"ok"`
	Result string  `json:"result,omitempty" nullable:"true" maxLength:"10485760" doc:"Result of the tool. The client need not shorten it: if it is longer than the gateway's limit, the agent sees only its start and end."`
	Error  *string `json:"error,omitempty" maxLength:"10485760" doc:"Error of the tool. The gateway shortens a long error in the same way as a long result."`

	ScreenshotRef string `json:"screenshot_ref,omitempty" nullable:"true" maxLength:"256" doc:"Artifact with a screenshot that shows the screen after the call. The gateway locates the model's next targets on the latest screenshot."`
	Screenshot    string `json:"screenshot,omitempty" nullable:"true" doc:"The screenshot as base64 or a data URI, instead of screenshot_ref. The gateway stores it as an artifact."`
}

// V1ToolAck confirms that the gateway has received a tool's result.
type V1ToolAck struct {
	ID string `json:"id"`
}

// V1Warning is the data of EventWarning: a problem that somebody should look at. The turn
// continues.
type V1Warning struct {
	Message    string `json:"message"`
	ToolCallID string `json:"tool_call_id,omitempty" doc:"The tool call that caused the warning, if any."`
}

// V1Progress is the data of EventToolProgress: the progress of a tool call that runs in the gateway.
type V1Progress struct {
	ToolCallID string `json:"tool_call_id"`
	Message    string `json:"message" doc:"Progress as one line for people. Empty if the event has only output."`
	Output     string `json:"output,omitempty" doc:"The next part of the tool's output."`
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
	Canceled bool `json:"canceled" doc:"Whether the turn of the last message was canceled. Absent if the turn had already ended, or if there was no message."`
}

// V1Error is the data of EventError.
type V1Error struct {
	Code    Code   `json:"code,omitempty"`
	Message string `json:"message"`
	Reason  string `json:"reason,omitempty"`

	ResetsAt *time.Time `json:"resets_at,omitempty"` // start of the next budget, for BUDGET_EXCEEDED
}
