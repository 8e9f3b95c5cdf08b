package main

import (
	"cmp"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
	"github.com/windieos/windie/wasmtools/kv"
)

// secretPrefix begins the names of variables that hold secrets of plugins: the
// rule of a grant that names API_KEY gets WINDIE_SECRET_API_KEY.
const secretPrefix = "WINDIE_SECRET_"

// Where plugins and what belongs to them are, in data_dir unless told.
func (c *config) pluginDir() string {
	return cmp.Or(c.Plugins.Dir, filepath.Join(c.DataDir, "plugins"))
}

func (c *config) pluginGrants() string {
	return cmp.Or(c.Plugins.Grants, filepath.Join(c.DataDir, "grants.json"))
}

func (c *config) scriptRuntime() string {
	return cmp.Or(c.Plugins.ScriptRuntime, filepath.Join(c.DataDir, "runtime", "quickjs.wasm"))
}

func (c *config) pluginCache() string { return filepath.Join(c.DataDir, "compiled") }

// plugins are the plugins of the gateway, and what is closed with them.
type plugins struct {
	*wasmtools.Plugins
	store *kv.Store
}

var _ io.Closer = (*plugins)(nil)

// openPlugins makes the folder of plugins, and registers the tools of those in
// it that were opened before. Their Run opens the others.
func openPlugins(c *config, tools *agent.Registry, log *slog.Logger) (*plugins, error) {
	if err := os.MkdirAll(c.pluginDir(), 0o700); err != nil {
		return nil, &configError{[]string{"plugins.dir (WINDIE_PLUGIN_DIR): cannot make the folder: " + err.Error()}}
	}
	store, err := kv.Open(filepath.Join(c.DataDir, "plugins.db"))
	if err != nil {
		return nil, err
	}
	engine, err := wasmtools.NewEngine(wasmtools.Config{
		CacheDir:      c.pluginCache(),
		CacheBytes:    c.Plugins.CacheBytes,
		ScriptRuntime: c.scriptRuntime(),
		Store:         func(plugin string, bytes int64) abi.Store { return store.Plugin(plugin, bytes) },
		Forget:        store.Forget,
		Secret:        func(name string) (string, bool) { return os.LookupEnv(secretPrefix + name) },
		Log:           log,
	})
	if err == nil {
		var p *wasmtools.Plugins
		if p, err = wasmtools.NewPlugins(engine, tools, wasmtools.Folder{Dir: c.pluginDir(), Grants: c.pluginGrants()}); err == nil {
			return &plugins{p, store}, nil
		}
	}
	_ = store.Close() // nothing was written
	return nil, err
}

// Close closes the plugins, and then what they keep.
func (p *plugins) Close() error {
	p.Plugins.Close()
	return p.store.Close()
}
