package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/netip"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/conversation"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/identity"
)

// The values of the setting mode.
const (
	localMode  = "local"
	hostedMode = "hosted"
)

// checkHosting adds the problems of the settings of users and their limits to p.
func (c *config) checkHosting(p *configError) {
	for _, proxy := range c.TrustedProxies {
		_, err := parseNetwork(proxy)
		p.add(err != nil, "trusted_proxies (WINDIE_TRUSTED_PROXIES): %q is not an address or a network as 10.0.0.0/8", proxy)
	}
}

// parseNetwork parses a network, or an address as a network of only that address.
func parseNetwork(s string) (netip.Prefix, error) {
	if address, err := netip.ParseAddr(s); err == nil {
		return netip.PrefixFrom(address, address.BitLen()), nil
	}
	return netip.ParsePrefix(s)
}

// hosting returns cfg with the settings of users, origins, limits and responses, which are already
// checked.
func (c *config) hosting(cfg gateway.App) gateway.App {
	cfg.Hosted = c.Mode == hostedMode
	cfg.OperatorToken, cfg.RunsKey = string(c.OperatorToken), string(c.Runs.Key)
	cfg.PublicURL, cfg.AllowedOrigins = c.PublicURL, c.AllowedOrigins
	cfg.MaxArtifactBytes, cfg.PresignTTL = c.MaxArtifactBytes, c.S3.PresignTTL
	cfg.DrainTimeout, cfg.DrainDelay = c.DrainTimeout, c.DrainDelay
	cfg.Conversations = conversation.Open(cfg.Journal)
	cfg.PromptModels = map[string]string{sdkapi.PromptModelHigh: c.Models.High}
	cfg.PathPrefix = c.PathPrefix
	cfg.OpenAITools = toolsNamed(c.OpenAITools)
	cfg.MCPTools, cfg.MCPClients = toolsNamed(c.MCP.Tools), toolsByClient(c.MCP.Clients)
	cfg.ClientsAsk = c.Agent.ClientsAsk
	cfg.OpenID, cfg.Issuer = c.openID(), c.issuer()
	cfg.Limits = c.Limits.quota()
	for _, proxy := range c.TrustedProxies {
		network, _ := parseNetwork(proxy) // checked before
		cfg.TrustedProxies = append(cfg.TrustedProxies, network)
	}
	return cfg
}

// allTools is the pattern that every tool matches.
const allTools = "all"

// toolsNamed returns a filter for the tools that match patterns by their name or by the name that models
// get, such as ocr.read or ocr_read. It returns nil if there are no patterns.
func toolsNamed(patterns []string) agent.Filter {
	if len(patterns) == 0 {
		return nil
	}
	return func(d agent.Descriptor) bool {
		return slices.ContainsFunc(patterns, func(pattern string) bool {
			byName, _ := path.Match(pattern, d.Name) // checked before
			byModelName, _ := path.Match(pattern, agent.ModelName(d.Name))
			return byName || byModelName || pattern == allTools
		})
	}
}

// toolsByClient returns a filter for each client of choices in the form client=pattern.
func toolsByClient(choices []string) map[string]agent.Filter {
	patterns := map[string][]string{}
	for _, choice := range choices {
		client, pattern, _ := strings.Cut(choice, "=") // checked before
		patterns[client] = append(patterns[client], pattern)
	}
	filters := make(map[string]agent.Filter, len(patterns))
	for client, list := range patterns {
		filters[client] = toolsNamed(list)
	}
	return filters
}

// approvalKeyFile returns the file of the key for approvals on a local gateway. Programs of this
// user read the key there.
func (c *config) approvalKeyFile() string { return filepath.Join(c.DataDir, "approval.key") }

// approvalKey returns the key with which a person's programs prove themselves to a local gateway. A
// hosted gateway has none, because a user's token identifies the person.
func (c *config) approvalKey(log *slog.Logger) (string, error) {
	if c.Mode == hostedMode {
		return "", nil
	}
	return identity.LocalKey(c.approvalKeyFile(), log)
}

// checkApprovalKey checks the key for the doctor, without creating it.
func (c *config) checkApprovalKey(context.Context) (string, error) {
	name := c.approvalKeyFile()
	_, err := os.Lstat(name)
	switch {
	case c.Mode == hostedMode:
		return "users approve calls with their tokens", nil
	case errors.Is(err, fs.ErrNotExist):
		return "the gateway creates " + name + " when it starts", nil
	}
	if err := identity.CheckLocalKey(name); err != nil {
		return "", err
	}
	_, err = identity.ReadLocalKey(name)
	return name + " is readable only by the gateway's user", err
}
