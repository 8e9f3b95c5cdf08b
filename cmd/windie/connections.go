package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/windieos/windie/agent/tools/mcptools"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/identity/upstream"
)

// openConnections returns the users' connections to MCP servers that they sign in to. servers returns
// these servers.
func (c *config) openConnections(db *database.DB, servers func() *mcptools.Servers) (*upstream.Store, error) {
	path := filepath.Join(c.DataDir, "connections.key")
	key, err := keyFile(path, upstream.KeyBytes)
	if err != nil {
		return nil, fmt.Errorf("cannot use the key %s, by which the gateway encrypts the tokens of users for MCP servers: %w", path, err)
	}
	base := cmp.Or(c.PublicURL, "http://"+c.Listen+c.PathPrefix)
	return upstream.Open(db, upstream.Config{
		Key: key, Console: strings.TrimSuffix(base, "/") + "/console/#/gateway/connections", PublicURL: c.PublicURL,
		Servers: func() []upstream.Server { return servers().SignIns() },
	}), nil
}
