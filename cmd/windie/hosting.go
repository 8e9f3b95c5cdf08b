package main

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/windieos/windie/gateway"
)

// The modes that the setting mode chooses from.
const (
	localMode  = "local"
	hostedMode = "hosted"
)

// checkHosting lists what is wrong with the settings that say who may ask for
// how much.
func (c *config) checkHosting() []string {
	var p []string
	if c.Mode != localMode && c.Mode != hostedMode {
		p = append(p, fmt.Sprintf("mode (WINDIE_MODE): %q is not local or hosted", c.Mode))
	}
	for _, proxy := range c.TrustedProxies {
		if _, err := parseNetwork(proxy); err != nil {
			p = append(p, fmt.Sprintf("trusted_proxies (WINDIE_TRUSTED_PROXIES): %q is not an address or a network as 10.0.0.0/8", proxy))
		}
	}
	for _, s := range settings(c) {
		if strings.HasPrefix(s.key, "limits.") && s.value.Int() < 0 {
			p = append(p, fmt.Sprintf("%s (%s): must be at least 0, which is no limit", s.key, s.env))
		}
	}
	return p
}

// parseNetwork reads a network, or an address as the network of it alone.
func parseNetwork(s string) (netip.Prefix, error) {
	if address, err := netip.ParseAddr(s); err == nil {
		return netip.PrefixFrom(address, address.BitLen()), nil
	}
	return netip.ParsePrefix(s)
}

// hosting returns cfg with what the settings, which have been checked, say of
// who may ask, from where, and for how much.
func (c *config) hosting(cfg gateway.Config) gateway.Config {
	cfg.Hosted = c.Mode == hostedMode
	cfg.OperatorToken = string(c.OperatorToken)
	cfg.PublicURL, cfg.AllowedOrigins = c.PublicURL, c.AllowedOrigins
	cfg.MaxArtifactBytes = c.MaxArtifactBytes
	cfg.Limits = gateway.Limits(c.Limits)
	for _, proxy := range c.TrustedProxies {
		network, _ := parseNetwork(proxy) // checked
		cfg.TrustedProxies = append(cfg.TrustedProxies, network)
	}
	return cfg
}
