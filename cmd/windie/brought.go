package main

import (
	"context"
	"log/slog"
	"sync"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/tools/mcptools"
	"github.com/windieos/windie/artifacts"
)

// brought are the tools of plugins and of MCP servers.
type brought struct {
	plugins *plugins
	servers *mcptools.Servers
}

// openBrought registers known tools; Run finds others. beside is as in openPlugins.
func openBrought(c *config, tools *agent.Registry, p pools, store artifacts.Store, log *slog.Logger, beside bool) (*brought, error) {
	servers, err := openMCP(c, tools, log)
	if err != nil {
		return nil, err
	}
	plugins, err := openPlugins(c, tools, p, store, log, beside)
	if err != nil {
		servers.Close()
		return nil, err
	}
	return &brought{plugins, servers}, nil
}

func (b *brought) Run(ctx context.Context) {
	var both sync.WaitGroup
	both.Go(func() { b.plugins.Run(ctx) })
	both.Go(func() { b.servers.Run(ctx) })
	both.Wait()
}

// Close closes both. What plugins keep is written already.
func (b *brought) Close() error {
	b.servers.Close()
	return b.plugins.Close()
}
