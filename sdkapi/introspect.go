package sdkapi

import "encoding/json"

// Paths of the routes that show what the gateway would send to a model.
const (
	ModelsPath           = "/api/sdk/models"            // GET
	ToolSchemasPath      = "/api/sdk/tool-schemas"      // GET
	ToolCapabilitiesPath = "/api/sdk/tool-capabilities" // GET, followed by a slash and the tool's name
	SystemPromptPath     = "/api/sdk/system-prompt"     // GET
	PromptPreviewPath    = "/api/sdk/prompt-preview"    // POST
	QueryPlanPath        = "/api/sdk/query-plan"        // POST
)

// QueryContext is the context that a client adds to a query for the model. The model treats all of
// it as text that the user did not write.
type QueryContext struct {
	SystemContext     map[string]string `json:"system_context,omitempty" maxProperties:"50" doc:"What the user's machine is like, by names of lower case letters, digits and _." example:"{\"active_window\":\"Terminal\"}"`
	EpisodicMemory    string            `json:"episodic_memory,omitempty" doc:"What the client remembers of earlier conversations."`
	SemanticMemory    string            `json:"semantic_memory,omitempty" doc:"What the client knows of the user."`
	AttachmentContext string            `json:"attachment_context,omitempty" doc:"The text of what the user attached."`
}

// RepoInstruction is a text with instructions from a repository.
type RepoInstruction struct {
	Role    string `json:"role,omitempty" maxLength:"16" doc:"Taken, and of no effect: instructions are told as the user's." example:"user"`
	Path    string `json:"path,omitempty" maxLength:"4096" doc:"The file that it stands in." example:"AGENTS.md"`
	Content string `json:"content"`
}

// HistoryMessage is a message that a client stored.
type HistoryMessage struct {
	Role          string `json:"role" enum:"user,assistant,tool"`
	Content       any    `json:"content" doc:"What it says: text, or anything. A user's text is an envelope, or bare."`
	MessageType   string `json:"message_type,omitempty" maxLength:"64" doc:"None, or user_query, assistant_response, tool_output or context_compaction. It changes nothing." example:"user_query"`
	ToolName      string `json:"tool_name,omitempty" maxLength:"128" doc:"Of a tool's."`
	CorrelationID string `json:"correlation_id,omitempty" maxLength:"256" doc:"Taken, and of no effect."`
	Timestamp     string `json:"timestamp,omitempty" maxLength:"64" doc:"Taken, and of no effect."`
	ScreenshotRef string `json:"screenshot_ref,omitempty" maxLength:"256" doc:"An artifact that the message has."`

	WorkspacePath           string            `json:"workspace_path,omitempty" maxLength:"4096" doc:"The folder that the user works in; the last of all messages counts."`
	RepoInstructionMessages []RepoInstruction `json:"repo_instruction_messages,omitzero" maxItems:"50" doc:"Of the repository there; the last of all messages count."`
}

// ConfigSnapshot holds the settings in effect for a request.
type ConfigSnapshot struct {
	ModelMode       string `json:"model_mode" doc:"online, or local."`
	ModelProvider   string `json:"model_provider" example:"openai"`
	SelectedModelID string `json:"selected_model_id" example:"gpt-5.4@@gpt-5-4-none-thinking"`
	InteractionMode string `json:"interaction_mode" doc:"agent; or chat, which has no tools."`
}

// ModelCatalogue is the response of ModelsPath.
type ModelCatalogue struct {
	Config ConfigSnapshot `json:"config"`
	Models ModelList      `json:"models"`

	Services ServiceStates `json:"services" doc:"What there is besides language models."`
}

// ServiceStates lists the services that depend on something beside the gateway.
type ServiceStates struct {
	Embeddings    ServiceState `json:"embeddings" doc:"Turns texts into vectors."`
	Semantic      ServiceState `json:"semantic" doc:"Makes summaries and titles."`
	Speech        ServiceState `json:"speech" doc:"Speaks answers."`
	Transcription ServiceState `json:"transcription" doc:"Makes text of speech."`
	Runs          ServiceState `json:"runs" doc:"Has workers carry out queries."`
}

// ServiceState reports whether a service is available.
type ServiceState struct {
	Available bool   `json:"available"`
	Provider  string `json:"provider,omitempty" doc:"What does the work." example:"espeak-ng, voice en"`
	Reason    string `json:"reason,omitempty" doc:"Why it is not there, and what to do."`
}

// FunctionSchema describes a tool to a model.
type FunctionSchema struct {
	Type        string          `json:"type" enum:"function"`
	Name        string          `json:"name" doc:"As models know it: dots are underscores." example:"ocr_find_text"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters" doc:"JSON Schema of the arguments."`
}

// ToolSchemaLists is the response of ToolSchemasPath.
type ToolSchemaLists struct {
	Config               ConfigSnapshot   `json:"config"`
	CanonicalToolSchemas []FunctionSchema `json:"canonical_tool_schemas" doc:"All tools that there are, before policy and settings take any away."`
	ProviderToolSchemas  []FunctionSchema `json:"provider_tool_schemas" doc:"The tools that a model is offered, as it is told of them."`
	ToolTokens           int              `json:"tool_tokens" doc:"What the offered ones cost in each request, in tokens: an estimate."`
}

// ToolCapability describes a tool, besides its schema.
type ToolCapability struct {
	Name            string `json:"name"`
	ID              string `json:"id,omitempty" doc:"What the tool is called by over HTTP; absent for one that runs at the client."`
	Risk            string `json:"risk" enum:"safe,risky,forbidden"`
	ExecutionTarget string `json:"execution_target" enum:"backend,local_runtime" doc:"Where it runs: in the gateway, or at the client."`
	Offered         bool   `json:"offered" doc:"Whether a model is offered it."`
	Approval        string `json:"approval" enum:"allow,ask,deny" doc:"What becomes of a call before the model has read text of others."`
}

