package sdkapi

import (
	"encoding/json"
	"reflect"
	"time"
)

// WSPath is where the agent's WebSocket is (RFC 6455).
const WSPath = "/ws"

// Bounds of the agent's WebSocket.
const (
	// MaxWSMessage bounds a message at /ws and of a tool host, and a body of /v1, in bytes; beyond it: close code 1009, or
	// 413 PAYLOAD_TOO_LARGE.
	MaxWSMessage = 10 << 20
	// MaxWSTasks bounds the answers that a connection to /ws waits for, and the conversations that it watches; beyond it:
	// OVERLOADED, and of conversations the one used longest ago is left.
	MaxWSTasks           = 50
	WSReceiveTimeoutSecs = 3600 // a connection that sends nothing for so long is closed
	// MaxConversationRef bounds a conversation_ref, in bytes; beyond it: VALIDATION_ERROR.
	MaxConversationRef = 128
)

// WSCloseRevoked is the code that a connection is closed with when its token is
// revoked, or its user deleted. Connecting again is refused with AUTH_REQUIRED.
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
	WSResume           = "resume"            // beyond the document: send what came after a seq
	WSCancel           = "cancel"            // likewise: end the open turn
	WSApprovalDecision = "approval-decision" // likewise: answer an approval-request
)

// What it is sent.
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
	WSApprovalRequest      = "approval-request" // beyond the document
	WSResync               = "resync"           // likewise: what is missing is not kept any longer
	WSWarning              = "warning"          // beyond the document
	WSToolProgress         = "tool-progress"    // likewise
	WSError                = "error"
)

// WSMessage is the envelope of every message after the handshake.
type WSMessage struct {
	ID        string          `json:"id"` // UUID
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
	Timestamp string          `json:"timestamp,omitempty"`   // RFC 3339; a client's is ignored
	InReplyTo string          `json:"in_reply_to,omitempty"` // beyond the document, of an answer: id of the message that it answers

	// Beyond the document, on what a client is sent of a conversation.
	Seq             int64  `json:"seq,omitempty"` // for resume: all up to here has been sent
	ConversationRef string `json:"conversation_ref,omitempty"`
	TurnRef         string `json:"turn_ref,omitempty"`
	QueryRef        string `json:"query_ref,omitempty"` // id of the query that began the turn; empty if that is not known
}

// WSThoughtPayload is the payload of WSThought.
type WSThoughtPayload struct {
	Status string `json:"status"`

	// Beyond the document, where the model is asked again.
	Restart bool   `json:"restart,omitempty"` // discard its text since the last assistant-message-full
	Repair  string `json:"repair,omitempty"`  // it is asked with a shortened conversation, and why, as "context_full"
}

// WSTextPayload is the payload of WSStreamingResponse.
type WSTextPayload struct {
	Text   string `json:"text"`
	Notice bool   `json:"notice,omitempty"` // beyond the document: the gateway says it, not the model
}

// WSAssistantMessage is the payload of WSAssistantMessageFull.
type WSAssistantMessage struct {
	Content string `json:"content"`
	Cut     bool   `json:"cut,omitempty"` // beyond the document: it is not all that the model wanted to say, as the turn was ended
}

// WSHandshake is the first message of a client. It has no envelope.
type WSHandshake struct {
	Type            string             `json:"type" enum:"handshake"`
	UserID          string             `json:"user_id"`
	AgentDefinition *WSAgentDefinition `json:"agent_definition,omitempty"`
}

// WSAgentDefinition narrows what a connection's sessions may do.
type WSAgentDefinition struct {
	Version int             `json:"version"` // 1
	Tools   *WSAgentTools   `json:"tools,omitempty"`
	Runtime *WSAgentRuntime `json:"runtime,omitempty"`

	// Approvals is beyond the document: how the client has its user asked.
	// Absent, the client may know nothing of it.
	Approvals string `json:"approvals,omitempty"` // ApprovalsByRequest, or ApprovalsByClient
}

// How a client of the agent's WebSocket has its user asked about calls.
const (
	ApprovalsByRequest = "approval-request" // it knows that message
	ApprovalsByClient  = "client"           // likewise, and asks by itself before it runs a tool of its own
)

