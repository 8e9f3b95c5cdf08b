// Package health serves what those ask who run or install a gateway: whether it
// works, whether to send it requests, and the token of a new install.
package health

import "github.com/windieos/windie/gateway"

// door is this protocol of a gateway.
type door struct {
	*gateway.Server
	probes []*probe
}

func open(s *gateway.Server) *door { return &door{Server: s} }

// Parts returns the parts that serve health and, where users have tokens, installs.
func Parts(cfg gateway.Config) []gateway.Part {
	parts := []gateway.Part{gateway.PartOf("", open, (*door).addHealth)}
	if cfg.Identity != nil {
		parts = append(parts, gateway.PartOf("install", open, (*door).addInstall))
	}
	return parts
}
