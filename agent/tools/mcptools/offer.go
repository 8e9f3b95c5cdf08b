package mcptools

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/hashid"
)

// offer is the part of a listing that is registered, with remarks.
type offer struct {
	server *server
	pins   pins
	was    map[string]listed
	names  map[string]bool // names in use so far
	pinned map[string]bool // names of the tools in pins

	tools  []agent.Tool
	status []ToolStatus
	notes  []string
	fresh  pins // tools that the gateway sees for the first time
	others pins // tools that differ from their accepted form
}

// changes returns a hash of all changed tools that the operator has not accepted. It is empty if there are
// none, or if o is nil.
func (o *offer) changes() string {
	if o == nil || len(o.others) == 0 {
		return ""
	}
	return hashOf(o.others)
}

// newOffer returns the tools of l that the registry gets, each under a different name. known has the accepted tools.
// was has the accepted definitions of changed tools.
func newOffer(s *server, l *listing, known pins, was map[string]listed) *offer {
	o := &offer{server: s, pins: known, was: was, names: map[string]bool{}, pinned: map[string]bool{}, fresh: pins{}, others: pins{}}
	for own := range known {
		o.pinned[toolName(s.spec.Name, own)] = true
	}
	for _, field := range s.spec.ignored {
		o.note("unknown field %q in the server's entry of the file: it is ignored", field)
	}
	if l.Short != "" {
		o.note("%s", l.Short)
	}
	o.unheard(l)
	// If two tools have the same cleaned name, the tool whose own name is that name gets it. If there
	// is no such tool, the first tool by the server's names gets it.
	tools := slices.SortedFunc(slices.Values(l.Tools), func(a, b listed) int {
		return strings.Compare(a.Name, b.Name)
	})
	for _, exact := range []bool{true, false} {
		for _, t := range tools {
			if name := toolName(s.spec.Name, t.Name); exact == (name == s.spec.Name+"."+t.Name) {
				o.add(name, t)
			}
		}
	}
	slices.SortFunc(o.status, func(a, b ToolStatus) int { return strings.Compare(a.Name, b.Name) })
	return o
}

// note adds a remark for the operator to the server's status.
func (o *offer) note(format string, args ...any) {
	o.notes = append(o.notes, fmt.Sprintf(format, args...))
}

// unheard notes entries of the file about tools that the server does not have.
func (o *offer) unheard(l *listing) {
	spec := o.server.spec
	for field, names := range map[string][]string{"allow": spec.Allow, "deny": spec.Deny, "risk": slices.Collect(maps.Keys(spec.Risk))} {
		for _, name := range names {
			if !slices.ContainsFunc(l.Tools, func(t listed) bool { return matches(name, t.Name) || field != "allow" && forbids(name, t.Name) }) {
				o.note("%s lists %q, but the server has no such tool", field, name)
			}
		}
	}
	slices.Sort(o.notes)
}

// matches reports whether a valid pattern of the file matches a tool's name.
func matches(pattern, tool string) bool {
	ok, _ := path.Match(pattern, tool)
	return ok || pattern == tool
}

// notInPatterns matches characters that become _ in a pattern, as in a name.
var notInPatterns = regexp.MustCompile(`[^a-z0-9*?]+`)

