package main

import (
	"context"
	"log/slog"
	"sync"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/tools/mcptools"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/state/identity/upstream"
	"github.com/windieos/windie/wasmtools"
)

// brought holds the tools from plugins and MCP servers.
type brought struct {
	plugins *wasmtools.Plugins
	servers *mcptools.Servers

	connections *upstream.Store // of users to servers that they sign in to
}

// openBrought registers the known tools. Run finds new ones.
func openBrought(c *config, tools *agent.Registry, p pools, files artifacts.Store, kept *state, log *slog.Logger) (*brought, error) {
	var servers *mcptools.Servers
	connections, err := c.openConnections(kept.db, func() *mcptools.Servers { return servers })
	if err != nil {
		return nil, err
	}
	servers, err = openMCP(c, tools, connections, log)
	if err != nil {
		return nil, err
	}
	plugins, err := openPlugins(c, tools, p, files, kept.values, log)
	if err != nil {
		servers.Close()
		return nil, err
	}
	return &brought{plugins, servers, connections}, nil
}

// Run opens the plugins and follows their changes. It also asks MCP servers for their tools if the
// tools are unknown. Run returns after ctx has ended, when the work on plugins and on servers has
// stopped.
func (b *brought) Run(ctx context.Context) {
	var both sync.WaitGroup
	both.Go(func() { b.plugins.Run(ctx) })
	both.Go(func() { b.servers.Run(ctx) })
	both.Wait()
}

// Close closes the plugins and the MCP servers.
func (b *brought) Close() {
	b.servers.Close()
	b.plugins.Close()
}
