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
	name       string // as the guest knows it
	held       *held
	version    *version
}

var _ agent.Tool = (*tool)(nil)

func (t *tool) Descriptor() agent.Descriptor { return t.descriptor }

// Call calls the tool on the version of the plugin that it was registered
// with. A version that was replaced and closed since gives way to the newest.
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

var notInNames = regexp.MustCompile(`[^a-z0-9_.]+`)

func toolName(plugin, name string) string {
	name = strings.Trim(notInNames.ReplaceAllString(strings.ToLower(name), "_"), "_.")
	return plugin + "." + strings.TrimPrefix(name, plugin+".")
}

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

// risk is the operator's, or else follows from the grant: a tool that may change nothing is safe, and one that
// may is risky, as are those of a plugin that may call other tools. What the plugin claims is no matter.
func risk(plugin string, t abi.Tool, g Grant) agent.Risk {
	if r := g.said(plugin, t.Name); r != "" {
		return r
	}
	if g.Permissions.changes() {
		return agent.Risky
	}
	return agent.Safe
}

// said is the risk that the operator gives a tool, empty if there is none. What the registry calls the same is the same
// tool, so that a plugin does not get out of it by another spelling; of several the highest risk counts.
func (g Grant) said(plugin, tool string) (highest agent.Risk) {
	rising := []agent.Risk{"", agent.Safe, agent.Risky, agent.Forbidden}
	for name, r := range g.Risk {
		if toolName(plugin, name) == toolName(plugin, tool) && slices.Index(rising, r) > slices.Index(rising, highest) {
			highest = r
		}
	}
	return highest
}

// Claimed returns, by the guest's names, the tools that claim to only read and are risky all the same, as a
// grant's risk would make them safe; nil if there are no such tools.
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

// Tools returns the plugin's tools, for a registry of who opened it by Open
// with this grant. They work until the plugin is closed.
func (p *Plugin) Tools(grant Grant) []agent.Tool {
	v := newVersion(func(context.Context) (*Plugin, error) { return p, nil })
	v.start(context.Background(), make(chan struct{}, 1))
	h := &held{name: p.Name}
	h.current.Store(v)
	return (&described{p.Admission, p.Description}).tools(h, v, grant)
}
