package sdkapi

import "encoding/json"

// Paths of the OpenAI-compatible API, at which programs for OpenAI's API find the gateway's models.
// A client's base URL ends with OpenAIPath.
const (
	OpenAIPath               = "/openai/v1"
	OpenAIModelsPath         = OpenAIPath + "/models"
	OpenAIChatPath           = OpenAIPath + "/chat/completions"
	OpenAIEmbeddingsPath     = OpenAIPath + "/embeddings"
	OpenAISpeechPath         = OpenAIPath + "/audio/speech"
	OpenAITranscriptionsPath = OpenAIPath + "/audio/transcriptions"
)

// Bounds of the OpenAI-compatible API.
const (
	// MaxOpenAIMessages bounds the messages of a request to /openai/v1/chat/completions, and the items
	// of a conversation at /openai/v1/responses; beyond it: 422 VALIDATION_ERROR.
	MaxOpenAIMessages = 2000
	// MaxOpenAIParts bounds the parts of a message at /openai/v1/chat/completions; beyond it: 422
	// VALIDATION_ERROR.
	MaxOpenAIParts = 100
	// MaxOpenAITools bounds the tools of a request to /openai/v1/chat/completions, and the calls of
	// one message; beyond it: 422 VALIDATION_ERROR.
	MaxOpenAITools = 128
	// MaxOpenAIStops bounds the number of stop sequences in a request; beyond it: 422
	// VALIDATION_ERROR.
	MaxOpenAIStops = 4
	// MaxOpenAIStop bounds a stop sequence, in bytes; beyond it: 422 VALIDATION_ERROR.
	MaxOpenAIStop = 256
	// MaxOpenAIAnswer bounds the max_completion_tokens or max_tokens of a request; beyond it: 422
	// VALIDATION_ERROR.
	MaxOpenAIAnswer = 1 << 24
	// MaxOpenAIInputs bounds the number of texts in a request to /openai/v1/embeddings; beyond it:
	// 422 VALIDATION_ERROR.
	MaxOpenAIInputs = 256
	// MaxOpenAISpeech bounds a text for /openai/v1/audio/speech, in characters; beyond it: 422
	// VALIDATION_ERROR.
	MaxOpenAISpeech = 4096
	// MaxOpenAISound bounds a recording for /openai/v1/audio/transcriptions, in bytes; beyond it:
	// 413 PAYLOAD_TOO_LARGE.
	MaxOpenAISound = 25 << 20
)

// OpenAIModels is the response of OpenAIModelsPath.
type OpenAIModels struct {
	Object string        `json:"object" enum:"list"`
	Data   []OpenAIModel `json:"data"`
}

// OpenAIModel is an available model.
type OpenAIModel struct {
	ID      string `json:"id" doc:"Id of the model: for a language model, its id in the catalogue; for the embedding model, its model_id."`
	Object  string `json:"object" enum:"model"`
	Created int64  `json:"created" doc:"When the gateway started, in seconds since 1970. The model's own date is unknown."`
	OwnedBy string `json:"owned_by" doc:"Provider of the model."`
}

// OpenAIChat is a chat completion request. The gateway refuses some fields that OpenAIChat does not
// have, and ignores the others; docs/http-api.md lists them.
type OpenAIChat struct {
	Model               string               `json:"model" doc:"Id of a listed model. An empty id, or default, means the gateway's default model."`
	Messages            []OpenAIMessage      `json:"messages" minItems:"1" maxItems:"2000" doc:"Messages, oldest first. A message with the role system or developer is an instruction, wherever it is in the list."`
	Stream              bool                 `json:"stream,omitempty" doc:"If true, the answer is streamed as server-sent events. The last event is data: [DONE]."`
	StreamOptions       *OpenAIStreamOptions `json:"stream_options,omitempty"`
	Temperature         *float64             `json:"temperature,omitempty" minimum:"0" maximum:"2" doc:"How freely the model chooses words. The value 0 requests the most likely answer."`
	TopP                *float64             `json:"top_p,omitempty" minimum:"0" maximum:"1" doc:"Probability of the words among which the model chooses."`
	PresencePenalty     *float64             `json:"presence_penalty,omitempty" minimum:"-2" maximum:"2" doc:"Above 0, the model prefers words that the text does not contain."`
	FrequencyPenalty    *float64             `json:"frequency_penalty,omitempty" minimum:"-2" maximum:"2" doc:"Above 0, the model avoids words that the text often contains."`
	Seed                *int64               `json:"seed,omitempty" doc:"Requests with the same seed get similar answers, if the provider supports that."`
	MaxTokens           *int                 `json:"max_tokens,omitempty" minimum:"1" maximum:"16777216" doc:"Older name of max_completion_tokens. If both are set, max_completion_tokens applies."`
	MaxCompletionTokens *int                 `json:"max_completion_tokens,omitempty" minimum:"1" maximum:"16777216" doc:"Maximum tokens of the answer, including reasoning. The user's budget must have room for these tokens."`
	N                   *int                 `json:"n,omitempty" doc:"Number of answers. It must be 1."`
	Stop                json.RawMessage      `json:"stop,omitempty" doc:"A stop sequence, or a list of up to four stop sequences, of at most 256 bytes each. The answer ends before the first stop sequence."`
	Tools               []OpenAITool         `json:"tools,omitempty" maxItems:"128"`
	ToolChoice          json.RawMessage      `json:"tool_choice,omitempty" doc:"none: the model cannot call tools. auto: it may call them. required: it must call one. {\"type\": \"function\", \"function\": {\"name\": …}}: it must call this tool. {\"type\": \"allowed_tools\", \"allowed_tools\": {\"mode\": …, \"tools\": […]}}: auto or required, with these tools only."`
	ParallelToolCalls   *bool                `json:"parallel_tool_calls,omitempty" doc:"If false, the answer has at most one call."`
	ResponseFormat      *OpenAIFormat        `json:"response_format,omitempty"`
	ReasoningEffort     string               `json:"reasoning_effort,omitempty" doc:"Reasoning effort, in the provider's terms."`
}

