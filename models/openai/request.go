package openai

import (
	"encoding/base64"
	"math"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"github.com/windieos/windie/models"
)

// Texts for parts that the protocol cannot express.
const (
	failed   = "Error: "                                // before the result of a failed call
	seeBelow = "(the result is the image that follows)" // for a result without text
	above    = "Images that the tools gave:"            // before the images of results
)

// request converts a request to the protocol's form. The names of fields depend on the dialect.
func (m *Model) request(req models.Request) openai.ChatCompletionRequest {
	out := openai.ChatCompletionRequest{
		Model: req.Model, Messages: messages(req), ReasoningEffort: req.Reasoning,
		StreamOptions: &openai.StreamOptions{IncludeUsage: true},
	}
	if m.dialect == Own {
		out.MaxCompletionTokens, out.SafetyIdentifier = req.MaxTokens, req.User
	} else {
		out.MaxTokens, out.User = req.MaxTokens, req.User //nolint:staticcheck // deprecated at OpenAI, and the only name that others know
	}
	out.Temperature, out.TopP = number(req.Sampling.Temperature), number(req.Sampling.TopP)
	out.PresencePenalty, out.FrequencyPenalty = number(req.Sampling.PresencePenalty), number(req.Sampling.FrequencyPenalty)
	if req.Sampling.Seed != nil {
		out.Seed = new(int(*req.Sampling.Seed))
	}
	for _, tool := range req.Tools {
		out.Tools = append(out.Tools, openai.Tool{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
			Name: tool.Name, Description: tool.Description, Parameters: tool.Schema, Strict: tool.Strict,
		}})
	}
	if req.MustCall {
		out.ToolChoice = "required"
	}
	if req.OneCall && len(out.Tools) > 0 {
		out.ParallelToolCalls = false
	}
	out.ResponseFormat = format(req.Format)
	return out
}

// number converts a parameter. The library omits 0, so 0 becomes the smallest other number.
func number(value *float64) float32 {
	switch {
	case value == nil:
		return 0
	case *value == 0:
		return math.SmallestNonzeroFloat32
	}
	return float32(*value)
}

// format converts the format of an answer. It returns nil for nil.
func format(f *models.Format) *openai.ChatCompletionResponseFormat {
	switch {
	case f == nil:
		return nil
	case len(f.Schema) == 0:
		return &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
	}
	return &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONSchema, JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
		Name: f.Name, Description: f.Description, Schema: f.Schema, Strict: f.Strict,
	}}
}

// messages converts a normalised conversation to the protocol's form.
func messages(req models.Request) []openai.ChatCompletionMessage {
	var c conversation
	if req.System != "" {
		c.out = append(c.out, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleSystem, Content: req.System})
	}
	for _, m := range req.Messages {
		switch m.Role {
		case models.User:
			c.user(m.Parts)
		case models.Assistant:
			c.flush()
			c.assistant(m.Parts)
		case models.ToolRole:
			for _, p := range m.Parts {
				c.result(p.Result)
			}
		}
	}
	c.flush()
	return c.out
}

// conversation collects the converted messages.
type conversation struct {
	out []openai.ChatCompletionMessage
	// Images of results, for the next message of the user, because results can have only text.
	waiting []openai.ChatMessagePart
}

// user adds a message of the user, after the waiting images of tool results.
func (c *conversation) user(parts []models.Part) {
	content := c.waiting
	c.waiting = nil
	for _, p := range parts {
		if p.Image != nil {
			content = append(content, picture(*p.Image))
		} else {
			content = append(content, openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: p.Text})
		}
	}
	m := openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser, MultiContent: content}
	if len(content) == 1 && content[0].Type == openai.ChatMessagePartTypeText {
		m.Content, m.MultiContent = content[0].Text, nil // small servers accept only this form
	}
	c.out = append(c.out, m)
}

// flush adds a message with the waiting images, if there are any.
func (c *conversation) flush() {
	if len(c.waiting) > 0 {
		c.user(nil)
	}
}

// assistant adds a message of the assistant. It omits thoughts, which no server accepts.
func (c *conversation) assistant(parts []models.Part) {
	m := openai.ChatCompletionMessage{Role: openai.ChatMessageRoleAssistant}
	for _, p := range parts {
		switch {
		case p.Text != "":
			m.Content += p.Text
		case p.Call != nil:
			m.ToolCalls = append(m.ToolCalls, openai.ToolCall{ID: p.Call.ID, Type: openai.ToolTypeFunction, Function: openai.FunctionCall{
				Name: p.Call.Name, Arguments: string(p.Call.Arguments),
			}})
		}
	}
	if m.Content != "" || m.ToolCalls != nil {
		c.out = append(c.out, m)
	}
}

// result adds the result of a call. Its images wait for the next message of the user.
func (c *conversation) result(r *models.Result) {
	var texts []string
	for _, p := range r.Parts {
		if p.Image == nil {
			texts = append(texts, p.Text)
			continue
		}
		if len(c.waiting) == 0 {
			c.waiting = append(c.waiting, openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: above})
		}
		c.waiting = append(c.waiting, picture(*p.Image))
	}
	if len(texts) == 0 {
		texts = []string{seeBelow}
	}
	if r.IsError {
		texts[0] = failed + texts[0]
	}
	c.out = append(c.out, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleTool, ToolCallID: r.CallID, Content: strings.Join(texts, "\n")})
}

// picture returns an image as a data URL.
func picture(img models.Image) openai.ChatMessagePart {
	url := "data:" + img.MediaType + ";base64," + base64.StdEncoding.EncodeToString(img.Data)
	return openai.ChatMessagePart{Type: openai.ChatMessagePartTypeImageURL, ImageURL: &openai.ChatMessageImageURL{URL: url}}
}
