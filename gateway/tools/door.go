// Package tools serves the registry's tools over HTTP, the plugins that bring
// tools, and the log of their calls.
package tools

import "github.com/windieos/windie/gateway"

// door is this protocol of a gateway.
type door struct{ *gateway.Server }

func open(s *gateway.Server) *door { return &door{s} }

// Parts returns the parts that serve tools, plugins and the audit log, as far as
// cfg has what they need.
func Parts(cfg gateway.Config) []gateway.Part {
	parts := []gateway.Part{gateway.PartOf("tools", open, (*door).addTools)}
	if cfg.Plugins != nil {
		parts = append(parts, gateway.PartOf("plugins", open, (*door).addPlugins))
	}
	if cfg.Audit != nil {
		parts = append(parts, gateway.PartOf("audit", open, (*door).addAudit))
	}
	return parts
}
