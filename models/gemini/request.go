package gemini

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

type request struct {
	Contents          []content  `json:"contents"`
	SystemInstruction *content   `json:"systemInstruction,omitempty"`
	Tools             []toolList `json:"tools,omitempty"`
	ToolConfig        *calling   `json:"toolConfig,omitempty"`
	GenerationConfig  config     `json:"generationConfig"`
}

type content struct {
	Role  string `json:"role"`
	Parts []part `json:"parts"`
}

type toolList struct {
	FunctionDeclarations []function `json:"functionDeclarations"`
}

// calling sets whether the model must call a function.
type calling struct {
	FunctionCallingConfig struct {
		Mode string `json:"mode"`
	} `json:"functionCallingConfig"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"parametersJsonSchema"`
}

type config struct {
	MaxOutputTokens  int             `json:"maxOutputTokens,omitempty"`
	Temperature      *float64        `json:"temperature,omitempty"`
	TopP             *float64        `json:"topP,omitempty"`
	PresencePenalty  *float64        `json:"presencePenalty,omitempty"`
	FrequencyPenalty *float64        `json:"frequencyPenalty,omitempty"`
	Seed             *int64          `json:"seed,omitempty"`
	ResponseMIMEType string          `json:"responseMimeType,omitempty"`
	ResponseSchema   json.RawMessage `json:"responseJsonSchema,omitempty"`
	Thinking         *thinking       `json:"thinkingConfig,omitempty"`
}

// thinking sets the amount of thinking: a budget in tokens, or a level.
type thinking struct {
	IncludeThoughts bool   `json:"includeThoughts,omitempty"`
	Budget          *int   `json:"thinkingBudget,omitempty"`
	Level           string `json:"thinkingLevel,omitempty"`
}

// body returns the JSON of a request.
func body(req models.Request) (request, error) {
	r := request{Contents: contents(req.Messages), GenerationConfig: config{
		MaxOutputTokens: min(max(req.MaxTokens, 0), 1<<30),
		Temperature:     req.Sampling.Temperature, TopP: req.Sampling.TopP, Seed: req.Sampling.Seed,
		PresencePenalty: req.Sampling.PresencePenalty, FrequencyPenalty: req.Sampling.FrequencyPenalty,
	}}
	if len(req.Tools) > 0 { // most models refuse a format beside tools
		req = req.Instructed()
	}
	if req.Format != nil {
		r.GenerationConfig.ResponseMIMEType, r.GenerationConfig.ResponseSchema = "application/json", req.Format.Schema
	}
	if req.System != "" {
		r.SystemInstruction = &content{Role: userRole, Parts: []part{{Text: req.System}}}
	}
	var functions []function
	for _, t := range req.Tools {
		functions = append(functions, function{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	if len(functions) > 0 {
		r.Tools = []toolList{{functions}}
	}
	if req.MustCall {
		r.ToolConfig = new(calling)
		r.ToolConfig.FunctionCallingConfig.Mode = "ANY"
	}
	var err error
	r.GenerationConfig.Thinking, err = think(req.Reasoning)
	return r, err
}

// think sets the amount of thinking: "none"; "auto", with which models of version 2.5 decide; a
// level for later models; or a number of tokens.
func think(reasoning string) (*thinking, error) {
	budget := func(tokens int) *thinking { return &thinking{IncludeThoughts: tokens != 0, Budget: &tokens} }
	switch reasoning {
	case "":
		return nil, nil //nolint:nilnil // the provider's default is what is left out
	case "none":
		return budget(0), nil
	case "auto":
		return budget(-1), nil
	case "minimal", "low", "medium", "high":
		return &thinking{IncludeThoughts: true, Level: strings.ToUpper(reasoning)}, nil
	}
	tokens, err := strconv.ParseInt(reasoning, 10, 32)
	if err != nil || tokens < 0 {
		return nil, fault.New("gemini.Stream", sdkapi.ValidationError, "the provider does not support this reasoning mode").
			At("reasoning", "expected none, auto, minimal, low, medium, high or a number of tokens")
	}
	t := budget(int(tokens))
	t.IncludeThoughts = true // for "0" too, unlike "none"
	return t, nil
}

// The roles of messages.
const (
	userRole  = "user"
	modelRole = "model"
)

// contents converts a normalised conversation to the protocol's form. There, results have the role
// of the user, so they share a message with the user's next text.
func contents(list []models.Message) []content {
	var out []content
	for _, m := range list {
		role := userRole
		if m.Role == models.Assistant {
			role = modelRole
		}
		made := parts(m.Parts)
		if last := len(out) - 1; last >= 0 && out[last].Role == role {
			out[last].Parts = append(out[last].Parts, made...)
		} else if len(made) > 0 {
			out = append(out, content{Role: role, Parts: made})
		}
	}
	return out
}

// parts converts the parts of a message. It omits thoughts, and puts their signatures on the text
// beside them.
func parts(list []models.Part) []part {
	var out, pictures []part
	var signature []byte
	for _, p := range list {
		switch {
		case p.Text != "":
			out = append(out, part{Text: p.Text, ThoughtSignature: signature})
			signature = nil
		case p.Image != nil:
			out = append(out, picture(*p.Image))
		case p.Thought != nil:
			signature = decode(p.Thought.Signature)
			if last := len(out) - 1; last >= 0 && out[last].Text != "" && out[last].ThoughtSignature == nil {
				out[last].ThoughtSignature, signature = signature, nil
			}
		case p.Call != nil:
			out = append(out, part{FunctionCall: &call{ID: given(p.Call.ID), Name: p.Call.Name, Args: object(p.Call.Arguments)}, ThoughtSignature: decode(p.Call.Signature)})
		case p.Result != nil:
			answer, shown := result(*p.Result)
			out, pictures = append(out, answer), append(pictures, shown...)
		}
	}
	return append(out, pictures...)
}

// result converts the result of a call, and returns its images. They are sent beside the results,
// where all models can see them.
func result(r models.Result) (part, []part) {
	var texts []string
	var pictures []part
	for _, p := range r.Parts {
		if p.Image != nil {
			pictures = append(pictures, picture(*p.Image))
		} else {
			texts = append(texts, p.Text)
		}
	}
	field := "output" // as in Google's documentation
	if r.IsError {
		field = "error"
	}
	if len(texts) == 0 {
		texts = []string{"(the result is the image beside it)"}
	}
	said := map[string]string{field: strings.Join(texts, "\n")}
	return part{FunctionResponse: &response{ID: given(r.CallID), Name: r.Name, Response: said}}, pictures
}

// given returns an id if the provider gave it, else the empty id. The provider does not accept
// other ids.
func given(id string) string {
	if models.IsMade(id) {
		return ""
	}
	return id
}

// object returns the arguments of a call as a map, which is never nil.
func object(arguments json.RawMessage) map[string]any {
	fields := map[string]any{}
	_ = json.Unmarshal(arguments, &fields) // Normalise has made them an object
	return fields
}

// decode returns the bytes of a signature, nil for an invalid one.
func decode(signature string) []byte {
	b, err := base64.StdEncoding.DecodeString(signature)
	if err != nil || len(b) == 0 {
		return nil
	}
	return b
}

// picture returns an image as a part with its bytes inline.
func picture(img models.Image) part {
	return part{InlineData: &blob{MIMEType: img.MediaType, Data: img.Data}}
}
