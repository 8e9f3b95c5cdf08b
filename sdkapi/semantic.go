package sdkapi

// Paths of the routes that summarise and name conversations.
const (
	SemanticSummarizePath = "/api/semantic/summarize"
	SemanticTitlePath     = "/api/semantic/title"
	SemanticHealthPath    = "/api/semantic/health"
)

// MaxSemanticText bounds a conversation or message for /api/semantic, in bytes; beyond it: 422
// VALIDATION_ERROR.
const MaxSemanticText = 32 << 10

// MaxSemanticTexts bounds the conversations that are summarised at once; beyond it: 422
// VALIDATION_ERROR.
const MaxSemanticTexts = 100

// SemanticSummarize asks for a summary of conversations.
type SemanticSummarize struct {
	Conversations []string `json:"conversations" minItems:"1" maxItems:"100" nullable:"false" doc:"The conversations as text, of at most 32 KiB each; lines that begin with user: and assistant: say who speaks."`
	UserID        string   `json:"user_id" minLength:"1" maxLength:"128" doc:"Whose they are; that of the token, where there is one. default_user is nobody."`
}

// SemanticSummary is the summary of the conversations.
type SemanticSummary struct {
	Summary string   `json:"summary"`
	Facts   []string `json:"facts" nullable:"false" doc:"Lasting facts about the user, one sentence each."`
	Success bool     `json:"success"`
	Method  string   `json:"method" enum:"model,rules" doc:"Who wrote it: a language model, or rules where the user has none; rules repeat sentences."`
}

// SemanticTitleRequest asks for the title of a conversation.
type SemanticTitleRequest struct {
	UserID           string `json:"user_id" minLength:"1" maxLength:"128" doc:"Whose it is; that of the token, where there is one. default_user is nobody."`
	UserMessage      string `json:"user_message" doc:"The user's first message, of at most 32 KiB."`
	AssistantMessage string `json:"assistant_message" doc:"The answer to it, of at most 32 KiB."`
	ModelID          string `json:"model_id,omitempty" maxLength:"256" doc:"The model to ask, in place of the user's."`
	ModelProvider    string `json:"model_provider,omitempty" maxLength:"256" doc:"Its provider; model_id says which too."`
}

// SemanticTitle is the title of a conversation.
type SemanticTitle struct {
	Title   string `json:"title" example:"Password reset"`
	Success bool   `json:"success"`
	Method  string `json:"method" enum:"model,rules" doc:"Who wrote it: a language model, or rules where the user has none."`
}

// SemanticHealth reports that the gateway can summarise conversations.
type SemanticHealth struct {
	Status  string `json:"status" enum:"healthy"`
	Message string `json:"message"`
}
