package sdkapi

import (
	"encoding/json"
	"reflect"
	"time"
)

// WSPath is the agent's WebSocket (RFC 6455).
const WSPath = "/ws"

// Bounds of the agent's WebSocket.
const (
	// MaxWSMessage bounds a message at /ws, a message of a tool host, and a request body at /v1, in
	// bytes; beyond it: close code 1009, or 413 PAYLOAD_TOO_LARGE.
	MaxWSMessage = 10 << 20
	// MaxWSTasks bounds the answers that a connection to /ws waits for, and the conversations that
	// it follows; beyond it: a new query fails with OVERLOADED, and a new conversation replaces the
	// least recently used one.
	MaxWSTasks = 50
	// The gateway closes a connection if the client sends nothing for this number of seconds.
	WSReceiveTimeoutSecs = 3600
	// MaxConversationRef bounds a conversation_ref, in bytes; beyond it: VALIDATION_ERROR.
	MaxConversationRef = 128
)

// WSCloseRevoked is the close code of a connection whose token is revoked or whose user is deleted.
// If the client connects again, the gateway refuses the connection with AUTH_REQUIRED.
const WSCloseRevoked = 4401

// What a client of the agent's WebSocket sends.
const (
	WSQuery            = "query"
	WSRehydrate        = "rehydrate-conversation"
	WSLoadSettings     = "load-settings"
	WSUpdateSettings   = "update-settings"
	WSListModels       = "list-models"
	WSToolResult       = "tool-result"
	WSToolBundleResult = "tool-bundle-result"
	WSWakeword         = "wakeword-detected"
	WSResume           = "resume"            // extension: asks for the messages after a seq
	WSCancel           = "cancel"            // extension: ends the open turn
	WSApprovalDecision = "approval-decision" // extension: answers an approval-request
)

// What the gateway sends to a client of the agent's WebSocket.
const (
	WSStreamingResponse    = "streaming-response"
	WSThought              = "llm-thought"
	WSAudioChunk           = "audio-chunk"
	WSToolCall             = "tool-call"
	WSToolBundle           = "tool-bundle"
	WSToolOutput           = "tool-output"
	WSSystemPrompt         = "system-prompt"
	WSUserMessageFull      = "user-message-full"
	WSAssistantMessageFull = "assistant-message-full"
	WSToolSchemas          = "tool-schemas"
	WSTokenCount           = "token-count"
	WSStreamingComplete    = "streaming-complete"
	WSSettingsLoaded       = "settings-loaded"
	WSSettingsUpdated      = "settings-updated"
	WSModelsListed         = "models-listed"
	WSWakewordActivated    = "wakeword-activated"
	WSWakewordGreeting     = "wakeword-greeting"
	WSClientToolManifest   = "client-tool-manifest"
	WSApprovalRequest      = "approval-request" // extension: asks whether a tool may be called
	WSResync               = "resync"           // extension: the gateway no longer stores the missing messages
	WSWarning              = "warning"          // extension: a problem that somebody should look at
	WSToolProgress         = "tool-progress"    // extension: the progress of a running call
	WSError                = "error"
)

// WSMessage is the envelope of every message after the handshake.
type WSMessage struct {
	ID        string          `json:"id"` // UUID
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
	Timestamp string          `json:"timestamp,omitempty"` // RFC 3339; ignored in a client's message
	// extension, in a response: id of the message that it answers
	InReplyTo string `json:"in_reply_to,omitempty"`

	// Extensions, in messages of a conversation to a client.
	Seq             int64  `json:"seq,omitempty"` // for resume: all messages up to here were sent
	ConversationRef string `json:"conversation_ref,omitempty"`
	TurnRef         string `json:"turn_ref,omitempty"`
	// id of the query that began the turn; empty if unknown
	QueryRef string `json:"query_ref,omitempty"`
}

