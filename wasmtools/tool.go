package wasmtools

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/wasmtools/abi"
)

// tool is a plugin's tool in the registry.
type tool struct {
	descriptor agent.Descriptor
	name       string // the guest's name for it
	held       *held
	version    *version
}

var _ agent.Tool = (*tool)(nil)

func (t *tool) Descriptor() agent.Descriptor { return t.descriptor }

// Call calls the tool. It uses the version of the plugin that was current when the tool was
// registered. If that version was replaced and closed, Call uses the newest version.
func (t *tool) Call(ctx context.Context, call agent.Call) (agent.Result, error) {
	p, err := t.version.plugin(ctx)
	if err != nil {
		return agent.Result{}, err
	}
	result, err := p.Call(ctx, t.name, call)
	if newest := t.held.newest(); errors.Is(err, ErrClosed) && newest != nil && newest != t.version {
		if p, err = newest.plugin(ctx); err == nil {
			return p.Call(ctx, t.name, call)
		}
	}
	return result, err
}

// notInNames matches characters that names of tools cannot have.
var notInNames = regexp.MustCompile(`[^a-z0-9_.]+`)

// toolName returns the registered name of a guest's tool: plugin, a dot, and name in lower case. It replaces characters
// that are invalid in names with _, and does not repeat the plugin's name.
func toolName(plugin, name string) string {
	name = strings.Trim(notInNames.ReplaceAllString(strings.ToLower(name), "_"), "_.")
	return plugin + "." + strings.TrimPrefix(name, plugin+".")
}

// descriptor describes a guest's tool for the registry. Its risk comes from the grant only.
func (d *described) descriptor(t abi.Tool, g Grant) agent.Descriptor {
	return agent.Descriptor{
		Name:        toolName(d.Admission.Name, t.Name),
		Description: t.Description,
		Tag:         d.Admission.Name,
		Input:       t.InputSchema,
		Output:      t.OutputSchema,
		Risk:        risk(d.Admission.Name, t, g),
		Origin:      origin(d.Admission.Name),
	}
}

// risk returns the operator's risk for a tool, or else derives it from the grant. The tool is risky if
// Permissions.changes holds for its plugin, and safe otherwise. The plugin's own claims do not count.
func risk(plugin string, t abi.Tool, g Grant) agent.Risk {
	if r := g.said(plugin, t.Name); r != "" {
		return r
	}
	if g.Permissions.changes() {
		return agent.Risky
	}
	return agent.Safe
}

// said returns the operator's risk for a tool, or "" if there is none. It compares names like the
// registry, so that another spelling does not evade the operator's risk. Of several entries the
// highest risk counts.
func (g Grant) said(plugin, tool string) (highest agent.Risk) {
	rising := []agent.Risk{"", agent.Safe, agent.Risky, agent.Forbidden}
	for name, r := range g.Risk {
		if toolName(plugin, name) == toolName(plugin, tool) && slices.Index(rising, r) > slices.Index(rising, highest) {
			highest = r
		}
	}
	return highest
}

// Claimed returns the tools that describe themselves as read-only but that the grant treats as
// risky. Each key is the guest's own name of a tool, and each value is agent.Safe. An operator who
// trusts the plugin can copy the result into Grant.Risk. If there are no such tools, the result is
// nil.
func (p *Plugin) Claimed(grant Grant) map[string]agent.Risk {
	claimed := map[string]agent.Risk{}
	for _, t := range p.Description.Tools {
		said := grant.said(p.Name, t.Name)
		if hint := t.Annotations.ReadOnlyHint; hint != nil && *hint && said == "" && risk(p.Name, t, grant) == agent.Risky {
			claimed[t.Name] = agent.Safe
		}
	}
	if len(claimed) == 0 {
		return nil
	}
	return claimed
}

// Tools returns the plugin's tools, which the caller can add to a registry. grant must be the grant
// with which the plugin was opened. The tools work until the plugin is closed.
func (p *Plugin) Tools(grant Grant) []agent.Tool {
	v := newVersion(func(context.Context) (*Plugin, error) { return p, nil })
	v.start(context.Background(), make(chan struct{}, 1))
	h := &held{name: p.Name}
	h.current.Store(v)
	return (&described{p.Admission, p.Description}).tools(h, v, grant)
}
