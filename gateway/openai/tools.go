package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/session"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// addTools adds the tools of the request. If the request has none, it adds the gateway's tools for
// this API.
func (s *door) addTools(ctx context.Context, q *question, list []sdkapi.OpenAITool) error {
	if len(list) > sdkapi.MaxOpenAITools {
		return invalid("body.tools", "expected at most %d tools", sdkapi.MaxOpenAITools)
	}
	for i, t := range list {
		at := fmt.Sprintf("body.tools[%d]", i)
		if t.Type != "function" || !isFunctionName(t.Function.Name) {
			return invalid(at, "expected a function whose name has 1 to 64 letters, digits, _ and -")
		}
		if isNull(t.Function.Parameters) {
			t.Function.Parameters = nil
		} else if err := agent.CheckSchema(t.Function.Parameters); err != nil {
			return invalid(at+".function.parameters", "expected a JSON Schema of an object: %s", fault.From(err).Message)
		}
		q.request.Tools = append(q.request.Tools, models.Tool{
			Name: t.Function.Name, Description: t.Function.Description, Schema: t.Function.Parameters, Strict: t.Function.Strict != nil && *t.Function.Strict,
		})
	}
	if len(list) == 0 && s.openAITools != nil {
		return s.addOwnTools(ctx, q)
	}
	return nil
}

// toolChoice is the field tool_choice if it is an object.
type toolChoice struct {
	Type     string `json:"type"`
	Function struct {
		Name string `json:"name"`
	} `json:"function"`
	Allowed struct {
		Mode  string       `json:"mode"`
		Tools []toolChoice `json:"tools"`
	} `json:"allowed_tools"`
}

// choose applies the field tool_choice: it removes the tools that the model must not call. A forced
// tool is the only tool left, because some servers ignore the name of a forced tool.
func (q *question) choose(raw json.RawMessage) error {
	if isNull(raw) {
		return nil
	}
	var mode string
	var choice toolChoice
	var names []string
	switch err := json.Unmarshal(raw, &choice); {
	case json.Unmarshal(raw, &mode) == nil:
	case err == nil && choice.Type == "function":
		mode, names = "required", []string{choice.Function.Name}
	case err == nil && choice.Type == "allowed_tools" && (choice.Allowed.Mode == "auto" || choice.Allowed.Mode == "required"):
		mode, names = choice.Allowed.Mode, []string{}
		for _, t := range choice.Allowed.Tools {
			names = append(names, t.Function.Name)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(q.request.Tools, func(t models.Tool) bool { return t.Name == name }) {
			return invalid("body.tool_choice", "expected names of tools in body.tools, not %q", plain.OneLine(name, maxShown))
		}
	}
	if names != nil {
		q.request.Tools = slices.DeleteFunc(q.request.Tools, func(t models.Tool) bool { return !slices.Contains(names, t.Name) })
	}
	switch mode {
	case "none":
		q.request.Tools, q.tools = nil, nil
	case "auto":
	case "required":
		if len(q.request.Tools) == 0 {
			return invalid("body.tool_choice", "expected auto or none, because the request has no tools")
		}
		q.request.MustCall = true
	default:
		return invalid("body.tool_choice", "expected none, auto, required, a function or allowed_tools")
	}
	return nil
}

// addOwnTools adds the gateway's tools that the rules allow without approval.
func (s *door) addOwnTools(ctx context.Context, q *question) error {
	rules, err := s.rules(ctx, q.user)
	if err != nil {
		return err
	}
	view := s.core.Tools().View(s.openAITools, callable)
	q.tools = &view
	offered, _ := view.List()
	for _, d := range offered {
		name := agent.ModelName(d.Name)
		if verdict, _ := rules.Judge(name, d.Risk, false); verdict == session.Allow {
			q.request.Tools = append(q.request.Tools, models.Tool{Name: name, Description: d.Description, Schema: d.Input})
		}
	}
	return nil
}

// rules returns the rules that currently apply to a user's calls.
func (s *door) rules(ctx context.Context, user string) (session.Policy, error) {
	if s.sessions == nil {
		return nil, nil
	}
	return s.sessions.Rules(ctx, user, session.Settings{})
}

// callable reports whether the gateway may run a tool without approval.
func callable(d agent.Descriptor) bool { return d.Risk == agent.Safe && !d.Starting && !d.APIOnly }

// isFunctionName reports whether a client's tool may have this name: 1 to agent.MaxNameLen letters,
// digits, _ and -.
func isFunctionName(name string) bool {
	return name != "" && len(name) <= agent.MaxNameLen && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}