// WSThoughtPayload is the payload of WSThought.
type WSThoughtPayload struct {
	Status string `json:"status"`

	// Extensions, for a repeated request to the model.
	Restart bool `json:"restart,omitempty"` // discard the text since the last assistant-message-full
	// why the conversation was shortened for the repeated request, for example "context_full"
	Repair string `json:"repair,omitempty"`
}

// WSTextPayload is the payload of WSStreamingResponse.
type WSTextPayload struct {
	Text   string `json:"text"`
	Notice bool   `json:"notice,omitempty"` // extension: the text is the gateway's, not the model's
}

// WSAssistantMessage is the payload of WSAssistantMessageFull.
type WSAssistantMessage struct {
	Content string `json:"content"`
	Cut     bool   `json:"cut,omitempty"` // extension: the turn ended before the model had finished
}

// WSHandshake is the first message of a client. It has no envelope.
type WSHandshake struct {
	Type            string             `json:"type" enum:"handshake"`
	UserID          string             `json:"user_id"`
	AgentDefinition *WSAgentDefinition `json:"agent_definition,omitempty"`
}

// WSAgentDefinition restricts the sessions of a connection.
type WSAgentDefinition struct {
	Version int             `json:"version"` // 1
	Tools   *WSAgentTools   `json:"tools,omitempty"`
	Runtime *WSAgentRuntime `json:"runtime,omitempty"`

	// Approvals says how the client asks its user. If it is absent, the client might not support
	// approvals. Extension.
	Approvals string `json:"approvals,omitempty"` // ApprovalsByRequest or ApprovalsByClient
}

// Ways in which a client of the agent's WebSocket asks its user about calls.
const (
	ApprovalsByRequest = "approval-request" // the client handles approval-request messages
	// The client handles approval-request messages. Before the client runs one of its own tools,
	// the client itself also asks its user.
	ApprovalsByClient = "client"
)

// WSAgentTools says which tools a client wants and offers.
type WSAgentTools struct {
	Mode                 string            `json:"mode,omitempty"` // "explicit" or "default_plus_client"
	AvailableTools       []string          `json:"available_tools,omitempty"`
	DisabledTools        []string          `json:"disabled_tools,omitempty"`
	DisabledCapabilities []string          `json:"disabled_capabilities,omitempty"` // ocr, vision, embeddings, web_search, browser
	ClientManifest       *WSClientManifest `json:"client_manifest,omitempty"`
}

// WSClientManifest lists the tools that a client offers.
type WSClientManifest struct {
	Version int            `json:"version"` // 1
	Tools   []WSClientTool `json:"tools"`
}

// WSClientTool is a tool that runs at the client.
type WSClientTool struct {
	Name               string          `json:"name"`
	Description        string          `json:"description,omitempty"`
	ExecutionTarget    string          `json:"execution_target,omitempty"` // "local_runtime"
	Schema             json.RawMessage `json:"schema"`
	ArgumentResolution string          `json:"argument_resolution,omitempty"` // "passthrough" or "backend"
	Risk               string          `json:"risk,omitempty"`                // "safe", "risky" or "forbidden"
}

// WSAgentRuntime describes the client's machine.
type WSAgentRuntime struct {
	OperatingSystem   string   `json:"operating_system,omitempty"`
	CoordinateMethods []string `json:"coordinate_methods,omitempty"` // manual, ocr, prediction
}

// WSManifestResult lists the accepted and the rejected tools of a client.
type WSManifestResult struct {
	Accepted []WSAcceptedTool `json:"accepted"`
	Rejected []WSRejectedTool `json:"rejected"`
}

// WSAcceptedTool is an accepted tool of a client.
type WSAcceptedTool struct {
	Name            string `json:"name"`
	Description     string `json:"description"`
	ExecutionTarget string `json:"execution_target"`
}

