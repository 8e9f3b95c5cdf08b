package sdkapi

import "encoding/json"

// Paths of the routes that show what the gateway would send to a model.
const (
	ModelsPath      = "/api/sdk/models"       // GET lists the language models
	ToolSchemasPath = "/api/sdk/tool-schemas" // GET returns the schemas of the tools
	// GET describes a tool; a slash and the tool's name follow the path
	ToolCapabilitiesPath = "/api/sdk/tool-capabilities"
	SystemPromptPath     = "/api/sdk/system-prompt"  // GET returns the system prompt
	PromptPreviewPath    = "/api/sdk/prompt-preview" // POST returns the prompt for a query
	// POST returns the prompt for a query, and the messages that run the query at /ws
	QueryPlanPath = "/api/sdk/query-plan"
)

// QueryContext is the context that a client adds to a query for the model. The model treats all of
// it as text that the user did not write.
type QueryContext struct {
	SystemContext     map[string]string `json:"system_context,omitempty" maxProperties:"50" doc:"State of the user's machine. Names of its fields may contain only lower-case letters, digits and _." example:"{\"active_window\":\"Terminal\"}"`
	EpisodicMemory    string            `json:"episodic_memory,omitempty" doc:"The client's memory of earlier conversations."`
	SemanticMemory    string            `json:"semantic_memory,omitempty" doc:"Facts about the user that the client knows."`
	AttachmentContext string            `json:"attachment_context,omitempty" doc:"Text of the user's attachments."`
}

// RepoInstruction is a text with instructions from a repository.
type RepoInstruction struct {
	Role    string `json:"role,omitempty" maxLength:"16" doc:"Accepted, but without any effect: instructions always have the role user." example:"user"`
	Path    string `json:"path,omitempty" maxLength:"4096" doc:"Path of the file with the instructions." example:"AGENTS.md"`
	Content string `json:"content"`
}

// HistoryMessage is a message that a client stored.
type HistoryMessage struct {
	Role          string `json:"role" enum:"user,assistant,tool"`
	Content       any    `json:"content" doc:"Content of the message: text, or any JSON. A user's text may be in an envelope with context."`
	MessageType   string `json:"message_type,omitempty" maxLength:"64" doc:"Type of the message: user_query, assistant_response, tool_output, context_compaction, or absent. It has no effect." example:"user_query"`
	ToolName      string `json:"tool_name,omitempty" maxLength:"128" doc:"Name of the tool. Only if the role is tool."`
	CorrelationID string `json:"correlation_id,omitempty" maxLength:"256" doc:"Accepted, but without any effect."`
	Timestamp     string `json:"timestamp,omitempty" maxLength:"64" doc:"Accepted, but without any effect."`
	ScreenshotRef string `json:"screenshot_ref,omitempty" maxLength:"256" doc:"The artifact that the message shows."`

	WorkspacePath           string            `json:"workspace_path,omitempty" maxLength:"4096" doc:"The user's working folder. Only the value in the last message applies."`
	RepoInstructionMessages []RepoInstruction `json:"repo_instruction_messages,omitzero" maxItems:"50" doc:"Instructions of the repository in the working folder. Only the instructions in the last message apply."`
}

// ConfigSnapshot holds the settings in effect for a request.
type ConfigSnapshot struct {
	ModelMode       string `json:"model_mode" doc:"Where the model runs: online or local."`
	ModelProvider   string `json:"model_provider" example:"openai"`
	SelectedModelID string `json:"selected_model_id" example:"gpt-5.4@@gpt-5-4-none-thinking"`
	InteractionMode string `json:"interaction_mode" doc:"Mode of the agent: agent (with tools) or chat (without tools)."`
}

// ModelCatalogue is the response of ModelsPath.
type ModelCatalogue struct {
	Config ConfigSnapshot `json:"config"`
	Models ModelList      `json:"models"`

	Services ServiceStates `json:"services" doc:"Services other than language models."`
}

// ServiceStates lists the services that depend on something outside of the gateway.
type ServiceStates struct {
	Embeddings    ServiceState `json:"embeddings" doc:"Service that turns texts into vectors."`
	Semantic      ServiceState `json:"semantic" doc:"Service that writes summaries and titles."`
	Speech        ServiceState `json:"speech" doc:"Service that turns answers into speech."`
	Transcription ServiceState `json:"transcription" doc:"Service that turns speech into text."`
	Runs          ServiceState `json:"runs" doc:"Service that assigns runs to workers."`
}

