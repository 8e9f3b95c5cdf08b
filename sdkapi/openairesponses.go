package sdkapi

import "encoding/json"

// OpenAIResponsesPath is the path of the responses of the OpenAI-compatible API.
const OpenAIResponsesPath = OpenAIPath + "/responses"

// OpenAIResponseRequest is a request for a response. The gateway refuses some fields that
// OpenAIResponseRequest does not have, and ignores the others; docs/http-api.md lists them.
type OpenAIResponseRequest struct {
	Model              string            `json:"model" doc:"Id of a listed model. An empty id, or default, means the gateway's default model."`
	Input              json.RawMessage   `json:"input" doc:"A text of the user, or a list of items, oldest first: messages, function_call and function_call_output."`
	Instructions       string            `json:"instructions,omitempty" doc:"Instructions for this response. A later response does not inherit them."`
	PreviousResponseID string            `json:"previous_response_id,omitempty" doc:"Id of the stored response that this one continues."`
	Store              *bool             `json:"store,omitempty" doc:"If false, the gateway does not store the response. Default true."`
	Stream             bool              `json:"stream,omitempty" doc:"If true, the response is streamed as server-sent events."`
	Temperature        *float64          `json:"temperature,omitempty" minimum:"0" maximum:"2"`
	TopP               *float64          `json:"top_p,omitempty" minimum:"0" maximum:"1"`
	MaxOutputTokens    *int              `json:"max_output_tokens,omitempty" minimum:"1" maximum:"16777216" doc:"Maximum tokens of the answer, including reasoning."`
	Tools              []OpenAIFlatTool  `json:"tools,omitempty" maxItems:"128"`
	ToolChoice         json.RawMessage   `json:"tool_choice,omitempty" doc:"none, auto, required, {\"type\": \"function\", \"name\": …}, or {\"type\": \"allowed_tools\", \"mode\": …, \"tools\": […]}."`
	ParallelToolCalls  *bool             `json:"parallel_tool_calls,omitempty" doc:"If false, the answer has at most one call."`
	Text               *OpenAITextConfig `json:"text,omitempty"`
	Reasoning          *OpenAIReasoning  `json:"reasoning,omitempty"`
	Metadata           map[string]string `json:"metadata,omitempty" doc:"Up to 16 texts of at most 512 bytes, which the response repeats."`
	Include            []string          `json:"include,omitempty" doc:"Only reasoning.encrypted_content, which has no effect: the output has no reasoning."`
}

// OpenAITextConfig configures the text of a response.
type OpenAITextConfig struct {
	Format *OpenAIFlatFormat `json:"format,omitempty"`
}

// OpenAIFlatFormat is the required format of a response's text.
type OpenAIFlatFormat struct {
	Type        string          `json:"type" enum:"text,json_object,json_schema"`
	Name        string          `json:"name,omitempty" maxLength:"64" doc:"Only if the type is json_schema, as are the fields below."`
	Description string          `json:"description,omitempty" doc:"Purpose of the answer, for the model."`
	Schema      json.RawMessage `json:"schema,omitempty" doc:"JSON Schema of the answer. It has no references to other documents."`
	Strict      *bool           `json:"strict,omitempty" doc:"If true, the provider follows the schema exactly or refuses it."`
}

// OpenAIReasoning configures the reasoning of a response.
type OpenAIReasoning struct {
	Effort string `json:"effort,omitempty" doc:"Reasoning effort, in the provider's terms."`
}

// OpenAIFlatTool is a tool of the client, or a namespace with several tools.
type OpenAIFlatTool struct {
	Type string `json:"type" enum:"function,namespace,web_search" doc:"function; namespace, for a group of functions; or web_search, which has no effect."`
	OpenAIFunction
	Tools []OpenAIGroupedTool `json:"tools,omitempty" maxItems:"128" doc:"Functions of a namespace."`
}

// OpenAIGroupedTool is a function of a namespace.
type OpenAIGroupedTool struct {
	Type string `json:"type" enum:"function"`
	OpenAIFunction
}