// OpenAIStreamOptions selects additional content of a stream.
type OpenAIStreamOptions struct {
	IncludeUsage bool `json:"include_usage,omitempty" doc:"If true, the stream has an additional last chunk. It contains the usage and an empty list of choices."`
}

// OpenAIFormat is the required format of an answer.
type OpenAIFormat struct {
	Type       string        `json:"type" enum:"text,json_object,json_schema" doc:"text; json_object, for a JSON object; or json_schema, for JSON that matches a schema."`
	JSONSchema *OpenAISchema `json:"json_schema,omitempty" doc:"The schema. Only if the type is json_schema."`
}

// OpenAISchema is the schema of an answer.
type OpenAISchema struct {
	Name        string          `json:"name" maxLength:"64" pattern:"^[A-Za-z0-9_-]+$"`
	Description string          `json:"description,omitempty" doc:"Purpose of the answer, for the model."`
	Schema      json.RawMessage `json:"schema" doc:"JSON Schema of the answer. It has no references to other documents."`
	Strict      *bool           `json:"strict,omitempty" doc:"If true, the provider follows the schema exactly or refuses it. The gateway checks the answer in any case."`
}

// OpenAIMessage is a message of a request.
type OpenAIMessage struct {
	Role       string           `json:"role" enum:"system,developer,user,assistant,tool"`
	Content    json.RawMessage  `json:"content,omitempty" doc:"A text, or a list of parts. A part is {\"type\": \"text\", \"text\": …}. In a user's message, a part may also be {\"type\": \"image_url\", \"image_url\": {\"url\": \"data:image/png;base64,…\"}}. The url may also be \"artifact:\" followed by the id of an artifact."`
	ToolCalls  []OpenAIToolCall `json:"tool_calls,omitempty" maxItems:"128" doc:"Tool calls of the model. Only if the role is assistant."`
	ToolCallID string           `json:"tool_call_id,omitempty" doc:"Id of the call that the message answers. Only if the role is tool."`
	Name       string           `json:"name,omitempty"`
}

// OpenAIPart is a part of a message.
type OpenAIPart struct {
	Type     string `json:"type" enum:"text,image_url"`
	Text     string `json:"text,omitempty"`
	ImageURL *struct {
		URL string `json:"url"`
	} `json:"image_url,omitempty"`
}

// OpenAITool is a tool of the client.
type OpenAITool struct {
	Type     string         `json:"type" enum:"function"`
	Function OpenAIFunction `json:"function"`
}

// OpenAIFunction describes a tool.
type OpenAIFunction struct {
	Name        string          `json:"name" maxLength:"64" pattern:"^[A-Za-z0-9_-]+$"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty" doc:"JSON Schema of the arguments, as a JSON object."`
	Strict      *bool           `json:"strict,omitempty" doc:"If true, the arguments match the schema, or the request fails."`
}

// OpenAIToolCall is a tool call that a model requests.
type OpenAIToolCall struct {
	Index    *int             `json:"index,omitempty" doc:"Index of the call in the answer. Only in a stream."`
	ID       string           `json:"id"`
	Type     string           `json:"type" enum:"function"`
	Function OpenAICalledWith `json:"function"`
}

