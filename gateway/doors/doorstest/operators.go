package doorstest

import (
	"context"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/agent/promptlist"
	"github.com/windieos/windie/agent/tools/mcptools"
	"github.com/windieos/windie/gateway"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/retention"
)

// Operated extends a gateway's configuration with the data that an operator manages: settings, an empty list of MCP
// servers, and stored prompts with a retention time.
func Operated(t *testing.T, cfg *gateway.App) {
	t.Helper()
	WithServers(t, cfg, "")
	db := StateOf(t)
	list := promptlist.OpenList(db, promptlist.Options{})
	cfg.Retention = retention.Open(db, []retention.Part{{
		Name: "prompts", Erase: list.EraseUser, Prune: list.Prune, TTL: 48 * time.Hour, Most: retention.Usage{Items: 7},
		Usage:   func(context.Context) (retention.Usage, error) { return retention.Usage{}, nil },
		UsageOf: func(context.Context, string) (retention.Usage, error) { return retention.Usage{}, nil },
	}, {Name: "keys"}}, retention.Options{})
	cfg.Settings = []sdkapi.Setting{{Key: "listen", Env: "WINDIE_LISTEN", Value: "127.0.0.1:0", Set: true, Source: sdkapi.SettingByFlag}}
}

// WithServers adds an MCP server to the configuration of a gateway. The server has the name "up" and this URL. If url
// is empty, the list of servers is empty.
func WithServers(t *testing.T, cfg *gateway.App, url string) {
	t.Helper()
	file := `{"mcpServers":{}}`
	if url != "" {
		file = `{"mcpServers":{"up":{"url":"` + url + `"}}}`
	}
	specs, err := mcptools.Parse([]byte(file), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Tools == nil {
		cfg.Tools = agent.NewRegistry()
	}
	servers, err := mcptools.New(mcptools.Config{Specs: specs, Dir: t.TempDir(), Version: "test", Log: slog.New(slog.DiscardHandler), Every: 5 * time.Millisecond}, cfg.Tools)
	if err != nil {
		t.Fatal(err)
	}
	cfg.MCPServers = servers // a second call replaces the list; the servers of the first call still run
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		servers.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		servers.Close()
	})
}