// ServiceState reports whether a service is available.
type ServiceState struct {
	Available bool   `json:"available"`
	Provider  string `json:"provider,omitempty" doc:"The provider of the service." example:"espeak-ng, voice en"`
	Reason    string `json:"reason,omitempty" doc:"Why the service is unavailable, and how to enable it."`
}

// FunctionSchema describes a tool to a model.
type FunctionSchema struct {
	Type        string          `json:"type" enum:"function"`
	Name        string          `json:"name" doc:"Name of the tool for models, with underscores instead of dots." example:"ocr_find_text"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters" doc:"JSON Schema of the arguments."`
}

// ToolSchemaLists is the response of ToolSchemasPath.
type ToolSchemaLists struct {
	Config               ConfigSnapshot   `json:"config"`
	CanonicalToolSchemas []FunctionSchema `json:"canonical_tool_schemas" doc:"All tools, even if the policy or the settings hide them from the model."`
	ProviderToolSchemas  []FunctionSchema `json:"provider_tool_schemas" doc:"The tools offered to the model, as the model sees them."`
	ToolTokens           int              `json:"tool_tokens" doc:"Estimated tokens that the offered tools add to each request."`
}

// ToolCapability describes a tool, except for its schema.
type ToolCapability struct {
	Name            string `json:"name"`
	ID              string `json:"id,omitempty" doc:"Id of the tool for calls over HTTP. Absent for a tool that runs at the client."`
	Risk            string `json:"risk" enum:"safe,risky,forbidden"`
	ExecutionTarget string `json:"execution_target" enum:"backend,local_runtime" doc:"Whether the tool runs in the gateway or at the client."`
	Offered         bool   `json:"offered" doc:"Whether the gateway offers the tool to models."`
	Approval        string `json:"approval" enum:"allow,ask,deny" doc:"Whether a call of the tool is allowed, needs approval or is denied. It may change after the model has read untrusted text."`
}

// ToolCapabilities is the response of ToolCapabilitiesPath.
type ToolCapabilities struct {
	ToolName            string          `json:"tool_name"`
	Capability          ToolCapability  `json:"capability"`
	CanonicalToolSchema *FunctionSchema `json:"canonical_tool_schema"`
	ProviderToolSchema  *FunctionSchema `json:"provider_tool_schema" doc:"The tool as models see it. Null if the gateway does not offer the tool to models."`
}

// SystemPrompt is the response of SystemPromptPath.
type SystemPrompt struct {
	Config       ConfigSnapshot `json:"config"`
	SystemPrompt string         `json:"system_prompt"`
	SystemTokens int            `json:"system_tokens" doc:"Estimated tokens of the system prompt."`
}

// PromptRequest is the body of requests to PromptPreviewPath and QueryPlanPath. It holds a query,
// which the gateway does not send to a model.
type PromptRequest struct {
	UserID          string           `json:"user_id,omitempty" maxLength:"128" doc:"The user whose settings apply. If the request has a token, this is the token's user."`
	ModelID         string           `json:"model_id,omitempty" maxLength:"256" doc:"Model to use instead of the user's model."`
	ModelProvider   string           `json:"model_provider,omitempty" maxLength:"256" doc:"Provider to use instead of the user's model provider."`
	InteractionMode string           `json:"interaction_mode,omitempty" enum:"chat,agent" doc:"Mode to use instead of the user's interaction mode."`
	IncludeTools    *bool            `json:"include_tools,omitempty" doc:"Whether the prompt includes the tools (default true)."`
	WorkspacePath   string           `json:"workspace_path,omitempty" maxLength:"4096" example:"/absolute/workspace/path"`
	UserQueryRaw    string           `json:"user_query_raw,omitempty" doc:"The user's text." example:"open file"`
	Messages        []HistoryMessage `json:"messages,omitempty" maxItems:"2000" doc:"Messages of the conversation. If the last message has the role user, it is the query. The messages before it replace the conversation's history."`

	// Extension.
	ConversationRef         string             `json:"conversation_ref,omitempty" maxLength:"128" doc:"The user's conversation that the query continues."`
	QueryContext            *QueryContext      `json:"query_context,omitempty"`
	ScreenshotRefs          []string           `json:"screenshot_refs,omitempty" maxItems:"50"`
	RepoInstructionMessages []RepoInstruction  `json:"repo_instruction_messages,omitzero" maxItems:"50"`
	AgentDefinition         *WSAgentDefinition `json:"agent_definition,omitempty" doc:"The agent definition that a client sends in its handshake. It can exclude tools and add the client's tools."`
}

