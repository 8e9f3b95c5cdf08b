// Package tools serves the registry's tools over HTTP, the plugins that bring
// tools, and the log of their calls.
package tools

import "github.com/windieos/windie/gateway"

// door is this protocol of a gateway.
type door struct{ *gateway.Server }

// Parts returns the parts that serve tools, plugins and the audit log, as far as
// cfg has what they need.
func Parts(cfg gateway.Config) []gateway.Part {
	parts := []gateway.Part{part("tools", (*door).addTools)}
	if cfg.Plugins != nil {
		parts = append(parts, part("plugins", (*door).addPlugins))
	}
	if cfg.Audit != nil {
		parts = append(parts, part("audit", (*door).addAudit))
	}
	return parts
}

func part(id string, add func(*door)) gateway.Part {
	return gateway.Part{ID: id, Setup: func(s *gateway.Setup) error {
		add(&door{s.Server})
		return nil
	}}
}