// OpenAICalledWith holds the name and the arguments of a call.
type OpenAICalledWith struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments" doc:"Arguments of the call: a JSON object, as text."`
}

// OpenAIAnswer is a whole chat completion. If Object is "chat.completion.chunk", it is a piece of a
// chat completion.
type OpenAIAnswer struct {
	ID      string         `json:"id"`
	Object  string         `json:"object" enum:"chat.completion,chat.completion.chunk"`
	Created int64          `json:"created" doc:"Time of the answer, in seconds since 1970."`
	Model   string         `json:"model"`
	Choices []OpenAIChoice `json:"choices" doc:"A list with one choice. In the chunk with the usage, the list is empty."`
	Usage   *OpenAIUsage   `json:"usage,omitempty"`
}

// OpenAIChoice is a model's answer, or a piece of the answer.
type OpenAIChoice struct {
	Index        int               `json:"index"`
	Message      *OpenAIMessageOut `json:"message,omitempty" doc:"The whole answer. Absent in a stream."`
	Delta        *OpenAIMessageOut `json:"delta,omitempty" doc:"The new part of the answer. Only in a stream."`
	FinishReason *string           `json:"finish_reason" enum:"stop,length,tool_calls,content_filter" doc:"Why the answer ended. Null until the answer has ended."`
}

// OpenAIMessageOut is a message of a model.
type OpenAIMessageOut struct {
	Role      string           `json:"role,omitempty"`
	Content   *string          `json:"content,omitempty"`
	Reasoning string           `json:"reasoning_content,omitempty" doc:"The model's reasoning, if the provider returns it."`
	ToolCalls []OpenAIToolCall `json:"tool_calls,omitempty"`
}

// OpenAIUsage is the usage of a request, in tokens.
type OpenAIUsage struct {
	PromptTokens     int               `json:"prompt_tokens"`
	CompletionTokens int               `json:"completion_tokens"`
	TotalTokens      int               `json:"total_tokens"`
	Prompt           OpenAIPromptUsage `json:"prompt_tokens_details"`
	Completion       OpenAIAnswerUsage `json:"completion_tokens_details"`
}

// OpenAIPromptUsage counts the tokens of a request that came from a provider's cache.
type OpenAIPromptUsage struct {
	CachedTokens int `json:"cached_tokens"`
}

// OpenAIAnswerUsage counts the reasoning tokens of an answer.
type OpenAIAnswerUsage struct {
	ReasoningTokens int `json:"reasoning_tokens"`
}

// OpenAIEmbeddings is a request for vectors.
type OpenAIEmbeddings struct {
	Model          string          `json:"model" doc:"Id of the gateway's embedding model, or \"default\"."`
	Input          json.RawMessage `json:"input" doc:"A text, or a list of up to 256 texts."`
	EncodingFormat string          `json:"encoding_format,omitempty" enum:"float,base64" doc:"Form of the vectors. With base64, the numbers are little endian 32-bit floats."`
	Dimensions     *int            `json:"dimensions,omitempty" doc:"Length of the vectors. It must be the model's own dimension."`
}

// OpenAIVectors is the response to OpenAIEmbeddings.
type OpenAIVectors struct {
	Object string          `json:"object" enum:"list"`
	Data   []OpenAIVector  `json:"data"`
	Model  string          `json:"model"`
	Usage  OpenAITextUsage `json:"usage"`
}

// OpenAIVector is the vector of a text.
type OpenAIVector struct {
	Object    string `json:"object" enum:"embedding"`
	Index     int    `json:"index"`
	Embedding any    `json:"embedding" doc:"The vector, as a list of numbers or as base64."`
}

// OpenAITextUsage is the estimated size of the texts of a request, in tokens.
type OpenAITextUsage struct {
	PromptTokens int `json:"prompt_tokens"`
	TotalTokens  int `json:"total_tokens"`
}

// OpenAISpeech is a request to speak a text.
type OpenAISpeech struct {
	Model          string   `json:"model,omitempty" doc:"Ignored: the gateway has one voice."`
	Voice          string   `json:"voice,omitempty" doc:"Ignored: the gateway has one voice."`
	Input          string   `json:"input" minLength:"1" doc:"The text, of at most 4,096 characters."`
	ResponseFormat string   `json:"response_format,omitempty" enum:"wav,pcm" doc:"wav (the default), or pcm with 16 bits, little endian, 24 kHz and one channel. Other values are rejected, because the gateway has no encoder."`
	Speed          *float64 `json:"speed,omitempty" doc:"Speed of the speech. It must be 1."`
}

// OpenAITranscript is the text of a recording.
type OpenAITranscript struct {
	Text string `json:"text"`
}
