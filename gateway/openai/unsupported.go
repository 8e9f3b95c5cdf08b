package openai

import (
	"bytes"
	"encoding/json"
	"slices"
)

// unsupported is a field of OpenAI's API that the gateway lacks.
type unsupported struct {
	name     string
	harmless []string // values that ask for nothing, as JSON without spaces; null is always one
	advice   string   // the expected value
}

// unsupportedInChat lists the fields of chat completions that the gateway refuses, because ignoring
// them would mislead the client.
var unsupportedInChat = []unsupported{
	{"functions", []string{"[]"}, "expected no value: send tools"},
	{"function_call", []string{`"none"`}, "expected no value: send tool_choice"},
	{"logprobs", []string{"false"}, "expected false: the gateway returns no log probabilities"},
	{"top_logprobs", []string{"0"}, "expected no value: the gateway returns no log probabilities"},
	{"logit_bias", []string{"{}"}, "expected no value: not every provider has it"},
	{"modalities", []string{"[]", `["text"]`}, `expected ["text"]`},
	{"audio", nil, "expected no value: the gateway speaks texts at /audio/speech"},
	{"prediction", nil, "expected no value: not every provider has it"},
	{"web_search_options", nil, "expected no value: not every provider has it"},
	{"verbosity", []string{`"medium"`}, "expected no value: not every provider has it"},
	{"moderation", nil, "expected no value: the gateway has no moderation"},
}

// refuse returns a VALIDATION_ERROR for the first field of a JSON object that the gateway lacks. It
// accepts a text that is not a JSON object.
func refuse(body []byte, fields []unsupported) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(body, &given); err != nil {
		return nil //nolint:nilerr // the text is checked elsewhere
	}
	for _, field := range fields {
		raw := given[field.name]
		if isNull(raw) {
			continue
		}
		var compact bytes.Buffer
		_ = json.Compact(&compact, raw) // it is valid
		if !slices.Contains(field.harmless, compact.String()) {
			return invalid("body."+field.name, "%s", field.advice)
		}
	}
	return nil
}