// WSRejectedTool is a rejected tool of a client.
type WSRejectedTool struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// WSQueryPayload is a user's message.
type WSQueryPayload struct {
	Text                string          `json:"text"`
	ConversationRef     string          `json:"conversation_ref"`
	Content             string          `json:"content,omitempty"` // an envelope that the client wrote
	QueryContext        *QueryContext   `json:"query_context,omitempty"`
	ScreenshotRef       string          `json:"screenshot_ref,omitempty"`
	ScreenshotRefs      []string        `json:"screenshot_refs,omitempty"`
	SystemStateInternal json.RawMessage `json:"system_state_internal,omitempty"`
	WorkspacePath       string          `json:"workspace_path,omitempty"`
	OnBusy              string          `json:"on_busy,omitempty"` // extension: reject, queue or interrupt

	// If absent, the conversation keeps its instructions. Extension: the document has this field
	// only in rehydrate-conversation.
	RepoInstructionMessages []RepoInstruction `json:"repo_instruction_messages,omitzero"`
}

// WSRehydratePayload is a conversation's history, which the client stored.
type WSRehydratePayload struct {
	ConversationRef         string            `json:"conversation_ref"`
	Mode                    string            `json:"rehydrate_mode,omitempty"` // "replace"
	Messages                []HistoryMessage  `json:"messages"`
	WorkspacePath           string            `json:"workspace_path,omitempty"`
	RepoInstructionMessages []RepoInstruction `json:"repo_instruction_messages,omitzero"` // absent: unchanged
}

// WSToolSchemasPayload lists the tools that the model gets.
type WSToolSchemasPayload struct {
	ToolSchemas []WSToolSchema `json:"tool_schemas"`
}

// WSToolSchema is a tool in the form of OpenAI's chat protocol.
type WSToolSchema struct {
	Type     string         `json:"type"` // "function"
	Function WSToolFunction `json:"function"`
}

// WSToolFunction describes the function of a WSToolSchema.
type WSToolFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema
}

// WSToolCallPayload asks a client to run a tool.
type WSToolCallPayload struct {
	ToolName   string             `json:"tool_name"`
	Parameters json.RawMessage    `json:"parameters"`
	RequestID  string             `json:"request_id"`
	Metadata   WSToolCallMetadata `json:"metadata"`
	// extension: the call has its answer, so do nothing
	Answered bool `json:"answered,omitempty"`

	// Extensions, set if a client that asks its user itself should do so.
	Risk   string `json:"risk,omitempty"`   // "safe" or "risky"
	Reason string `json:"reason,omitempty"` // the reason, for the user
}

// WSToolCallMetadata identifies the model's call.
type WSToolCallMetadata struct {
	ToolCallID string `json:"tool_call_id"`
}

// WSApprovalRequestPayload asks whether a tool may be called.
type WSApprovalRequestPayload struct {
	ToolName   string             `json:"tool_name"`
	Parameters json.RawMessage    `json:"parameters"`
	RequestID  string             `json:"request_id"`
	Reason     string             `json:"reason"`     // the reason for asking, for the user
	ExpiresAt  time.Time          `json:"expires_at"` // the call counts as denied after this time
	Metadata   WSToolCallMetadata `json:"metadata"`
	Answered   bool               `json:"answered,omitempty"` // as in WSToolCallPayload
}

// WSToolBundlePayload asks a client to run several tools in order.
type WSToolBundlePayload struct {
	BundleID string         `json:"bundle_id"`
	Tools    []WSBundleTool `json:"tools"`
	Answered bool           `json:"answered,omitempty"` // as in WSToolCallPayload
}

// WSBundleTool is one call of a bundle.
type WSBundleTool struct {
	Name   string          `json:"name"`
	Args   json.RawMessage `json:"args"`
	Risk   string          `json:"risk,omitempty"`   // as in WSToolCallPayload
	Reason string          `json:"reason,omitempty"` // as in WSToolCallPayload
}