// OpenAIResponse is a response of a model.
type OpenAIResponse struct {
	ID                 string              `json:"id"`
	Object             string              `json:"object" enum:"response"`
	CreatedAt          int64               `json:"created_at" doc:"Time of the response, in seconds since 1970."`
	Status             string              `json:"status" enum:"in_progress,completed,incomplete,failed"`
	Error              *OpenAIFailure      `json:"error" doc:"Why the response failed. Null if it did not."`
	Incomplete         *OpenAIIncomplete   `json:"incomplete_details" doc:"Why the response is incomplete. Null if it is complete."`
	Instructions       *string             `json:"instructions"`
	MaxOutputTokens    *int                `json:"max_output_tokens"`
	Metadata           map[string]string   `json:"metadata"`
	Model              string              `json:"model"`
	Output             []OpenAIOutput      `json:"output"`
	ParallelToolCalls  bool                `json:"parallel_tool_calls"`
	PreviousResponseID *string             `json:"previous_response_id"`
	Reasoning          OpenAIReasoning     `json:"reasoning"`
	Store              bool                `json:"store" doc:"True if clients can get and continue the response."`
	Temperature        *float64            `json:"temperature"`
	Text               OpenAITextConfig    `json:"text"`
	ToolChoice         json.RawMessage     `json:"tool_choice"`
	Tools              []OpenAIFlatTool    `json:"tools"`
	TopP               *float64            `json:"top_p"`
	Truncation         string              `json:"truncation" enum:"disabled"`
	Usage              *OpenAIResponseCost `json:"usage" doc:"Usage of the response. Null until it is complete."`
}

// OpenAIFailure is the reason of a failed response.
type OpenAIFailure struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// OpenAIIncomplete is the reason of an incomplete response.
type OpenAIIncomplete struct {
	Reason string `json:"reason" enum:"max_output_tokens,content_filter"`
}

// OpenAIOutput is an item of a response: a message, or a call of a tool.
type OpenAIOutput struct {
	ID        string              `json:"id"`
	Type      string              `json:"type" enum:"message,function_call"`
	Status    string              `json:"status" enum:"in_progress,completed,incomplete"`
	Role      string              `json:"role,omitempty" enum:"assistant" doc:"Only of a message."`
	Content   *[]OpenAIOutputText `json:"content,omitempty" doc:"Only of a message."`
	CallID    string              `json:"call_id,omitempty" doc:"Id of the call. Only of a function_call, as are the fields below."`
	Namespace string              `json:"namespace,omitempty" doc:"Namespace of the called function, if it has one."`
	Name      string              `json:"name,omitempty"`
	Arguments *string             `json:"arguments,omitempty" doc:"Arguments of the call: a JSON object, as text."`
}

// OpenAIOutputText is a text of a message.
type OpenAIOutputText struct {
	Type        string            `json:"type" enum:"output_text"`
	Text        string            `json:"text"`
	Annotations []json.RawMessage `json:"annotations" maxItems:"0"`
	LogProbs    []json.RawMessage `json:"logprobs" maxItems:"0"`
}

// OpenAIResponseCost is the usage of a response, in tokens.
type OpenAIResponseCost struct {
	InputTokens  int               `json:"input_tokens"`
	Input        OpenAIPromptUsage `json:"input_tokens_details"`
	OutputTokens int               `json:"output_tokens"`
	Output       OpenAIAnswerUsage `json:"output_tokens_details"`
	TotalTokens  int               `json:"total_tokens"`
}

// OpenAIDeleted is the response to the deletion of a response.
type OpenAIDeleted struct {
	ID      string `json:"id"`
	Object  string `json:"object" enum:"response"`
	Deleted bool   `json:"deleted"`
}

// OpenAIResponseEvent is an event of a streamed response. Its type decides which fields it has.
type OpenAIResponseEvent struct {
	Type           string             `json:"type" enum:"response.created,response.in_progress,response.output_item.added,response.content_part.added,response.output_text.delta,response.output_text.done,response.content_part.done,response.function_call_arguments.delta,response.function_call_arguments.done,response.output_item.done,response.completed,response.incomplete,response.failed,error"`
	SequenceNumber int                `json:"sequence_number" doc:"Number of the event in the stream, from 0."`
	Response       *OpenAIResponse    `json:"response,omitempty"`
	ItemID         string             `json:"item_id,omitempty"`
	OutputIndex    *int               `json:"output_index,omitempty"`
	ContentIndex   *int               `json:"content_index,omitempty"`
	Item           *OpenAIOutput      `json:"item,omitempty"`
	Part           *OpenAIOutputText  `json:"part,omitempty"`
	Delta          *string            `json:"delta,omitempty"`
	Text           *string            `json:"text,omitempty"`
	Name           string             `json:"name,omitempty"`
	Arguments      *string            `json:"arguments,omitempty"`
	LogProbs       *[]json.RawMessage `json:"logprobs,omitempty"`
	Code           Code               `json:"code,omitempty"`
	Message        string             `json:"message,omitempty"`
	Param          string             `json:"param,omitempty"`
}