// WSAgentTools says which tools a client wants and brings.
type WSAgentTools struct {
	Mode                 string            `json:"mode,omitempty"` // "explicit", or "default_plus_client"
	AvailableTools       []string          `json:"available_tools,omitempty"`
	DisabledTools        []string          `json:"disabled_tools,omitempty"`
	DisabledCapabilities []string          `json:"disabled_capabilities,omitempty"` // ocr, vision, embeddings, web_search, browser
	ClientManifest       *WSClientManifest `json:"client_manifest,omitempty"`
}

// WSClientManifest is the tools that a client brings.
type WSClientManifest struct {
	Version int            `json:"version"` // 1
	Tools   []WSClientTool `json:"tools"`
}

// WSClientTool is a tool that runs where the client is.
type WSClientTool struct {
	Name               string          `json:"name"`
	Description        string          `json:"description,omitempty"`
	ExecutionTarget    string          `json:"execution_target,omitempty"` // "local_runtime"
	Schema             json.RawMessage `json:"schema"`
	ArgumentResolution string          `json:"argument_resolution,omitempty"` // "passthrough", or "backend"
	Risk               string          `json:"risk,omitempty"`                // "safe", "risky" or "forbidden"
}

// WSAgentRuntime describes the client's machine.
type WSAgentRuntime struct {
	OperatingSystem   string   `json:"operating_system,omitempty"`
	CoordinateMethods []string `json:"coordinate_methods,omitempty"` // manual, ocr, prediction
}

// WSManifestResult lists which of a client's tools were accepted.
type WSManifestResult struct {
	Accepted []WSAcceptedTool `json:"accepted"`
	Rejected []WSRejectedTool `json:"rejected"`
}

// WSAcceptedTool is a client's tool that was taken.
type WSAcceptedTool struct {
	Name            string `json:"name"`
	Description     string `json:"description"`
	ExecutionTarget string `json:"execution_target"`
}

// WSRejectedTool is one that was not.
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
	OnBusy              string          `json:"on_busy,omitempty"` // beyond the document: reject, queue, interrupt

	// Beyond the document, which has them with rehydrate-conversation alone:
	// absent, those that the conversation has stay.
	RepoInstructionMessages []RepoInstruction `json:"repo_instruction_messages,omitzero"`
}

// WSRehydratePayload is a conversation's history as the client kept it.
type WSRehydratePayload struct {
	ConversationRef         string            `json:"conversation_ref"`
	Mode                    string            `json:"rehydrate_mode,omitempty"` // "replace"
	Messages                []HistoryMessage  `json:"messages"`
	WorkspacePath           string            `json:"workspace_path,omitempty"`
	RepoInstructionMessages []RepoInstruction `json:"repo_instruction_messages,omitzero"` // absent: as they were
}

// WSToolSchemasPayload shows the tools that the model is offered.
type WSToolSchemasPayload struct {
	ToolSchemas []WSToolSchema `json:"tool_schemas"`
}

// WSToolSchema is a tool as OpenAI's chat protocol has it.
type WSToolSchema struct {
	Type     string         `json:"type"` // "function"
	Function WSToolFunction `json:"function"`
}

// WSToolFunction describes it.
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
	Answered   bool               `json:"answered,omitempty"` // beyond the document: nobody waits for an answer, so do nothing

	// Beyond the document, where a client that asks its user by itself should.
	Risk   string `json:"risk,omitempty"`   // "safe", or "risky"
	Reason string `json:"reason,omitempty"` // why, for the user
}

// WSToolCallMetadata says how the model calls it.
type WSToolCallMetadata struct {
	ToolCallID string `json:"tool_call_id"`
}

// WSApprovalRequestPayload asks whether a tool may be called.
type WSApprovalRequestPayload struct {
	ToolName   string             `json:"tool_name"`
	Parameters json.RawMessage    `json:"parameters"`
	RequestID  string             `json:"request_id"`
	Reason     string             `json:"reason"`     // why it is asked, for the user
	ExpiresAt  time.Time          `json:"expires_at"` // it counts as denied from then on
	Metadata   WSToolCallMetadata `json:"metadata"`
	Answered   bool               `json:"answered,omitempty"` // as in WSToolCallPayload
}

// WSToolBundlePayload asks a client to run tools one after the other.
type WSToolBundlePayload struct {
	BundleID string         `json:"bundle_id"`
	Tools    []WSBundleTool `json:"tools"`
	Answered bool           `json:"answered,omitempty"` // as in WSToolCallPayload
}