// WSToolOutputPayload is the outcome of a tool.
type WSToolOutputPayload struct {
	ToolName      string         `json:"tool_name"`
	Success       bool           `json:"success"`
	ExecutionTime float64        `json:"execution_time"` // seconds
	Output        string         `json:"output"`
	Error         *string        `json:"error"`
	ScreenshotRef string         `json:"screenshot_ref,omitempty"`
	Metadata      map[string]any `json:"metadata,omitempty"`
}

// WSWakewordPayload is the response to a client that heard the wakeword.
type WSWakewordPayload struct {
	SpeechModeEnabled bool   `json:"speech_mode_enabled"` // the user's setting
	Greeting          string `json:"greeting"`
	Status            string `json:"status"` // "listening"
}

// WSAudioPayload is a chunk of speech, of 100 to 200 ms.
type WSAudioPayload struct {
	Audio      []byte `json:"audio"`       // PCM: 16 bits, little endian, one channel; base64 in JSON
	SampleRate int    `json:"sample_rate"` // 22050
}

// WSErrorPayload reports that a message was refused, or that a turn failed. All fields except the
// message are extensions.
type WSErrorPayload struct {
	Message         string       `json:"message"`
	Code            Code         `json:"code,omitempty"`
	InReplyTo       string       `json:"in_reply_to,omitempty"` // id of the refused message
	Reason          string       `json:"reason,omitempty"`      // why the turn ended
	ConversationRef string       `json:"conversation_ref,omitempty"`
	Details         ErrorDetails `json:"details,omitzero"`
}

// WSWarningPayload reports a problem that somebody should look at. The turn continues. Extension.
type WSWarningPayload struct {
	Message    string `json:"message"`
	ToolCallID string `json:"tool_call_id,omitempty"` // call that caused it; empty: none
}

// WSToolProgressPayload reports the progress of a tool call that runs in the gateway. Extension.
type WSToolProgressPayload struct {
	Message    string `json:"message"`          // progress, as a line for people; empty if only Output is new
	Output     string `json:"output,omitempty"` // the next piece of the tool's output
	ToolCallID string `json:"tool_call_id"`
}

// WSTokenCountPayload reports the tokens of an answer.
type WSTokenCountPayload struct {
	PromptTokens        int    `json:"prompt_tokens"`
	VisibleOutputTokens int    `json:"visible_output_tokens"`
	ThinkingTokens      *int   `json:"thinking_tokens"` // null if the provider does not report it
	OutputTokensTotal   int    `json:"output_tokens_total"`
	TotalTokens         int    `json:"total_tokens"`
	ConversationTokens  int    `json:"conversation_tokens"`
	UsageSource         string `json:"usage_source"` // "provider" or "estimated"
}

// WSSettings are a user's settings in the protocol of the agent's WebSocket.
type WSSettings struct {
	// "online" or "local", by the selected model
	ModelMode string `json:"model_mode"`
	// provider of the selected model
	ModelProvider            string                   `json:"model_provider"`
	SelectedModelID          string                   `json:"selected_model_id"`
	InteractionMode          string                   `json:"interaction_mode"` // "chat" or "agent"
	SpeechModeEnabled        bool                     `json:"speech_mode_enabled"`
	WakewordEnabled          bool                     `json:"wakeword_enabled"`
	WakewordSTTEnabled       bool                     `json:"wakeword_stt_enabled"`
	BrowserAutomationEnabled bool                     `json:"browser_automation_enabled"`
	IncludeQueryScreenshot   bool                     `json:"include_query_screenshot"`
	ProviderAPIKeys          map[string]WSProviderKey `json:"provider_api_keys"`
	Policy                   []WSPolicyRule           `json:"policy,omitempty"` // extension
}

