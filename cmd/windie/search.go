package main

import (
	"context"
	"net/netip"
	"net/url"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/tools/websearch"
	"github.com/windieos/windie/internal/fault"
)

// openSearch returns the web search provider without connecting, or nil if there is none.
func (c *config) openSearch() (websearch.Provider, error) {
	if c.Search.Provider == "" {
		return nil, nil //nolint:nilnil // there is none, and nothing is wrong
	}
	return websearch.Open(c.Search.Provider, websearch.Config{URL: c.Search.URL, Key: string(c.Search.APIKey)})
}

// searchSettings are the settings by their names in websearch.Open.
var searchSettings = map[string]string{
	"kind": "search.provider (WINDIE_SEARCH_PROVIDER)",
	"url":  "search.url (WINDIE_SEARCH_URL)",
	"key":  "search.api_key (WINDIE_SEARCH_API_KEY)",
}

// checkSearch returns the problems of the search settings. It opens the provider to check them, but
// sends no request.
func (c *config) checkSearch() []string {
	if c.Search.Provider == "" {
		if c.Search.URL != "" || c.Search.APIKey != "" {
			return []string{searchSettings["kind"] + ": required with search.url and search.api_key"}
		}
		return nil
	}
	var p configError
	provider, err := c.openSearch()
	if err != nil {
		for _, field := range fault.From(err).Details.Fields {
			p.add(true, "%s: %s", searchSettings[field.Path], field.Message)
		}
		return p.problems
	}
	_ = provider.Close() // it has no connections yet
	p.add(c.Search.APIKey != "" && shows(c.Search.URL), "%s: must be https with search.api_key, which would be shown to the network", searchSettings["url"])
	return p.problems
}

// shows reports whether others could read a request to a URL on the open network. A name without
// dots belongs to the operator's own network.
func shows(at string) bool {
	u, err := url.Parse(at)
	if err != nil || u.Scheme != "http" {
		return false
	}
	if ip, err := netip.ParseAddr(strings.Trim(u.Hostname(), "[]")); err == nil {
		return !ip.IsLoopback() && !ip.IsPrivate()
	}
	return strings.Contains(u.Hostname(), ".")
}

// addSearch registers the web search tool until ctx ends, if there is a provider.
func (c *config) addSearch(ctx context.Context, tools *agent.Registry) error {
	provider, err := c.openSearch()
	if err != nil || provider == nil {
		return err
	}
	context.AfterFunc(ctx, func() { _ = provider.Close() })
	return tools.Register(websearch.Tool(provider))
}
