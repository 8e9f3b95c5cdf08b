package gemini

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	"google.golang.org/genai"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// Where a result's text stands, as Google's documents have it.
const (
	outputField = "output"
	errorField  = "error"
)

// configOf returns what the server is told besides the conversation.
func configOf(req models.Request) (*genai.GenerateContentConfig, error) {
	config := &genai.GenerateContentConfig{
		MaxOutputTokens:       int32(min(max(req.MaxTokens, 0), 1<<30)),
		AutomaticContinuation: genai.Ptr(false), // or the library asks again by itself
	}
	if req.System != "" {
		config.SystemInstruction = &genai.Content{Parts: []*genai.Part{{Text: req.System}}}
	}
	if req.Steady {
		config.Temperature = genai.Ptr[float32](0)
	}
	var functions []*genai.FunctionDeclaration
	for _, t := range req.Tools {
		functions = append(functions, &genai.FunctionDeclaration{Name: t.Name, Description: t.Description, ParametersJsonSchema: t.Schema})
	}
	if len(functions) > 0 {
		config.Tools = []*genai.Tool{{FunctionDeclarations: functions}}
	}
	return config, think(config, req.Reasoning)
}

// think sets how much to think: "none"; "auto", which lets models of version
// 2.5 decide; a level, of later ones; or a number of tokens.
func think(config *genai.GenerateContentConfig, reasoning string) error {
	t := &genai.ThinkingConfig{IncludeThoughts: true}
	switch reasoning {
	case "":
		return nil
	case "none":
		t.IncludeThoughts, t.ThinkingBudget = false, genai.Ptr[int32](0)
	case "auto":
		t.ThinkingBudget = genai.Ptr[int32](-1)
	case "minimal", "low", "medium", "high":
		t.ThinkingLevel = genai.ThinkingLevel(strings.ToUpper(reasoning))
	default:
		budget, err := strconv.ParseInt(reasoning, 10, 32)
		if err != nil || budget < 0 {
			return fault.New("gemini.Stream", sdkapi.ValidationError, "the reasoning mode is not one of the provider's").
				At("reasoning", "expected none, auto, minimal, low, medium, high or a number of tokens")
		}
		t.ThinkingBudget = genai.Ptr(int32(budget))
	}
	config.ThinkingConfig = t
	return nil
}

// contents returns a normalised conversation in the protocol's way, where
// results are the user's and so share a message with what the user said next.
func contents(list []models.Message) []*genai.Content {
	var out []*genai.Content
	for _, m := range list {
		role := genai.RoleUser
		if m.Role == models.Assistant {
			role = genai.RoleModel
		}
		made := parts(m.Parts)
		if last := len(out) - 1; last >= 0 && out[last].Role == role {
			out[last].Parts = append(out[last].Parts, made...)
		} else if len(made) > 0 {
			out = append(out, &genai.Content{Role: role, Parts: made})
		}
	}
	return out
}

// parts returns the parts of a message. Thoughts stay here, but their
// signatures go back on the text beside them.
func parts(list []models.Part) []*genai.Part {
	var out, pictures []*genai.Part
	var signature []byte
	for _, p := range list {
		switch {
		case p.Text != "":
			out = append(out, &genai.Part{Text: p.Text, ThoughtSignature: signature})
			signature = nil
		case p.Image != nil:
			out = append(out, picture(*p.Image))
		case p.Thought != nil:
			signature = decode(p.Thought.Signature)
			if last := len(out) - 1; last >= 0 && out[last].Text != "" && out[last].ThoughtSignature == nil {
				out[last].ThoughtSignature, signature = signature, nil
			}
		case p.Call != nil:
			out = append(out, &genai.Part{FunctionCall: &genai.FunctionCall{ID: given(p.Call.ID), Name: p.Call.Name, Args: object(p.Call.Arguments)}, ThoughtSignature: decode(p.Call.Signature)})
		case p.Result != nil:
			part, shown := result(*p.Result)
			out, pictures = append(out, part), append(pictures, shown...)
		}
	}
	return append(out, pictures...)
}

// result returns the result of a call, and the images that it shows: those
// stand beside the results, where all models see them.
func result(r models.Result) (part *genai.Part, pictures []*genai.Part) {
	var texts []string
	for _, p := range r.Parts {
		if p.Image != nil {
			pictures = append(pictures, picture(*p.Image))
		} else {
			texts = append(texts, p.Text)
		}
	}
	field := outputField
	if r.IsError {
		field = errorField
	}
	if len(texts) == 0 {
		texts = []string{"(the result is the image beside it)"}
	}
	response := map[string]any{field: strings.Join(texts, "\n")}
	return &genai.Part{FunctionResponse: &genai.FunctionResponse{ID: given(r.CallID), Name: r.Name, Response: response}}, pictures
}

// given returns an id when the provider gave it: it does not want others.
func given(id string) string {
	if models.IsMade(id) {
		return ""
	}
	return id
}

// object returns a call's arguments as the library wants them.
func object(arguments json.RawMessage) map[string]any {
	fields := map[string]any{}
	_ = json.Unmarshal(arguments, &fields) // Normalise has made them an object
	return fields
}

// decode returns a signature as the library wants it.
func decode(signature string) []byte {
	b, err := base64.StdEncoding.DecodeString(signature)
	if err != nil || len(b) == 0 {
		return nil
	}
	return b
}

// picture returns an image.
func picture(img models.Image) *genai.Part {
	return &genai.Part{InlineData: &genai.Blob{MIMEType: img.MediaType, Data: img.Data}}
}