// WSPolicyRule is a user's rule for the tool calls of models. If several rules match a call, the
// strictest verdict applies: deny before ask, and ask before allow. The gateway's own rules also
// apply.
type WSPolicyRule struct {
	Tool    string `json:"tool" doc:"A tool's name, or a pattern such as shell_*." example:"memory.write"`
	Risk    string `json:"risk,omitempty" doc:"Only for tools with this risk: safe or risky (default all tools)."`
	Verdict string `json:"verdict" doc:"Decision on the call: allow, ask or deny." example:"allow"`
	Reason  string `json:"reason,omitempty" doc:"Reason for the rule, shown to the user."`
}

// RulesPath is the path of a user's rules. GET returns the rules, and PUT replaces them.
const RulesPath = "/api/rules"

// Rules are the rules of a user, in no particular order.
type Rules struct {
	Rules []WSPolicyRule `json:"rules" maxItems:"200" doc:"All rules of the user."`
}

// WSProviderKey is a user's key for a provider of models. A message of the gateway never contains
// the key.
type WSProviderKey struct {
	Enabled bool   `json:"enabled"`
	APIKey  string `json:"api_key"`
}

// The payload of each message at /ws, by its type.
var (
	WSClientMessages = map[string]reflect.Type{
		WSHandshakeType:    reflect.TypeFor[WSHandshake](),
		WSQuery:            reflect.TypeFor[WSQueryPayload](),
		WSRehydrate:        reflect.TypeFor[WSRehydratePayload](),
		WSLoadSettings:     reflect.TypeFor[WSNothing](),
		WSUpdateSettings:   reflect.TypeFor[WSSettingsChange](),
		WSListModels:       reflect.TypeFor[WSNothing](),
		WSWakeword:         reflect.TypeFor[WSNothing](),
		WSToolResult:       reflect.TypeFor[WSToolResultPayload](),
		WSToolBundleResult: reflect.TypeFor[WSToolBundleResultPayload](),
		WSResume:           reflect.TypeFor[WSResumePayload](),
		WSCancel:           reflect.TypeFor[WSCancelPayload](),
		WSApprovalDecision: reflect.TypeFor[WSApprovalDecisionPayload](),
	}
	WSServerMessages = map[string]reflect.Type{
		WSStreamingResponse:    reflect.TypeFor[WSTextPayload](),
		WSThought:              reflect.TypeFor[WSThoughtPayload](),
		WSAudioChunk:           reflect.TypeFor[WSAudioPayload](),
		WSToolCall:             reflect.TypeFor[WSToolCallPayload](),
		WSToolBundle:           reflect.TypeFor[WSToolBundlePayload](),
		WSToolOutput:           reflect.TypeFor[WSToolOutputPayload](),
		WSApprovalRequest:      reflect.TypeFor[WSApprovalRequestPayload](),
		WSSystemPrompt:         reflect.TypeFor[WSContentPayload](),
		WSUserMessageFull:      reflect.TypeFor[UserMessageFull](),
		WSAssistantMessageFull: reflect.TypeFor[WSAssistantMessage](),
		WSToolSchemas:          reflect.TypeFor[WSToolSchemasPayload](),
		WSTokenCount:           reflect.TypeFor[WSTokenCountPayload](),
		WSStreamingComplete:    reflect.TypeFor[WSCompletePayload](),
		WSSettingsLoaded:       reflect.TypeFor[WSSettingsLoadedPayload](),
		WSSettingsUpdated:      reflect.TypeFor[WSSettingsUpdatedPayload](),
		WSModelsListed:         reflect.TypeFor[ModelList](),
		WSWakewordActivated:    reflect.TypeFor[WSWakewordPayload](),
		WSWakewordGreeting:     reflect.TypeFor[WSGreetingPayload](),
		WSClientToolManifest:   reflect.TypeFor[WSManifestResult](),
		WSResync:               reflect.TypeFor[WSResyncPayload](),
		WSWarning:              reflect.TypeFor[WSWarningPayload](),
		WSToolProgress:         reflect.TypeFor[WSToolProgressPayload](),
		WSError:                reflect.TypeFor[WSErrorPayload](),
	}
)
