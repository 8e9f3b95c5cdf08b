package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/artifacts"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/newfile"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/state/database"
	"github.com/windieos/windie/state/values"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
)

// secretPrefix begins the names of variables that hold secrets of plugins: the
// rule of a grant that names API_KEY gets WINDIE_SECRET_API_KEY.
const secretPrefix = "WINDIE_SECRET_"

// sharedDir returns the folder of memory, plugins and their grants.
func (c *config) sharedDir() string { return cmp.Or(c.SharedDir, c.DataDir) }

// The files of plugins.
func (c *config) pluginDir() string    { return filepath.Join(c.sharedDir(), "plugins") }
func (c *config) pluginGrants() string { return filepath.Join(c.sharedDir(), "grants.json") }
func (c *config) pluginTrust() string  { return filepath.Join(c.sharedDir(), "plugin-trust.json") }

// pluginFolder returns where plugins and their grants are. Where there are plugins, a file of grants that the
// settings name must be there: without it, plugins that it disables would be served, and tools that it forbids called.
func (c *config) pluginFolder() (wasmtools.Folder, error) {
	folder := wasmtools.Folder{Dir: c.pluginDir(), Grants: c.pluginGrants(), Named: c.SharedDir != ""}
	if _, err := os.Stat(folder.Grants); !folder.Named || !errors.Is(err, fs.ErrNotExist) {
		return folder, nil
	}
	entries, err := os.ReadDir(folder.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return folder, &configError{[]string{"shared_dir (WINDIE_SHARED_DIR): " + err.Error()}}
	}
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !strings.HasPrefix(e.Name(), ".") }) {
		return folder, &configError{[]string{fmt.Sprintf("shared_dir (WINDIE_SHARED_DIR): there is no file %s; put {} into it to grant nothing", folder.Grants)}}
	}
	return folder, nil
}

// beginPluginFolder is pluginFolder for callers that put plugins into it, or change grants. Before there are any, it makes the file of
// grants that the settings name.
func (c *config) beginPluginFolder() (wasmtools.Folder, error) {
	folder, err := c.pluginFolder()
	if err != nil || !folder.Named {
		return folder, err
	}
	if _, err := os.Stat(folder.Grants); err == nil {
		return folder, nil // it may be one that nobody may write to
	}
	if err := newfile.MkdirAll(filepath.Dir(folder.Grants)); err != nil {
		return folder, &configError{[]string{"shared_dir (WINDIE_SHARED_DIR): cannot make the folder: " + err.Error()}}
	}
	err = wasmtools.LockFile(context.Background(), folder.Grants, func() error {
		if _, err := os.Stat(folder.Grants); !errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return newfile.Write(folder.Grants, []byte("{}\n"))
	})
	if err != nil {
		return folder, &configError{[]string{"shared_dir (WINDIE_SHARED_DIR): cannot make the file of grants: " + err.Error()}}
	}
	return folder, nil
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
		ScriptRuntime: c.scriptRuntime(),
		Secret:        func(name string) (string, bool) { return os.LookupEnv(secretPrefix + name) },
		Log:           log,
	}
}

// waitingGuests is how many guests of one plugin and user may wait for a core. It is more than the
// highest concurrent_calls, at each depth of calls within calls.
const waitingGuests = 2048

// userKeyBytes is the size of the key that makes users' ids for plugins.
const userKeyBytes = 32

// pluginUserKey returns the key that makes the ids of users that plugins see, from a file of the
// data folder, which it makes. Without the file the ids would be others after a restart. In local
// mode there is none: all calls are one person's.
func (c *config) pluginUserKey() ([]byte, error) {
	if c.Mode != hostedMode {
		return nil, nil
	}
	path := filepath.Join(c.DataDir, "plugin-users.key")
	key, err := wasmtools.ReadFile(path, userKeyBytes)
	if errors.Is(err, os.ErrNotExist) {
		key = make([]byte, userKeyBytes)
		_, _ = rand.Read(key) // never fails
		err = newfile.Write(path, key)
	}
	if err == nil && len(key) != userKeyBytes {
		err = fmt.Errorf("it has %d bytes; want %d", len(key), userKeyBytes)
	}
	if err != nil {
		return nil, fmt.Errorf("the key %s, which makes the ids of users that plugins see: %w", path, err)
	}
	return key, nil
}

// storesIn returns the stores of plugins.
func storesIn(store *values.Store) wasmtools.OpenStore {
	return func(plugin, user string, quota wasmtools.Quota) abi.Store {
		if user == "" {
			return store.Plugin(plugin, quota.Bytes)
		}
		return store.User(plugin, user, quota.Bytes, quota.AllUsers())
	}
}

// storesOf opens stores for a workshop, which are gone with their folder.
func storesOf(ctx context.Context, folder string) (stores wasmtools.OpenStore, leave func(), err error) {
	db, err := database.Open(ctx, database.Config{File: filepath.Join(folder, databaseName)})
	if err != nil {
		return nil, nil, err
	}
	return storesIn(values.Open(db)), func() { _ = db.Close() }, nil
}

// openPlugins registers the tools of plugins that were opened before; Run opens the
// others.
func openPlugins(c *config, tools *agent.Registry, p pools, files artifacts.Store, store *values.Store, log *slog.Logger) (*wasmtools.Plugins, error) {
	folder, err := c.beginPluginFolder()
	if err != nil {
		return nil, err
	}
	if err := newfile.MkdirAll(folder.Dir); err != nil {
		return nil, &configError{[]string{"shared_dir (WINDIE_SHARED_DIR): cannot make the folder of plugins: " + err.Error()}}
	}
	cfg := c.pluginHost(log)
	cfg.Inside = c.ownNames()
	cfg.Memory, cfg.Cores = p.memory, p.guests
	cfg.KeepFile, cfg.LoadFile = pluginFiles(files)
	cfg.TempDir = c.tempDir()
	c.sweepLeftovers(log) // of calls too, if the gateway before was killed
	if cfg.UserKey, err = c.pluginUserKey(); err != nil {
		return nil, err
	}
	cfg.Store, cfg.Forget = storesIn(store), store.Forget
	engine, err := wasmtools.NewEngine(cfg)
	if err != nil {
		return nil, err
	}
	return wasmtools.NewPlugins(engine, tools, folder)
}

// pluginFiles returns what keeps and loads artifacts of the users whom calls of plugins are for.
func pluginFiles(files artifacts.Store) (
	keep func(context.Context, agent.Call, []byte) (string, error), load func(context.Context, agent.Call, string, int64) ([]byte, error),
) {
	of := func(call agent.Call) (artifacts.Store, error) {
		apart, ok := files.(artifacts.PerUser)
		switch {
		case ok && call.User == "":
			return nil, fault.New("windie.pluginFiles", sdkapi.AuthRequired, "artifacts belong to users here, and this call is of none")
		case ok:
			return apart.For(call.User), nil
		}
		return files, nil
	}
	keep = func(ctx context.Context, call agent.Call, content []byte) (string, error) {
		store, err := of(call)
		if err != nil {
			return "", err
		}
		return artifacts.Keep(ctx, store, content)
	}
	load = func(ctx context.Context, call agent.Call, id string, most int64) ([]byte, error) {
		store, err := of(call)
		if err != nil {
			return nil, err
		}
		content, info, err := artifacts.Read(ctx, store, id, most)
		if err == nil && info.Size > most {
			err = fault.New("windie.pluginFiles", sdkapi.PayloadTooLarge, "the artifact has %d bytes, and the program may have %d more; its limit is input_bytes", info.Size, most)
		}
		return content, err
	}
	return keep, load
}
