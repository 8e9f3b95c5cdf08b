package sdkapi

// ModelList is the payload of a models-listed message: the models that a session may choose,
// grouped by where they run.
type ModelList struct {
	Local  []Model `json:"local" doc:"Models that run on the gateway's own machine or network."`
	Online []Model `json:"online" doc:"Models of providers that require a key."`
	Vision []Model `json:"vision" doc:"Models that are used only to read images."`
}

// Model is one model. Unknown properties are absent.
type Model struct {
	ID                      string             `json:"id" doc:"Value for selected_model_id. If a model has reasoning modes, each mode is a separate entry with its own id." example:"gpt-5.4@@gpt-5-4-none-thinking"`
	Provider                string             `json:"provider" doc:"Id of the provider in the gateway's catalogue of models." example:"openai"`
	RuntimeModelID          string             `json:"runtime_model_id,omitempty" doc:"Name of the model at its provider." example:"gpt-5.4"`
	FamilyID                string             `json:"family_id,omitempty" doc:"Id of the model, the same in all its entries." example:"openai::gpt-5.4"`
	FamilyLabel             string             `json:"family_label,omitempty" example:"GPT-5.4"`
	DisplayName             string             `json:"display_name" example:"GPT-5.4 None"`
	SupportsThinking        bool               `json:"supports_thinking,omitempty" doc:"Whether the model can think before it answers."`
	ReasoningMode           string             `json:"reasoning_mode,omitempty" doc:"Reasoning mode of this entry, in the provider's terms." example:"none"`
	ReasoningModes          []string           `json:"reasoning_modes,omitempty" doc:"Reasoning modes of the model's entries, from the least reasoning to the most."`
	DefaultReasoningMode    string             `json:"default_reasoning_mode,omitempty" example:"none"`
	DefaultModelID          string             `json:"default_model_id,omitempty" doc:"The id of the entry with the default mode." example:"gpt-5.4@@gpt-5-4-none-thinking"`
	SupportsNativeWebSearch bool               `json:"supports_native_web_search,omitempty" doc:"Whether the provider can search the web for the model. The gateway does not use this search."`
	Capabilities            *ModelCapabilities `json:"capabilities,omitempty"`
	ContextWindow           int                `json:"context_window,omitempty" doc:"Maximum length of a conversation, in tokens." example:"400000"`
	Description             string             `json:"description,omitempty"`
	Strengths               []string           `json:"strengths,omitempty" doc:"Strengths of the model, one word each."`
	InputPrice              string             `json:"input_price,omitempty" doc:"The operator's note on the price of input, for people." example:"Free"`
	OutputPrice             string             `json:"output_price,omitempty" doc:"The operator's note on the price of output, for people." example:"Free"`
	Latency                 string             `json:"latency,omitempty" doc:"The operator's note on the model's latency, for people." example:"~1.4s"`
}

// ModelCapabilities lists the features of a model.
type ModelCapabilities struct {
	SupportsNativeWebSearch bool `json:"supports_native_web_search"`
}
