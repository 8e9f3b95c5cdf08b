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

// MaxSemanticTexts bounds the conversations of one summary; beyond it: 422 VALIDATION_ERROR.
const MaxSemanticTexts = 100

// SemanticSummarize asks for a summary of conversations.
type SemanticSummarize struct {
	Conversations []string `json:"conversations" minItems:"1" maxItems:"100" nullable:"false" doc:"The conversations as text, at most 32 KiB each. Lines begin with user: or assistant:."`
	UserID        string   `json:"user_id" minLength:"1" maxLength:"128" doc:"The user. If the request has a token, this is the token's user. The value default_user means no user."`
}

// SemanticSummary is the summary of the conversations.
type SemanticSummary struct {
	Summary string   `json:"summary"`
	Facts   []string `json:"facts" nullable:"false" doc:"Lasting facts about the user, one sentence each."`
	Success bool     `json:"success"`
	Method  string   `json:"method" enum:"model,rules" doc:"How the summary was made: by a language model, or by rules if the user has no model. The rules only copy sentences of the conversations."`
}

// SemanticTitleRequest asks for the title of a conversation.
type SemanticTitleRequest struct {
	UserID           string `json:"user_id" minLength:"1" maxLength:"128" doc:"The user. If the request has a token, this is the token's user. The value default_user means no user."`
	UserMessage      string `json:"user_message" doc:"The user's first message, of at most 32 KiB."`
	AssistantMessage string `json:"assistant_message" doc:"The assistant's answer to the first message, of at most 32 KiB."`
	ModelID          string `json:"model_id,omitempty" maxLength:"256" doc:"Model that replaces the user's model."`
	ModelProvider    string `json:"model_provider,omitempty" maxLength:"256" doc:"Provider of the model. It may be absent if model_id is set."`
}

// SemanticTitle is the title of a conversation.
type SemanticTitle struct {
	Title   string `json:"title" example:"Password reset"`
	Success bool   `json:"success"`
	Method  string `json:"method" enum:"model,rules" doc:"How the title was made: by a language model, or by rules if the user has no model."`
}

// SemanticHealth reports that the gateway can summarise conversations.
type SemanticHealth struct {
	Status  string `json:"status" enum:"healthy"`
	Message string `json:"message"`
}