// WSBundleTool is one of a bundle.
type WSBundleTool struct {
	Name   string          `json:"name"`
	Args   json.RawMessage `json:"args"`
	Risk   string          `json:"risk,omitempty"`   // as in WSToolCallPayload
	Reason string          `json:"reason,omitempty"` // likewise
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

// WSWakewordPayload answers a client that heard its wakeword.
type WSWakewordPayload struct {
	SpeechModeEnabled bool   `json:"speech_mode_enabled"` // as the user set it
	Greeting          string `json:"greeting"`
	Status            string `json:"status"` // "listening"
}

// WSAudioPayload is a chunk of speech, of 100 to 200 ms.
type WSAudioPayload struct {
	Audio      []byte `json:"audio"`       // PCM: 16 bits, little endian, one channel; base64 in JSON
	SampleRate int    `json:"sample_rate"` // 22050
}

// WSErrorPayload reports that a message was refused, or that a turn did not end
// well. All but the message is beyond the document.
type WSErrorPayload struct {
	Message         string       `json:"message"`
	Code            Code         `json:"code,omitempty"`
	InReplyTo       string       `json:"in_reply_to,omitempty"` // id of the message that was refused
	Reason          string       `json:"reason,omitempty"`      // why the turn ended
	ConversationRef string       `json:"conversation_ref,omitempty"`
	Details         ErrorDetails `json:"details,omitzero"`
}

// WSWarningPayload reports something that somebody should see to, and that
// keeps nothing from going on. It is beyond the document.
type WSWarningPayload struct {
	Message    string `json:"message"`
	ToolCallID string `json:"tool_call_id,omitempty"` // in which it came up; empty for none
}

// WSToolProgressPayload is what a running call of the gateway's reports. It is beyond the document.
type WSToolProgressPayload struct {
	Message    string `json:"message"`          // how far it is, in a line for people; empty if Output alone is new
	Output     string `json:"output,omitempty"` // the next piece of what it puts out
	ToolCallID string `json:"tool_call_id"`
}

// WSTokenCountPayload reports the tokens of an answer.
type WSTokenCountPayload struct {
	PromptTokens        int    `json:"prompt_tokens"`
	VisibleOutputTokens int    `json:"visible_output_tokens"`
	ThinkingTokens      *int   `json:"thinking_tokens"` // null where the provider does not say
	OutputTokensTotal   int    `json:"output_tokens_total"`
	TotalTokens         int    `json:"total_tokens"`
	ConversationTokens  int    `json:"conversation_tokens"`
	UsageSource         string `json:"usage_source"` // "provider", or "estimated"
}

// WSSettings are what a user of the agent's WebSocket chose.
type WSSettings struct {
	ModelMode                string                   `json:"model_mode"`     // "online", or "local": of the selected model
	ModelProvider            string                   `json:"model_provider"` // whose it is
	SelectedModelID          string                   `json:"selected_model_id"`
	InteractionMode          string                   `json:"interaction_mode"` // "chat", or "agent"
	SpeechModeEnabled        bool                     `json:"speech_mode_enabled"`
	WakewordEnabled          bool                     `json:"wakeword_enabled"`
	WakewordSTTEnabled       bool                     `json:"wakeword_stt_enabled"`
	BrowserAutomationEnabled bool                     `json:"browser_automation_enabled"`
	IncludeQueryScreenshot   bool                     `json:"include_query_screenshot"`
	ProviderAPIKeys          map[string]WSProviderKey `json:"provider_api_keys"`
	Policy                   []WSPolicyRule           `json:"policy,omitempty"` // beyond the document
}

// WSPolicyRule is a rule that a user made about what models may call. Where
// rules disagree, deny holds over ask, and that over allow, the gateway's own
// rules included.
type WSPolicyRule struct {
	Tool    string `json:"tool" doc:"A tool's name, or a pattern as shell_*." example:"memory.write"`
	Risk    string `json:"risk,omitempty" doc:"The rule is about tools of that risk alone: safe or risky; absent: about all."`
	Verdict string `json:"verdict" doc:"What is done with the call: allow, ask or deny." example:"allow"`
	Reason  string `json:"reason,omitempty" doc:"For the user."`
}

// RulesPath is where a user's rules are: GET and PUT.
const RulesPath = "/api/rules"

// Rules are the rules of a user, in no order.
type Rules struct {
	Rules []WSPolicyRule `json:"rules" maxItems:"200" doc:"All of them."`
}

// WSProviderKey is a user's key to a provider of models. What the gateway sends
// of it never holds the key.
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