// ToolCapabilities is the response of ToolCapabilitiesPath.
type ToolCapabilities struct {
	ToolName            string          `json:"tool_name"`
	Capability          ToolCapability  `json:"capability"`
	CanonicalToolSchema *FunctionSchema `json:"canonical_tool_schema"`
	ProviderToolSchema  *FunctionSchema `json:"provider_tool_schema" doc:"Null for a tool that is not offered."`
}

// SystemPrompt is the response of SystemPromptPath.
type SystemPrompt struct {
	Config       ConfigSnapshot `json:"config"`
	SystemPrompt string         `json:"system_prompt"`
	SystemTokens int            `json:"system_tokens" doc:"An estimate."`
}

// PromptRequest is the body of PromptPreviewPath and QueryPlanPath: a query that the gateway does
// not send to a model.
type PromptRequest struct {
	UserID          string           `json:"user_id,omitempty" maxLength:"128" doc:"Whose settings hold; that of the token, where there is one."`
	ModelID         string           `json:"model_id,omitempty" maxLength:"256" doc:"In place of the user's model."`
	ModelProvider   string           `json:"model_provider,omitempty" maxLength:"256" doc:"In place of the user's."`
	InteractionMode string           `json:"interaction_mode,omitempty" enum:"chat,agent" doc:"In place of the user's."`
	IncludeTools    *bool            `json:"include_tools,omitempty" doc:"false to leave the tools out; default true."`
	WorkspacePath   string           `json:"workspace_path,omitempty" maxLength:"4096" example:"/absolute/workspace/path"`
	UserQueryRaw    string           `json:"user_query_raw,omitempty" doc:"What the user says." example:"open file"`
	Messages        []HistoryMessage `json:"messages,omitempty" maxItems:"2000" doc:"The conversation. A user's message at its end is the query; those before it stand in place of the conversation's own."`

	// Extension.
	ConversationRef         string             `json:"conversation_ref,omitempty" maxLength:"128" doc:"Whose history comes before the query, if there is such a conversation of the user's."`
	QueryContext            *QueryContext      `json:"query_context,omitempty"`
	ScreenshotRefs          []string           `json:"screenshot_refs,omitempty" maxItems:"50"`
	RepoInstructionMessages []RepoInstruction  `json:"repo_instruction_messages,omitzero" maxItems:"50"`
	AgentDefinition         *WSAgentDefinition `json:"agent_definition,omitempty" doc:"What the client's handshake says, which narrows the tools and brings others."`
}

// PromptMessage is a message in the form in which a model would get it.
type PromptMessage struct {
	Role        string             `json:"role" enum:"user,assistant,tool"`
	Content     string             `json:"content" doc:"Its texts, one behind the other."`
	Images      int                `json:"images,omitempty" doc:"How many images it has besides."`
	Thinking    string             `json:"thinking,omitempty" doc:"What a model thought, which its provider is sent back."`
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
	OriginalQuery   string `json:"original_query" doc:"What the user said."`
	ContextType     string `json:"context_type" enum:"initial" doc:"Told once a turn, before the model is first asked."`
	InjectedContext string `json:"injected_context" doc:"What stands before it."`
	ActiveWindow    string `json:"active_window,omitempty"`
}

// TokenCounts holds the tokens of the parts of a prompt. Their sum is the prompt's.
type TokenCounts struct {
	System           int `json:"system"`
	Tools            int `json:"tools"`
	RepoInstructions int `json:"repo_instructions"`
	History          int `json:"history" doc:"The messages before the query."`
	Memory           int `json:"memory" doc:"What the client added to the query: memory, attachments, and what its machine is like."`
	Query            int `json:"query" doc:"The query itself, images included."`
}

// PromptPreview is the response of PromptPreviewPath.
type PromptPreview struct {
	Config               ConfigSnapshot   `json:"config"`
	SystemPrompt         string           `json:"system_prompt"`
	PromptMessages       []PromptMessage  `json:"prompt_messages" doc:"All that the model is sent, after the system prompt."`
	CanonicalToolSchemas []FunctionSchema `json:"canonical_tool_schemas"`
	ProviderToolSchemas  []FunctionSchema `json:"provider_tool_schemas"`
	UserMessageFull      *UserMessageFull `json:"user_message_full"`
	PromptTokenCount     *int             `json:"prompt_token_count" doc:"An estimate: usually within 15 %, by OpenAI's count."`
	TokenCountError      *string          `json:"token_count_error" doc:"Why there is no prompt_token_count."`
	TokenCounts          TokenCounts      `json:"token_counts" doc:"The same, by parts."`
	TokenCountSource     string           `json:"token_count_source" enum:"estimated"`
}

// QueryPlan is the response of QueryPlanPath.
type QueryPlan struct {
	PromptPreview

	QueryMessage       PlannedQuery   `json:"query_message" doc:"What to send at /ws, with an id, for this to happen. Nothing sends it by itself."`
	TransparencyEvents []PlannedEvent `json:"transparency_events" doc:"What comes back first, in order."`
}

// PlannedQuery is a query that the gateway did not send.
type PlannedQuery struct {
	Type    string         `json:"type" enum:"query"`
	Payload WSQueryPayload `json:"payload"`
}

// PlannedEvent is a message that would send a PlannedQuery.
type PlannedEvent struct {
	Type    string          `json:"type" enum:"system-prompt,user-message-full,tool-schemas"`
	Payload json.RawMessage `json:"payload"`
}
