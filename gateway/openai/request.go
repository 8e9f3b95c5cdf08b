package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// defaultModel is the model name for the user's default model.
const defaultModel = "default"

// question is a chat request, converted for a model.
type question struct {
	user    string
	named   string // the model's name in the answer
	model   models.Model
	request models.Request
	tools   *agent.View // the gateway's tools, which the gateway runs itself; nil for none
	stops   []string    // stop sequences: the answer ends before the first one
	checks  checks      // conditions that the answer must meet
	streams bool        // the client gets the text as it arrives, so that it cannot be repaired
}

// questionOf validates and converts a chat request.
func (s *door) questionOf(ctx context.Context, user string, in *sdkapi.OpenAIChat) (*question, error) {
	if err := bounded(in); err != nil {
		return nil, err
	}
	id := in.Model
	if id == defaultModel {
		id = ""
	}
	q := &question{user: user, named: cmp.Or(id, s.language.Default())}
	var err error
	q.model, q.request, err = s.language.Choose(ctx, user, id)
	if fault.CodeOf(err) == sdkapi.ValidationError {
		return nil, noModel(id, "body.model")
	}
	if err != nil {
		return nil, err
	}
	if q.stops, err = stopsOf(in.Stop); err != nil {
		return nil, err
	}
	if err := q.setFormat(in.ResponseFormat); err != nil {
		return nil, err
	}
	q.request.Reasoning = cmp.Or(in.ReasoningEffort, q.request.Reasoning)
	q.request.Sampling = models.Sampling{Temperature: in.Temperature, TopP: in.TopP, PresencePenalty: in.PresencePenalty, FrequencyPenalty: in.FrequencyPenalty, Seed: in.Seed}
	if most := cmp.Or(in.MaxCompletionTokens, in.MaxTokens); most != nil {
		q.request.MaxTokens = *most
	}
	if err := s.addMessages(ctx, q, in.Messages); err != nil {
		return nil, err
	}
	if err := s.addTools(ctx, q, in.Tools); err != nil {
		return nil, err
	}
	if err := q.setStrict(); err != nil {
		return nil, err
	}
	q.request.OneCall = in.ParallelToolCalls != nil && !*in.ParallelToolCalls
	return q, q.choose(in.ToolChoice)
}

// bounded checks the numbers of a request.
func bounded(in *sdkapi.OpenAIChat) error {
	switch {
	case len(in.Messages) == 0 || len(in.Messages) > sdkapi.MaxOpenAIMessages:
		return invalid("body.messages", "expected 1 to %d messages", sdkapi.MaxOpenAIMessages)
	case in.N != nil && *in.N != 1:
		return invalid("body.n", "expected 1: the gateway returns one answer")
	case !isIn(in.Temperature, 0, 2):
		return invalid("body.temperature", "expected 0 to 2")
	case !isIn(in.TopP, 0, 1):
		return invalid("body.top_p", "expected 0 to 1")
	case !isIn(in.PresencePenalty, -2, 2):
		return invalid("body.presence_penalty", "expected -2 to 2")
	case !isIn(in.FrequencyPenalty, -2, 2):
		return invalid("body.frequency_penalty", "expected -2 to 2")
	case !isBound(in.MaxTokens):
		return invalid("body.max_tokens", "expected 1 to %d", sdkapi.MaxOpenAIAnswer)
	case !isBound(in.MaxCompletionTokens):
		return invalid("body.max_completion_tokens", "expected 1 to %d", sdkapi.MaxOpenAIAnswer)
	}
	return nil
}

// isIn reports whether value is nil or in the range from low to high.
func isIn(value *float64, low, high float64) bool {
	return value == nil || *value >= low && *value <= high
}

// isBound reports whether tokens is nil or a valid limit of an answer's tokens.
func isBound(tokens *int) bool {
	return tokens == nil || *tokens >= 1 && *tokens <= sdkapi.MaxOpenAIAnswer
}

// stopsOf parses the stop field: a text or a list of texts.
func stopsOf(raw json.RawMessage) ([]string, error) {
	list, err := textsOf(raw)
	if err != nil || len(list) > sdkapi.MaxOpenAIStops {
		return nil, invalid("body.stop", "expected a text, or at most %d", sdkapi.MaxOpenAIStops)
	}
	for _, stop := range list {
		if stop == "" || len(stop) > sdkapi.MaxOpenAIStop {
			return nil, invalid("body.stop", "expected texts of 1 to %d bytes", sdkapi.MaxOpenAIStop)
		}
	}
	return list, nil
}

// textsOf parses a text or a list of texts. A missing or null field is an empty list.
func textsOf(raw json.RawMessage) (list []string, err error) {
	if isNull(raw) {
		return nil, nil
	}
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}, nil
	}
	err = json.Unmarshal(raw, &list)
	return list, err
}

