package session

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/models"
)

// Tool is what a session's model can call.
type Tool struct {
	Name        string // as model and client know it: letters, digits, "_" and "-"
	Description string
	Input       json.RawMessage // JSON Schema of the arguments
	Risk        agent.Risk
	Client      bool   // it runs where the client is
	Registered  string // its name in the registry; empty for the client's
}

// ClientTool is a tool that a client brought.
type ClientTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"input"`
	Risk        agent.Risk      `json:"risk"`
}

// ModelName is the name that models know a registered tool by: they take no
// dots.
func ModelName(registered string) string { return strings.ReplaceAll(registered, ".", "_") }

// Tools returns all tools that a session could have, sorted by name, as yet not
// narrowed: what its model can call, Offered says. A client cannot take a name
// that is in use.
func Tools(view agent.View, s Settings) []Tool {
	var list []Tool
	add := func(t Tool) {
		if !slices.ContainsFunc(list, func(other Tool) bool { return other.Name == t.Name }) {
			list = append(list, t)
		}
	}
	registered, _ := view.List()
	for _, d := range registered {
		if !d.Starting {
			add(Tool{Name: ModelName(d.Name), Description: d.Description, Input: d.Input, Risk: d.Risk, Registered: d.Name})
		}
	}
	for _, t := range s.Tools {
		add(Tool{Name: t.Name, Description: t.Description, Input: t.Input, Risk: t.Risk, Client: true})
	}
	slices.SortFunc(list, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Offered returns the tools that the model of a session can call, sorted by
// name.
func Offered(view agent.View, s Settings) []Tool {
	return slices.DeleteFunc(Tools(view, s), func(t Tool) bool { return t.Risk == agent.Forbidden || !s.offers(t) })
}

// offers reports whether a session's settings let the model have a tool.
func (s Settings) offers(t Tool) bool {
	named := func(pattern string) bool {
		model, _ := path.Match(pattern, t.Name)
		registered, _ := path.Match(pattern, t.Registered)
		return model || registered && t.Registered != ""
	}
	return (len(s.Only) == 0 || slices.ContainsFunc(s.Only, named)) && !slices.ContainsFunc(s.Disabled, named)
}

// forModel describes tools to a model.
func forModel(list []Tool) []models.Tool {
	out := make([]models.Tool, len(list))
	for i, t := range list {
		out[i] = models.Tool{Name: t.Name, Description: t.Description, Schema: t.Input}
	}
	return out
}
