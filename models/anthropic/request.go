package anthropic

import (
	"cmp"
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// leastBudget is the smallest number of tokens that the protocol lets a model
// think.
const leastBudget = 1024

// params returns what the server is asked. The tools, the system prompt and
// the conversation are marked for the cache: the next request begins with them.
func (m *Model) params(req models.Request) (anthropic.MessageNewParams, error) {
	p := anthropic.MessageNewParams{
		Model: req.Model, MaxTokens: int64(cmp.Or(req.MaxTokens, m.maxTokens)), Messages: messages(req.Messages), Tools: tools(req.Tools),
	}
	if req.System != "" {
		p.System = []anthropic.TextBlockParam{{Text: req.System, CacheControl: anthropic.NewCacheControlEphemeralParam()}}
	}
	if req.Steady {
		p.Temperature = param.NewOpt(0.0)
	}
	if req.User != "" {
		p.Metadata = anthropic.MetadataParam{UserID: param.NewOpt(req.User)}
	}
	return p, think(&p, req)
}

// think sets how much to think: "none"; an effort, of models that decide
// themselves how long; or a number of tokens, of those that do not.
func think(p *anthropic.MessageNewParams, req models.Request) error {
	switch req.Reasoning {
	case "":
	case "none":
		off := anthropic.NewThinkingConfigDisabledParam()
		p.Thinking = anthropic.ThinkingConfigParamUnion{OfDisabled: &off}
	case "low", "medium", "high", "xhigh", "max":
		p.Thinking = anthropic.ThinkingConfigParamUnion{OfAdaptive: &anthropic.ThinkingConfigAdaptiveParam{Display: anthropic.ThinkingConfigAdaptiveDisplaySummarized}}
		p.OutputConfig = anthropic.OutputConfigParam{Effort: anthropic.OutputConfigEffort(req.Reasoning)}
	default:
		budget, err := strconv.ParseInt(req.Reasoning, 10, 32)
		if err != nil || budget < leastBudget {
			return fault.New("anthropic.Stream", sdkapi.ValidationError, "the reasoning mode is not one of the provider's").
				At("reasoning", "expected none, low, medium, high, xhigh, max or a number of tokens from %d", leastBudget)
		}
		if req.MaxTokens == 0 {
			p.MaxTokens += budget // the budget is part of the bound
		}
		// A request with little room thinks little, or not at all.
		if budget = min(budget, p.MaxTokens-1); budget >= leastBudget {
			p.Thinking = anthropic.ThinkingConfigParamOfEnabled(budget)
		}
	}
	return nil
}

// tools returns the tools in the protocol's way.
func tools(list []models.Tool) []anthropic.ToolUnionParam {
	var out []anthropic.ToolUnionParam
	for _, t := range list {
		tool := anthropic.ToolParam{Name: t.Name, InputSchema: param.Override[anthropic.ToolInputSchemaParam](t.Schema)}
		if t.Description != "" {
			tool.Description = param.NewOpt(t.Description)
		}
		out = append(out, anthropic.ToolUnionParam{OfTool: &tool})
	}
	if len(out) > 0 {
		out[len(out)-1].OfTool.CacheControl = anthropic.NewCacheControlEphemeralParam()
	}
	return out
}

// messages returns a normalised conversation in the protocol's way, where
// results are the user's and so share a message with what the user said next.
func messages(list []models.Message) []anthropic.MessageParam {
	var out []anthropic.MessageParam
	for _, m := range list {
		role := anthropic.MessageParamRoleUser
		if m.Role == models.Assistant {
			role = anthropic.MessageParamRoleAssistant
		}
		if last := len(out) - 1; last >= 0 && out[last].Role == role {
			out[last].Content = append(out[last].Content, blocks(m.Parts)...)
		} else if content := blocks(m.Parts); len(content) > 0 {
			out = append(out, anthropic.MessageParam{Role: role, Content: content})
		}
	}
	if len(out) > 0 {
		content := out[len(out)-1].Content
		if mark := content[len(content)-1].GetCacheControl(); mark != nil {
			*mark = anthropic.NewCacheControlEphemeralParam()
		}
	}
	return out
}

// blocks returns the parts of a message.
func blocks(parts []models.Part) []anthropic.ContentBlockParamUnion {
	var out []anthropic.ContentBlockParamUnion
	for _, p := range parts {
		switch {
		case p.Text != "":
			// The protocol refuses texts of spaces alone, which models do say.
			if strings.TrimSpace(p.Text) != "" {
				out = append(out, anthropic.NewTextBlock(p.Text))
			}
		case p.Image != nil:
			out = append(out, anthropic.ContentBlockParamUnion{OfImage: picture(*p.Image)})
		case p.Thought != nil:
			if data, hidden := strings.CutPrefix(p.Thought.Signature, redacted); hidden {
				out = append(out, anthropic.NewRedactedThinkingBlock(data))
			} else if p.Thought.Signature != "" {
				out = append(out, anthropic.NewThinkingBlock(p.Thought.Signature, p.Thought.Text))
			}
		case p.Call != nil:
			out = append(out, anthropic.NewToolUseBlock(p.Call.ID, p.Call.Arguments, p.Call.Name))
		case p.Result != nil:
			out = append(out, anthropic.ContentBlockParamUnion{OfToolResult: result(*p.Result)})
		}
	}
	return out
}

// result returns the result of a call.
func result(r models.Result) *anthropic.ToolResultBlockParam {
	out := anthropic.ToolResultBlockParam{ToolUseID: r.CallID}
	if r.IsError {
		out.IsError = param.NewOpt(true)
	}
	for _, p := range r.Parts {
		if p.Image != nil {
			out.Content = append(out.Content, anthropic.ToolResultBlockParamContentUnion{OfImage: picture(*p.Image)})
		} else {
			out.Content = append(out.Content, anthropic.ToolResultBlockParamContentUnion{OfText: &anthropic.TextBlockParam{Text: p.Text}})
		}
	}
	return &out
}

// picture returns an image.
func picture(img models.Image) *anthropic.ImageBlockParam {
	return &anthropic.ImageBlockParam{Source: anthropic.ImageBlockParamSourceUnion{OfBase64: &anthropic.Base64ImageSourceParam{
		MediaType: anthropic.Base64ImageSourceMediaType(img.MediaType), Data: base64.StdEncoding.EncodeToString(img.Data),
	}}}
}
