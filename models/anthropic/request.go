package anthropic

import (
	"cmp"
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// Limits of a thinking budget, in tokens: the protocol's minimum, and a maximum above the limit of
// every model.
const (
	leastBudget = 1024
	maxBudget   = 1<<31 - 1
)

// object is a JSON object.
type object = map[string]any

// cached marks the end of a part that the next request repeats. The provider then caches the part.
var cached = object{"type": "ephemeral"}

// request is the JSON of a request.
type request struct {
	Model        string    `json:"model"`
	MaxTokens    int       `json:"max_tokens"`
	Messages     []message `json:"messages"`
	Stream       bool      `json:"stream"`
	System       []object  `json:"system,omitempty"`
	Tools        []object  `json:"tools,omitempty"`
	ToolChoice   object    `json:"tool_choice,omitempty"`
	Temperature  *float64  `json:"temperature,omitempty"`
	TopP         *float64  `json:"top_p,omitempty"`
	Metadata     object    `json:"metadata,omitempty"`
	Thinking     object    `json:"thinking,omitempty"`
	OutputConfig object    `json:"output_config,omitempty"`
}

// message is a message in the protocol's form.
type message struct {
	Role    string   `json:"role"`
	Content []object `json:"content"`
}

// request returns the JSON of a request. Tools, system prompt and conversation are marked for the
// cache, because the next request begins with them.
func (m *Model) request(req models.Request) (request, error) {
	if err := refuse(req.Sampling); err != nil {
		return request{}, err
	}
	format := formatOf(req.Format)
	if format == nil {
		req = req.Instructed()
	}
	r := request{
		Model: req.Model, MaxTokens: cmp.Or(req.MaxTokens, m.maxTokens), Messages: messages(req.Messages), Tools: tools(req.Tools), Stream: true,
		ToolChoice: choice(req), Temperature: req.Sampling.Temperature, TopP: req.Sampling.TopP,
	}
	if req.System != "" {
		r.System = []object{{"type": "text", "text": req.System, "cache_control": cached}}
	}
	if req.User != "" {
		r.Metadata = object{"user_id": req.User}
	}
	if err := r.think(req); err != nil {
		return r, err
	}
	if format != nil && r.OutputConfig == nil {
		r.OutputConfig = object{}
	}
	if format != nil {
		r.OutputConfig["format"] = format
	}
	return r, nil
}

// refuse returns a VALIDATION_ERROR for parameters that the protocol lacks.
func refuse(s models.Sampling) error {
	if s.Temperature != nil && *s.Temperature > 1 {
		return fault.New("anthropic.Stream", sdkapi.ValidationError, "the model's provider supports temperatures up to 1; send a lower one").
			At(models.Temperature, "expected 0 to 1")
	}
	return s.Refuse(models.PresencePenalty, models.FrequencyPenalty, models.Seed)
}

// choice returns the tool choice of a request, nil for the protocol's default.
func choice(req models.Request) object {
	if len(req.Tools) == 0 || !req.MustCall && !req.OneCall {
		return nil
	}
	out := object{"type": "auto"}
	if req.MustCall {
		out["type"] = "any"
	}
	if req.OneCall {
		out["disable_parallel_tool_use"] = true
	}
	return out
}

// think sets the amount of thinking from req.Reasoning. It is "none", an effort for models that decide the
// length of their thinking, or a number of tokens for other models. Any other value fails with
// VALIDATION_ERROR. If the answer must call a tool, think sets nothing.
func (r *request) think(req models.Request) error {
	if req.MustCall { // the protocol refuses thinking before a call that it enforces
		return nil
	}
	switch req.Reasoning {
	case "":
	case "none":
		r.Thinking = object{"type": "disabled"}
	case "low", "medium", "high", "xhigh", "max":
		r.Thinking = object{"type": "adaptive", "display": "summarized"}
		r.OutputConfig = object{"effort": req.Reasoning}
	default:
		budget, err := strconv.Atoi(req.Reasoning)
		if err != nil || budget < leastBudget || budget > maxBudget {
			return fault.New("anthropic.Stream", sdkapi.ValidationError, "the provider does not support this reasoning mode").
				At("reasoning", "expected none, low, medium, high, xhigh, max or a number of tokens from %d", leastBudget)
		}
		if req.MaxTokens == 0 {
			r.MaxTokens += budget // the budget counts towards the maximum
		}
		// If the maximum leaves little room, the budget is reduced, or thinking is off.
		if budget = min(budget, r.MaxTokens-1); budget >= leastBudget {
			r.Thinking = object{"type": "enabled", "budget_tokens": budget}
		}
	}
	return nil
}

// tools converts tools to the protocol's form. It marks the last tool for the cache.
func tools(list []models.Tool) []object {
	var out []object
	for _, t := range list {
		tool := object{"name": t.Name, "input_schema": t.Schema}
		if t.Description != "" {
			tool["description"] = t.Description
		}
		out = append(out, tool)
	}
	if len(out) > 0 {
		out[len(out)-1]["cache_control"] = cached
	}
	return out
}

// messages converts a normalised conversation to the protocol's form. There, results have the role
// of the user, so they share a message with the user's next text.
func messages(list []models.Message) []message {
	var out []message
	for _, m := range list {
		role := "user"
		if m.Role == models.Assistant {
			role = "assistant"
		}
		if last := len(out) - 1; last >= 0 && out[last].Role == role {
			out[last].Content = append(out[last].Content, blocks(m.Parts)...)
		} else if content := blocks(m.Parts); len(content) > 0 {
			out = append(out, message{Role: role, Content: content})
		}
	}
	if len(out) > 0 {
		content := out[len(out)-1].Content
		// The protocol allows no cache mark on thoughts.
		if last := content[len(content)-1]; last["type"] != "thinking" && last["type"] != "redacted_thinking" {
			last["cache_control"] = cached
		}
	}
	return out
}

// blocks converts parts to the protocol's form. It drops texts of white space, and thoughts without a signature.
func blocks(parts []models.Part) []object {
	var out []object
	for _, p := range parts {
		switch {
		case p.Text != "":
			// The protocol refuses a text of only white space, which models do produce.
			if strings.TrimSpace(p.Text) != "" {
				out = append(out, object{"type": "text", "text": p.Text})
			}
		case p.Image != nil:
			out = append(out, picture(*p.Image))
		case p.Thought != nil:
			if data, hidden := strings.CutPrefix(p.Thought.Signature, redacted); hidden {
				out = append(out, object{"type": "redacted_thinking", "data": data})
			} else if p.Thought.Signature != "" {
				out = append(out, object{"type": "thinking", "signature": p.Thought.Signature, "thinking": p.Thought.Text})
			}
		case p.Call != nil:
			out = append(out, object{"type": "tool_use", "id": p.Call.ID, "name": p.Call.Name, "input": p.Call.Arguments})
		case p.Result != nil:
			out = append(out, result(*p.Result))
		}
	}
	return out
}

// result converts the result of a call to the protocol's form.
func result(r models.Result) object {
	out := object{"type": "tool_result", "tool_use_id": r.CallID}
	if r.IsError {
		out["is_error"] = true
	}
	var content []object
	for _, p := range r.Parts {
		if p.Image != nil {
			content = append(content, picture(*p.Image))
		} else if strings.TrimSpace(p.Text) != "" { // as in blocks
			content = append(content, object{"type": "text", "text": p.Text})
		}
	}
	if content == nil && r.IsError { // the protocol refuses an error without content
		content = []object{{"type": "text", "text": "The tool failed without a reason."}}
	}
	if content != nil {
		out["content"] = content
	}
	return out
}

// picture converts an image to the protocol's form, in base64.
func picture(img models.Image) object {
	return object{"type": "image", "source": object{"type": "base64", "media_type": img.MediaType, "data": base64.StdEncoding.EncodeToString(img.Data)}}
}
