package main

import (
	"cmp"
	"errors"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
	"github.com/windieos/windie/wasmtools/kv"
)

// secretPrefix begins the names of variables that hold secrets of plugins: the
// rule of a grant that names API_KEY gets WINDIE_SECRET_API_KEY.
const secretPrefix = "WINDIE_SECRET_"

// The files of plugins, in data_dir by default.
func (c *config) pluginDir() string {
	return cmp.Or(c.Plugins.Dir, filepath.Join(c.DataDir, "plugins"))
}

func (c *config) pluginGrants() string {
	return cmp.Or(c.Plugins.Grants, filepath.Join(c.DataDir, "grants.json"))
}

func (c *config) scriptRuntime() string {
	return cmp.Or(c.Plugins.ScriptRuntime, filepath.Join(c.DataDir, "runtime", "quickjs.wasm"))
}

// ownNames are the host names of the gateway for clients. Plugins may not connect
// to them, though the address may be that of a proxy elsewhere.
func (c *config) ownNames() []string {
	u, err := url.Parse(c.PublicURL)
	if err != nil || u.Host == "" {
		return nil
	}
	return []string{strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))}
}

// pluginHost returns settings of the engine. The caller adds stores and refused hosts.
func (c *config) pluginHost(log *slog.Logger) wasmtools.Config {
	return wasmtools.Config{
		CacheDir:      filepath.Join(c.DataDir, "compiled"),
		CacheBytes:    c.Plugins.CacheBytes,
		ScriptRuntime: c.scriptRuntime(),
		Secret:        func(name string) (string, bool) { return os.LookupEnv(secretPrefix + name) },
		Log:           log,
	}
}

// plugins are the plugins of the gateway, and their store.
type plugins struct {
	*wasmtools.Plugins
	store *kv.Store // nil: another gateway has it
}

var _ io.Closer = (*plugins)(nil)

// openPlugins registers the tools of plugins that were opened before; Run opens the
// others. Beside another gateway, plugins with stores are left to it.
func openPlugins(c *config, tools *agent.Registry, log *slog.Logger, beside bool) (*plugins, error) {
	if err := os.MkdirAll(c.pluginDir(), 0o700); err != nil {
		return nil, &configError{[]string{"plugins.dir (WINDIE_PLUGIN_DIR): cannot make the folder: " + err.Error()}}
	}
	store, err := kv.Open(filepath.Join(c.DataDir, "plugins.db"))
	cfg := c.pluginHost(log)
	cfg.Inside = c.ownNames()
	switch {
	case err == nil:
		cfg.Store = func(plugin string, bytes int64) abi.Store { return store.Plugin(plugin, bytes) }
		cfg.Forget = store.Forget
	case beside && errors.Is(err, kv.ErrInUse):
		log.Warn("another gateway has what plugins keep; plugins that keep values do not run here")
	default:
		return nil, err
	}
	engine, err := wasmtools.NewEngine(cfg)
	if err == nil {
		var p *wasmtools.Plugins
		if p, err = wasmtools.NewPlugins(engine, tools, wasmtools.Folder{Dir: c.pluginDir(), Grants: c.pluginGrants()}); err == nil {
			return &plugins{p, store}, nil
		}
	}
	return nil, errors.Join(err, closeStore(store))
}

func (p *plugins) Close() error {
	p.Plugins.Close()
	return closeStore(p.store)
}

func closeStore(store *kv.Store) error {
	if store == nil {
		return nil
	}
	return store.Close()
}
