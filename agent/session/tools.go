package session

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// Tool is what a session's model can call.
type Tool struct {
	Name        string // as model and client know it: letters, digits, "_" and "-"
	Description string
	Input       json.RawMessage // JSON Schema of the arguments
	Risk        agent.Risk
	Unasked     bool   // see ClientTool
	Client      bool   // it runs where the client is
	Registered  string // its name in the registry; empty for the client's

	Withheld map[string]string // see ClientTool
}

// ClientTool is a tool that a client brought.
type ClientTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"input"`
	Risk        agent.Risk      `json:"risk"`

	// Unasked says that nobody is asked about calls, though they may change
	// something, unless a rule says so: the user sees the mouse move, and sits
	// at it.
	Unasked bool `json:"unasked,omitempty"`

	// Resolve has Config.Prepare make the calls ready: it finds on the screen
	// what they name. Without it, arguments leave as the model wrote them.
	Resolve bool `json:"resolve,omitempty"`

	// Withheld are arguments that this session does not take, though models may
	// know them from elsewhere, and what one that uses them is told.
	Withheld map[string]string `json:"withheld,omitempty"`
}

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
		if !d.Starting && !d.APIOnly {
			add(Tool{Name: agent.ModelName(d.Name), Description: d.Description, Input: d.Input, Risk: d.Risk, Registered: d.Name})
		}
	}
	for _, t := range s.Tools {
		add(Tool{Name: t.Name, Description: t.Description, Input: t.Input, Risk: t.Risk, Unasked: t.Unasked, Client: true, Withheld: t.Withheld})
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

// check returns a fault for arguments that do not fit the tool.
func (t Tool) check(arguments json.RawMessage) error {
	var given map[string]json.RawMessage
	if len(t.Withheld) == 0 || json.Unmarshal(arguments, &given) != nil {
		return agent.CheckArguments(t.Input, arguments)
	}
	f := fault.New("session.check", sdkapi.ValidationError, "the arguments do not fit; details.fields says why")
	for _, name := range slices.Sorted(maps.Keys(t.Withheld)) {
		if _, used := given[name]; used {
			f = f.At(ArgumentsField+"."+name, "%s", t.Withheld[name])
		}
	}
	if len(f.Details.Fields) > 0 {
		return f
	}
	return agent.CheckArguments(t.Input, arguments)
}

// forModel describes tools to a model.
func forModel(list []Tool) []models.Tool {
	out := make([]models.Tool, len(list))
	for i, t := range list {
		out[i] = models.Tool{Name: t.Name, Description: t.Description, Schema: t.Input}
	}
	return out
}
