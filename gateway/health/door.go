// Package health serves what those ask who run or install a gateway: whether it
// works, whether to send it requests, and the token of a new install.
package health

import "github.com/windieos/windie/gateway"

// door is this protocol of a gateway.
type door struct {
	*gateway.Server
	probes []*probe
}

// Parts returns the parts that serve health and, where users have tokens, installs.
func Parts(cfg gateway.Config) []gateway.Part {
	parts := []gateway.Part{part("", (*door).addHealth)}
	if cfg.Identity != nil {
		parts = append(parts, part("install", (*door).addInstall))
	}
	return parts
}

func part(id string, add func(*door)) gateway.Part {
	return gateway.Part{ID: id, Setup: func(s *gateway.Setup) error {
		add(&door{Server: s.Server})
		return nil
	}}
}