// PromptMessage is a message of the prompt, in the form that a model would get.
type PromptMessage struct {
	Role        string             `json:"role" enum:"user,assistant,tool"`
	Content     string             `json:"content" doc:"All texts of the message, joined."`
	Images      int                `json:"images,omitempty" doc:"Number of images in the message."`
	Thinking    string             `json:"thinking,omitempty" doc:"The model's reasoning. The gateway sends it back to the provider."`
	ToolCalls   []PromptToolCall   `json:"tool_calls,omitempty"`
	ToolResults []PromptToolResult `json:"tool_results,omitempty"`
}

// PromptToolCall is a call in a PromptMessage.
type PromptToolCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// PromptToolResult is the result of a call.
type PromptToolResult struct {
	ToolCallID string `json:"tool_call_id"`
	Name       string `json:"name"`
	Content    string `json:"content"`
	Images     int    `json:"images,omitempty"`
	IsError    bool   `json:"is_error,omitempty"`
}

// UserMessageFull is the payload of a user-message-full message.
type UserMessageFull struct {
	Content  string              `json:"content" doc:"The user's message as the model reads it."`
	Metadata UserMessageMetadata `json:"metadata"`
}

// UserMessageMetadata describes the content of a UserMessageFull.
type UserMessageMetadata struct {
	HasScreenshot   bool   `json:"has_screenshot"`
	HasMemory       bool   `json:"has_memory"`
	OriginalQuery   string `json:"original_query" doc:"The user's text."`
	ContextType     string `json:"context_type" enum:"initial" doc:"Always \"initial\". The gateway sends this message once per turn, before the first request to the model."`
	InjectedContext string `json:"injected_context" doc:"Context that precedes the user's text."`
	ActiveWindow    string `json:"active_window,omitempty"`
}

// TokenCounts holds the number of tokens of each part of a prompt. The sum of all parts is the
// number of tokens of the prompt.
type TokenCounts struct {
	System           int `json:"system"`
	Tools            int `json:"tools"`
	RepoInstructions int `json:"repo_instructions"`
	History          int `json:"history" doc:"Tokens of the messages before the query."`
	Memory           int `json:"memory" doc:"Tokens of the context that the client added to the query: memory, attachments and machine state."`
	Query            int `json:"query" doc:"Tokens of the query itself, including its images."`
}

// PromptPreview is the response of PromptPreviewPath.
type PromptPreview struct {
	Config               ConfigSnapshot   `json:"config"`
	SystemPrompt         string           `json:"system_prompt"`
	PromptMessages       []PromptMessage  `json:"prompt_messages" doc:"All messages to the model after the system prompt."`
	CanonicalToolSchemas []FunctionSchema `json:"canonical_tool_schemas"`
	ProviderToolSchemas  []FunctionSchema `json:"provider_tool_schemas"`
	UserMessageFull      *UserMessageFull `json:"user_message_full"`
	PromptTokenCount     *int             `json:"prompt_token_count" doc:"Estimated number of tokens, as OpenAI's models count them. The error is usually below 15 %."`
	TokenCountError      *string          `json:"token_count_error" doc:"Why prompt_token_count is absent."`
	TokenCounts          TokenCounts      `json:"token_counts" doc:"Estimated tokens of each part of the prompt."`
	TokenCountSource     string           `json:"token_count_source" enum:"estimated"`
}

// QueryPlan is the response of QueryPlanPath.
type QueryPlan struct {
	PromptPreview

	QueryMessage       PlannedQuery   `json:"query_message" doc:"If you add an id to this message and send it at /ws, the gateway runs the query. Until then, the query has not run."`
	TransparencyEvents []PlannedEvent `json:"transparency_events" doc:"The first messages that the gateway returns, in order."`
}

// PlannedQuery is a message that a client can send at /ws to run a planned query. The gateway
// itself does not run the query.
type PlannedQuery struct {
	Type    string         `json:"type" enum:"query"`
	Payload WSQueryPayload `json:"payload"`
}

// PlannedEvent is a message that the gateway would send to the client after a PlannedQuery.
type PlannedEvent struct {
	Type    string          `json:"type" enum:"system-prompt,user-message-full,tool-schemas"`
	Payload json.RawMessage `json:"payload"`
}