// isNull reports whether a field is missing or null.
func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// addMessages adds the messages of a chat to q. It adds the tool's name to each tool result, which
// OpenAI's format lacks.
func (s *door) addMessages(ctx context.Context, q *question, list []sdkapi.OpenAIMessage) error {
	var system []string
	names := map[string]string{} // tool names by call id
	for i, m := range list {
		at := fmt.Sprintf("body.messages[%d]", i)
		parts, err := s.partsOf(ctx, m, at)
		if err != nil {
			return err
		}
		switch m.Role {
		case "system", "developer":
			system = append(system, textOf(parts))
			continue
		case "user":
			q.request.Messages = append(q.request.Messages, models.Message{Role: models.User, Parts: parts})
		case "assistant":
			calls, err := callsOf(m.ToolCalls, at)
			if err != nil {
				return err
			}
			for _, c := range calls {
				names[c.Call.ID] = c.Call.Name
			}
			q.request.Messages = append(q.request.Messages, models.Message{Role: models.Assistant, Parts: append(parts, calls...)})
		case "tool":
			name, called := names[m.ToolCallID]
			if !called {
				return invalid(at+".tool_call_id", "expected the id of a call of an earlier message")
			}
			result := models.Part{Result: &models.Result{CallID: m.ToolCallID, Name: name, Parts: parts}}
			q.request.Messages = append(q.request.Messages, models.Message{Role: models.ToolRole, Parts: []models.Part{result}})
		default:
			return invalid(at+".role", "expected system, developer, user, assistant or tool, not %q", m.Role)
		}
	}
	q.request.System = strings.Join(system, "\n\n")
	return nil
}

// textOf joins the texts of parts, one per line.
func textOf(parts []models.Part) string {
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "\n")
}

// callsOf parses the calls of an assistant's message.
func callsOf(list []sdkapi.OpenAIToolCall, at string) (parts []models.Part, err error) {
	if len(list) > sdkapi.MaxOpenAITools {
		return nil, invalid(at+".tool_calls", "expected at most %d calls", sdkapi.MaxOpenAITools)
	}
	for i, c := range list {
		arguments := json.RawMessage(cmp.Or(c.Function.Arguments, "{}"))
		var object map[string]json.RawMessage
		if c.ID == "" || json.Unmarshal(arguments, &object) != nil || object == nil {
			return nil, invalid(fmt.Sprintf("%s.tool_calls[%d]", at, i), "expected an id, and arguments that are a JSON object as text")
		}
		parts = append(parts, models.Part{Call: &models.Call{ID: c.ID, Name: c.Function.Name, Arguments: arguments}})
	}
	return parts, nil
}

// partsOf parses the content of a message: a text or a list of parts.
func (s *door) partsOf(ctx context.Context, m sdkapi.OpenAIMessage, at string) (parts []models.Part, err error) {
	if isNull(m.Content) {
		return nil, nil
	}
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		return []models.Part{{Text: text}}, nil
	}
	var list []sdkapi.OpenAIPart
	if json.Unmarshal(m.Content, &list) != nil || len(list) > sdkapi.MaxOpenAIParts {
		return nil, invalid(at+".content", "expected a text, or a list of at most %d parts", sdkapi.MaxOpenAIParts)
	}
	for i, p := range list {
		here := fmt.Sprintf("%s.content[%d]", at, i)
		switch {
		case p.Type == "text":
			parts = append(parts, models.Part{Text: p.Text})
		case p.Type == "image_url" && p.ImageURL != nil && (m.Role == "user" || m.Role == "tool"):
			image, err := s.imageOf(ctx, p.ImageURL.URL, here+".image_url.url")
			if err != nil {
				return nil, err
			}
			parts = append(parts, models.Part{Image: image})
		default:
			return nil, invalid(here+".type", "expected text, or image_url in a message of the user or a tool, not %q", p.Type)
		}
	}
	return parts, nil
}

// imageOf returns the image of a data: URL or of the caller's artifact. It does not fetch other
// URLs.
func (s *door) imageOf(ctx context.Context, url, at string) (*models.Image, error) {
	var in sdkapi.ImageSource
	if id, named := strings.CutPrefix(url, gateway.ArtifactScheme); named {
		in.ArtifactID = id
	} else if strings.HasPrefix(url, gateway.DataScheme) {
		in.ImageBase64 = url
	} else {
		return nil, invalid(at, "expected data:image/png;base64,… or artifact:ID: the gateway does not download images from other servers")
	}
	image, err := s.core.Ask.Images.Image(ctx, in)
	if err != nil {
		return nil, fault.From(err).Renamed("body.image", at)
	}
	data, err := image.Source.Read(ctx)
	if err != nil {
		return nil, err
	}
	_, kind := artifacts.Sniff(data)
	if !strings.HasPrefix(kind, "image/") {
		return nil, invalid(at, "expected an image, PNG, JPEG, GIF or WebP")
	}
	return &models.Image{MediaType: kind, Data: data}, nil
}