// forbids is matches for patterns that restrict a tool. It also compares the cleaned forms, so that the
// server cannot evade a restriction by another spelling of the name. A pattern with classes, such as
// [a-z], has no cleaned form; forbids only ignores its case.
func forbids(pattern, tool string) bool {
	lower := strings.ToLower(pattern)
	if strings.ContainsAny(pattern, `[\`) {
		return matches(pattern, tool) || matches(lower, strings.ToLower(tool))
	}
	return matches(pattern, tool) || matches(strings.Trim(notInPatterns.ReplaceAllString(lower, "_"), "_"), clean(tool))
}

// allowed reports whether the operator allows a tool.
func (s *Spec) allowed(tool string) bool {
	is := func(match func(pattern, tool string) bool) func(string) bool {
		return func(pattern string) bool { return match(pattern, tool) }
	}
	return (len(s.Allow) == 0 || slices.ContainsFunc(s.Allow, is(matches))) && !slices.ContainsFunc(s.Deny, is(forbids))
}

// risk returns the risk that the operator has set for a tool, and otherwise agent.Risky. name is the
// registered name, and own is the server's. Entries whose names become the same registered name mean the
// same tool, and the highest risk counts. Only an entry in the server's own spelling makes a tool safe.
func (s *Spec) risk(name, own string) agent.Risk {
	risk := cmp.Or(s.Risk[own], agent.Risky)
	for other, r := range s.Risk {
		if toolName(s.Name, other) == name && (r == agent.Forbidden || r == agent.Risky && risk == agent.Safe) {
			risk = r
		}
	}
	return risk
}

// add adds a tool under a name. If the tool is unusable, add only notes the reason. A tool that the operator
// does not allow is omitted without a note.
func (o *offer) add(name string, t listed) {
	if !o.server.spec.allowed(t.Name) {
		return
	}
	if why := o.unusable(name, t); why != "" {
		o.note("the tool %.100q is ignored: %s", t.Name, why)
		return
	}
	o.names[name] = true
	pin, seen := o.pins[t.Name]
	hash := t.hash()
	// pinned has the name if an accepted tool had it in another spelling.
	changed := pin != hash && (seen || o.pinned[name])
	if !seen && !changed {
		o.fresh[t.Name] = hash
	}
	if len(t.Output) > 0 && agent.CheckSchema(t.Output) != nil {
		t.Output = nil
		o.note("the output schema of the tool %.100q is not one of an object: answers are not checked", t.Name)
	}
	st := ToolStatus{Name: name, Tool: t.Name, Changed: changed}
	if changed {
		o.others[t.Name] = hash
		st.Now = t.definition()
		if was, kept := o.was[t.Name]; kept && was.hash() == pin {
			st.Was = was.definition()
		}
	}
	d := o.server.spec.descriptor(name, t, changed)
	o.tools = append(o.tools, &tool{descriptor: d, own: t.Name, input: t.Input, server: o.server})
	st.Risk = d.Risk
	o.status = append(o.status, st)
}

// unusable returns the reason why a tool cannot be used under a name. It is empty if the tool can be used.
func (o *offer) unusable(name string, t listed) string {
	if name == "" {
		return "its name must contain a letter or a digit"
	}
	if o.names[name] {
		return "another tool of the server is also called " + name
	}
	if held, taken := o.server.in.registry.Named(name); taken && held.Origin != o.server.origin() {
		return fmt.Sprintf("%s has the tool %s, which has the same name %s for models", held.Origin, held.Name, agent.ModelName(name))
	}
	if _, seen := o.pins[t.Name]; !seen && len(o.pins)+len(o.fresh) >= maxPins {
		return fmt.Sprintf("the server has had %d different tools, the limit", maxPins)
	}
	if err := agent.CheckSchema(t.Input); err != nil {
		return "its input schema is invalid: " + fault.From(err).Message
	}
	return ""
}

// descriptor returns the descriptor for the registry. It ignores the server's hints: tools are
// risky by default. For a changed tool, it hides the description and the schemas, and forbids the tool.
func (s *Spec) descriptor(name string, t listed, changed bool) agent.Descriptor {
	d := agent.Descriptor{
		Name:        name,
		Description: t.Description,
		Tag:         s.Name,
		Input:       withoutNeed(t.Input),
		Output:      t.Output,
		Risk:        s.risk(name, t.Name),
		Origin:      agent.Origin{Kind: agent.MCP, Owner: s.Name},
	}
	if changed {
		d.Description = "This tool is not what it was when it was first seen, and may not be used until the gateway's operator accepts that: windie mcp accept " + s.Name
		d.Input, d.Output, d.Risk = nil, nil, agent.Forbidden
	}
	return d
}

// notInNames matches characters that become _ in a name.
var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// clean returns a name of lower-case letters, digits and _. It may be empty.
func clean(text string) string {
	return strings.Trim(notInNames.ReplaceAllString(strings.ToLower(text), "_"), "_")
}

// groupOf returns the group of a server's tools: the part of their names before the dot. It is empty if the
// server's name is unusable.
func groupOf(server string) string {
	name := clean(server)
	if name == "" || len(name) > maxGroupLen || name[0] < 'a' {
		return ""
	}
	return name
}

// hashInName is the number of hash digits that replace the cut end of a long name.
const hashInName = 8

// toolName returns the registered name of a server's tool. It is empty if own has no letter and no digit. It
// shortens a name over agent.MaxNameLen, and adds a hash of own to it.
func toolName(group, own string) string {
	verb := clean(own)
	switch {
	case verb == "":
		return ""
	case verb[0] < 'a':
		verb = "t_" + verb
	}
	name := group + "." + verb
	if len(name) > agent.MaxNameLen {
		name = name[:agent.MaxNameLen-hashInName-1] + "_" + hashid.Of(own, hashInName/2)
	}
	return name
}
