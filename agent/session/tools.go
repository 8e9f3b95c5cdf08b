package session

import (
	"bytes"
	"cmp"
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

// Tool is a tool that a session's model can call.
type Tool struct {
	Name        string // name for the model and the client: letters, digits, "_" and "-"
	Description string
	Input       json.RawMessage // JSON Schema of the arguments
	Risk        agent.Risk
	Unasked     bool         // whether calls need no approval, see ClientTool.Unasked
	Client      bool         // whether the tool runs on the client's machine
	Registered  string       // name of the tool in the registry; empty for a client's tool
	Origin      agent.Origin // origin of a registered tool; zero for a client's tool

	Withheld map[string]string // refused arguments and their error messages, see ClientTool.Withheld
}

// ClientTool is a tool of a client.
type ClientTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"input"`
	Risk        agent.Risk      `json:"risk"`

	// Unasked means that calls need no approval, unless a rule requires it. The calls may change
	// something, but the user sees what happens, for example that the mouse moves.
	Unasked bool `json:"unasked,omitempty"`

	// Resolve means that Config.Prepare finds the targets of calls on the screen. Otherwise the
	// client gets the arguments unchanged.
	Resolve bool `json:"resolve,omitempty"`

	// Withheld contains the arguments that this session does not accept, each with an error
	// message. Models may know these arguments from elsewhere.
	Withheld map[string]string `json:"withheld,omitempty"`
}

// Tools returns all tools that a session could have, sorted by name. Offered returns only the tools
// that the session's model can call. A client's tool cannot replace a registered tool.
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
			add(Tool{Name: agent.ModelName(d.Name), Description: d.Description, Input: d.Input, Risk: d.Risk, Registered: d.Name, Origin: d.Origin})
		}
	}
	for _, t := range s.Tools {
		add(Tool{Name: t.Name, Description: t.Description, Input: t.Input, Risk: t.Risk, Unasked: t.Unasked, Client: true, Withheld: t.Withheld})
	}
	slices.SortFunc(list, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Offered returns the tools that a session's model can call, sorted by name.
func Offered(view agent.View, s Settings) []Tool {
	return slices.DeleteFunc(Tools(view, s), func(t Tool) bool { return t.Risk == agent.Forbidden || !s.offers(t) })
}

// offers reports whether the settings offer a tool to the model.
func (s Settings) offers(t Tool) bool {
	named := func(match func(pattern, tool string) bool) func(string) bool {
		return func(pattern string) bool {
			return match(pattern, t.Name) || t.Registered != "" && match(pattern, t.Registered)
		}
	}
	return (len(s.Only) == 0 || slices.ContainsFunc(s.Only, named(matches))) && !slices.ContainsFunc(s.Disabled, named(restricts))
}

// hash returns the agent.Descriptor.Hash of the tool.
func (t Tool) hash() string {
	return agent.Descriptor{Name: cmp.Or(t.Registered, t.Name), Description: t.Description, Input: t.Input, Risk: t.Risk, Origin: t.Origin}.Hash()
}

// still is a filter that hides a tool with the name of t that differs from t.
func (t Tool) still(d agent.Descriptor) bool {
	return d.Name != t.Registered || d.Risk == t.Risk && d.Origin == t.Origin && d.Description == t.Description && bytes.Equal(d.Input, t.Input)
}

// fit returns arguments in the form for the tool, as agent.FitArguments does, or a fault.
func (t Tool) fit(arguments json.RawMessage) (json.RawMessage, error) {
	var given map[string]json.RawMessage
	_ = json.Unmarshal(arguments, &given) // FitArguments refuses invalid JSON
	f := fault.New("session.fit", sdkapi.ValidationError, "the arguments do not match the tool's schema; details.fields lists the problems")
	for _, name := range slices.Sorted(maps.Keys(t.Withheld)) {
		if _, used := given[name]; used {
			f = f.At(ArgumentsField+"."+name, "%s", t.Withheld[name])
		}
	}
	if len(f.Details.Fields) > 0 {
		return nil, f
	}
	return agent.FitArguments(t.Input, arguments)
}

// forModel converts tools for a request, in the same order. In descriptions and schemas, agent.ForModels replaces
// the registered names of tools that the list has.
func forModel(list []Tool) []models.Tool {
	out, names := make([]models.Tool, len(list)), make(map[string]bool, len(list))
	for _, t := range list {
		names[t.Registered] = true
	}
	known := func(name string) bool { return names[name] }
	for i, t := range list {
		out[i] = models.Tool{Name: t.Name, Description: agent.ForModels(t.Description, known), Schema: json.RawMessage(agent.ForModels(string(t.Input), known))}
	}
	return out
}

// ArgumentsField begins the name of each field in an error about a call's arguments. For example,
// the error has the name "arguments.path" for the argument path.
const ArgumentsField = "arguments"

// matches reports whether a pattern matches a tool's name.
func matches(pattern, tool string) bool {
	is, err := path.Match(pattern, tool)
	return err == nil && is
}

// restricts works like matches, for patterns that take a tool away. Another spelling must not evade
// them: case is ignored, and "-" equals "_", except in patterns with a class such as [a-z].
func restricts(pattern, tool string) bool {
	lower := strings.ToLower(pattern)
	if !strings.ContainsAny(lower, `[\`) {
		lower = strings.ReplaceAll(lower, "-", "_")
	}
	tool = strings.ToLower(tool)
	return matches(lower, tool) || matches(lower, strings.ReplaceAll(tool, "-", "_"))
}
