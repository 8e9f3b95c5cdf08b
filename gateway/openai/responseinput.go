package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// Limits of a response's metadata.
const (
	maxMetadata     = 16  // texts
	maxMetadataText = 512 // bytes of a name or a text
)

// unsupportedInResponses lists the fields of responses that the gateway refuses.
var unsupportedInResponses = []unsupported{
	{"background", []string{"false"}, "expected false: the gateway answers at once"},
	{"conversation", nil, "expected no value: send previous_response_id"},
	{"prompt", nil, "expected no value: send instructions and input"},
	{"max_tool_calls", nil, "expected no value: the gateway has no hosted tools of OpenAI"},
	{"top_logprobs", []string{"0"}, "expected no value: the gateway returns no log probabilities"},
	{"truncation", []string{`"disabled"`}, "expected disabled: the gateway shortens no conversation"},
	{"moderation", nil, "expected no value: the gateway has no moderation"},
	{"context_management", []string{"[]"}, "expected no value: the gateway shortens no conversation"},
}

// encryptedReasoning is a value of include that has no effect, because the output has no reasoning.
const encryptedReasoning = "reasoning.encrypted_content"

// item is an item of a response's input.
type item struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Namespace string          `json:"namespace"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Output    json.RawMessage `json:"output"`
}

// itemsOf parses the field input: a text, or a list of items.
func itemsOf(raw json.RawMessage) (items []json.RawMessage, err error) {
	var text string
	if json.Unmarshal(raw, &text) == nil && !isNull(raw) {
		one, err := json.Marshal(map[string]string{"type": "message", "role": "user", "content": text})
		return []json.RawMessage{one}, err
	}
	if json.Unmarshal(raw, &items) != nil || len(items) == 0 || len(items) > sdkapi.MaxOpenAIMessages {
		return nil, invalid("body.input", "expected a text, or a list of 1 to %d items", sdkapi.MaxOpenAIMessages)
	}
	return items, nil
}

// paths maps paths of a chat request to paths of the request for a response that it was made from.
type paths []struct{ chat, response string }

// renamed returns a VALIDATION_ERROR with the paths of the request for a response.
func (p paths) renamed(err error) error {
	f := fault.From(err)
	for _, name := range p {
		for _, field := range f.Details.Fields {
			rest, found := strings.CutPrefix(field.Path, name.chat)
			if found && (rest == "" || rest[0] == '.' || rest[0] == '[') {
				f = f.Renamed(name.chat, name.response)
				f.Message = strings.Replace(f.Message, field.Path, name.response+rest, 1)
				return f
			}
		}
	}
	return err
}

// chatOf converts a request for a response to the chat request that asks for the same. The
// parameters before and input have the items of the conversation.
func chatOf(in *sdkapi.OpenAIResponseRequest, before, input []json.RawMessage) (chat *sdkapi.OpenAIChat, names paths, err error) {
	if err := unsupportedValues(in); err != nil {
		return nil, nil, err
	}
	chat = &sdkapi.OpenAIChat{
		Model: in.Model, Temperature: in.Temperature, TopP: in.TopP, MaxCompletionTokens: in.MaxOutputTokens, ParallelToolCalls: in.ParallelToolCalls,
	}
	rename := func(chat, response string) {
		names = append(names, struct{ chat, response string }{chat, response})
	}
	rename("body.max_completion_tokens", "body.max_output_tokens")
	rename("body.response_format.json_schema", "body.text.format")
	rename("body.response_format", "body.text.format")
	if in.Reasoning != nil {
		chat.ReasoningEffort = in.Reasoning.Effort
	}
	if in.Text != nil && in.Text.Format != nil {
		f := in.Text.Format
		chat.ResponseFormat = &sdkapi.OpenAIFormat{Type: f.Type, JSONSchema: &sdkapi.OpenAISchema{Name: f.Name, Description: f.Description, Schema: f.Schema, Strict: f.Strict}}
	}
	err = eachTool(in.Tools, func(t sdkapi.OpenAIFunction, at string) {
		rename(fmt.Sprintf("body.tools[%d].function", len(chat.Tools)), at)
		rename(fmt.Sprintf("body.tools[%d]", len(chat.Tools)), at)
		chat.Tools = append(chat.Tools, sdkapi.OpenAITool{Type: "function", Function: t})
	})
	if err != nil {
		return nil, nil, err
	}
	if chat.ToolChoice, err = nestedChoice(in.ToolChoice); err != nil {
		return nil, nil, err
	}
	if in.Instructions != "" {
		chat.Messages = append(chat.Messages, messageOf("system", in.Instructions))
	}
	for i, raw := range slices.Concat(before, input) {
		at := "body.previous_response_id"
		if i >= len(before) {
			at = fmt.Sprintf("body.input[%d]", i-len(before))
		}
		if err := addItem(chat, raw, at); err != nil {
			return nil, nil, err
		}
		rename(fmt.Sprintf("body.messages[%d]", len(chat.Messages)-1), at)
	}
	rename("body.messages", "body.input")
	return chat, names, nil
}

// unsupportedValues refuses values of fields that the gateway has.
func unsupportedValues(in *sdkapi.OpenAIResponseRequest) error {
	for _, value := range in.Include {
		if value != encryptedReasoning {
			return invalid("body.include", "expected no value but %s", encryptedReasoning)
		}
	}
	if len(in.Metadata) > maxMetadata {
		return invalid("body.metadata", "expected at most %d texts", maxMetadata)
	}
	for name, text := range in.Metadata {
		if len(name) > maxMetadataText || len(text) > maxMetadataText {
			return invalid("body.metadata", "expected names and texts of at most %d bytes", maxMetadataText)
		}
	}
	return nil
}

// nestedChoice converts a tool choice to the form of a chat request.
func nestedChoice(raw json.RawMessage) (json.RawMessage, error) {
	var flat struct {
		Type string `json:"type"`
		Name string `json:"name"`
		Mode string `json:"mode"`

		Namespace string `json:"namespace"`
		Tools     []struct {
			Type      string `json:"type"`
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
		} `json:"tools"`
	}
	if isNull(raw) || raw[0] != '{' {
		return raw, nil
	}
	if err := json.Unmarshal(raw, &flat); err != nil {
		return nil, invalid("body.tool_choice", "expected none, auto, required, a function or allowed_tools")
	}
	type object = map[string]any
	function := func(name string) object {
		return object{"type": "function", "function": object{"name": name}}
	}
	switch flat.Type {
	case "function":
		return json.Marshal(function(modelName(flat.Namespace, flat.Name)))
	case "allowed_tools":
		list := []object{}
		for _, t := range flat.Tools {
			list = append(list, function(modelName(t.Namespace, t.Name)))
		}
		return json.Marshal(object{"type": flat.Type, "allowed_tools": object{"mode": flat.Mode, "tools": list}})
	}
	return nil, invalid("body.tool_choice", "expected none, auto, required, a function or allowed_tools")
}

// messageOf returns a message with a text.
func messageOf(role, text string) sdkapi.OpenAIMessage {
	content, _ := json.Marshal(text) // strings always marshal
	return sdkapi.OpenAIMessage{Role: role, Content: content}
}

// addItem adds an item to the messages of a chat. Calls of one answer share a message. at is the
// item's path in errors.
func addItem(chat *sdkapi.OpenAIChat, raw json.RawMessage, at string) error {
	var i item
	if err := json.Unmarshal(raw, &i); err != nil {
		return invalid(at, "expected an item: an object with the fields of its type")
	}
	switch cmp.Or(i.Type, "message") {
	case "message":
		content, err := contentOf(i.Content, at+".content")
		if err != nil {
			return err
		}
		chat.Messages = append(chat.Messages, sdkapi.OpenAIMessage{Role: i.Role, Content: content})
	case "function_call":
		call := sdkapi.OpenAIToolCall{ID: i.CallID, Type: "function", Function: sdkapi.OpenAICalledWith{Name: modelName(i.Namespace, i.Name), Arguments: i.Arguments}}
		last := len(chat.Messages) - 1
		if last < 0 || chat.Messages[last].Role != "assistant" {
			chat.Messages = append(chat.Messages, sdkapi.OpenAIMessage{Role: "assistant"})
			last++
		}
		chat.Messages[last].ToolCalls = append(chat.Messages[last].ToolCalls, call)
	case "function_call_output":
		content, err := contentOf(i.Output, at+".output")
		if err != nil {
			return err
		}
		chat.Messages = append(chat.Messages, sdkapi.OpenAIMessage{Role: "tool", ToolCallID: i.CallID, Content: content})
	case "reasoning": // of a client's other provider; no model could use it
	default:
		return invalid(at+".type", "expected message, function_call or function_call_output, not %q", plain.OneLine(i.Type, maxShown))
	}
	return nil
}

// contentOf converts the content of an item, which is a text or a list of parts, to the form of a
// chat.
func contentOf(raw json.RawMessage, at string) (json.RawMessage, error) {
	if raw = bytes.TrimSpace(raw); isNull(raw) || raw[0] != '[' {
		return raw, nil
	}
	var list []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Refusal  string `json:"refusal"`
		ImageURL string `json:"image_url"`
	}
	if json.Unmarshal(raw, &list) != nil {
		return nil, invalid(at, "expected a text, or a list of parts")
	}
	parts := []map[string]any{}
	for i, p := range list {
		switch p.Type {
		case "input_text", "output_text", "text":
			parts = append(parts, map[string]any{"type": "text", "text": p.Text})
		case "refusal":
			parts = append(parts, map[string]any{"type": "text", "text": p.Refusal})
		case "input_image":
			parts = append(parts, map[string]any{"type": "image_url", "image_url": map[string]string{"url": p.ImageURL}})
		default:
			return nil, invalid(fmt.Sprintf("%s[%d].type", at, i), "expected input_text, input_image, output_text or refusal, not %q", plain.OneLine(p.Type, maxShown))
		}
	}
	return json.Marshal(parts)
}
