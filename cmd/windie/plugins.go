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

// secretPrefix is the prefix of variables with secrets for plugins: a grant's rule that names
// API_KEY gets WINDIE_SECRET_API_KEY.
const secretPrefix = "WINDIE_SECRET_"

// sharedDir returns the folder of memory, plugins and their grants.
func (c *config) sharedDir() string { return cmp.Or(c.SharedDir, c.DataDir) }

// pluginDir returns the folder of plugins.
func (c *config) pluginDir() string { return filepath.Join(c.sharedDir(), "plugins") }

// pluginGrants returns the file of the operator's grants to plugins.
func (c *config) pluginGrants() string { return filepath.Join(c.sharedDir(), "grants.json") }

// pluginTrust returns the file of the signature policy. It may be missing.
func (c *config) pluginTrust() string { return filepath.Join(c.sharedDir(), "plugin-trust.json") }

// pluginFolder returns the folder of plugins and their grants. If there are plugins, a grants file
// named by the settings must exist: without it, disabled plugins would be served and forbidden
// tools called.
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
		return folder, &configError{[]string{fmt.Sprintf("shared_dir (WINDIE_SHARED_DIR): the file %s is missing; create it with {} to grant nothing", folder.Grants)}}
	}
	return folder, nil
}

// beginPluginFolder is pluginFolder for callers that add plugins or change grants. Before the first
// plugin it creates the grants file that the settings name.
func (c *config) beginPluginFolder() (wasmtools.Folder, error) {
	folder, err := c.pluginFolder()
	if err != nil || !folder.Named {
		return folder, err
	}
	if _, err := os.Stat(folder.Grants); err == nil {
		return folder, nil // it may be read-only
	}
	if err := newfile.MkdirAll(filepath.Dir(folder.Grants)); err != nil {
		return folder, &configError{[]string{"shared_dir (WINDIE_SHARED_DIR): cannot create the folder: " + err.Error()}}
	}
	err = wasmtools.LockFile(context.Background(), folder.Grants, func() error {
		if _, err := os.Stat(folder.Grants); !errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return newfile.Write(folder.Grants, []byte("{}\n"))
	})
	if err != nil {
		return folder, &configError{[]string{"shared_dir (WINDIE_SHARED_DIR): cannot create the file of grants: " + err.Error()}}
	}
	return folder, nil
}

// scriptRuntime returns the path of quickjs.wasm, which may be missing. Only JavaScript plugins
// need it.
func (c *config) scriptRuntime() string {
	return cmp.Or(c.Plugins.ScriptRuntime, filepath.Join(c.DataDir, "runtime", "quickjs.wasm"))
}

// ownNames returns the gateway's host names for clients. Plugins may not connect to them, even if
// the address belongs to a proxy elsewhere.
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

// waitingGuests limits the guests of one plugin and user that wait for a core. It is more than the
// highest concurrent_calls at each nesting depth.
const waitingGuests = 2048

// userKeyBytes is the size of the key from which user ids for plugins are derived.
const userKeyBytes = 32

// pluginUserKey returns the key from which plugins' user ids are derived. It is in a file of the
// data folder, which the function creates, so that the ids survive a restart. In local mode there
// is none: all calls come from one person.
func (c *config) pluginUserKey() ([]byte, error) {
	if c.Mode != hostedMode {
		return nil, nil
	}
	path := filepath.Join(c.DataDir, "plugin-users.key")
	key, err := keyFile(path, userKeyBytes)
	if err != nil {
		return nil, fmt.Errorf("cannot use the key %s, from which the gateway computes the user ids for plugins: %w", path, err)
	}
	return key, nil
}

// keyFile returns the random key in a file, which it creates if it is missing.
func keyFile(path string, size int) ([]byte, error) {
	key, err := wasmtools.ReadFile(path, int64(size))
	if errors.Is(err, os.ErrNotExist) {
		key = make([]byte, size)
		_, _ = rand.Read(key) // never fails
		err = newfile.Write(path, key)
	}
	if err == nil && len(key) != size {
		err = fmt.Errorf("the key has %d bytes; expected %d", len(key), size)
	}
	return key, err
}

// storesIn returns a function that opens the store of a plugin for one user, or for all users
// together if user is empty.
func storesIn(store *values.Store) wasmtools.OpenStore {
	return func(plugin, user string, quota wasmtools.Quota) abi.Store {
		if user == "" {
			return store.Plugin(plugin, quota.Bytes)
		}
		return store.User(plugin, user, quota.Bytes, quota.AllUsers())
	}
}

// storesOf opens stores in a temporary folder of a workshop. The caller calls leave and deletes the
// folder.
func storesOf(ctx context.Context, folder string) (stores wasmtools.OpenStore, leave func(), err error) {
	db, err := database.Open(ctx, database.Config{File: filepath.Join(folder, databaseName)})
	if err != nil {
		return nil, nil, err
	}
	return storesIn(values.Open(db)), func() { _ = db.Close() }, nil
}

// openPlugins registers the tools of plugins that were opened before. Run opens the others.
func openPlugins(c *config, tools *agent.Registry, p pools, files artifacts.Store, store *values.Store, log *slog.Logger) (*wasmtools.Plugins, error) {
	folder, err := c.beginPluginFolder()
	if err != nil {
		return nil, err
	}
	if err := newfile.MkdirAll(folder.Dir); err != nil {
		return nil, &configError{[]string{"shared_dir (WINDIE_SHARED_DIR): cannot create the plugins folder: " + err.Error()}}
	}
	cfg := c.pluginHost(log)
	cfg.Inside = c.ownNames()
	cfg.Memory, cfg.Cores = p.memory, p.guests
	cfg.KeepFile, cfg.LoadFile = pluginFiles(files)
	cfg.TempDir = c.tempDir()
	c.sweepLeftovers(log) // also those of calls, if the previous gateway was killed
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

// pluginFiles returns functions that store and load artifacts of the users whose calls plugins
// serve.
func pluginFiles(files artifacts.Store) (
	keep func(context.Context, agent.Call, []byte) (string, error), load func(context.Context, agent.Call, string, int64) ([]byte, error),
) {
	of := func(call agent.Call) (artifacts.Store, error) {
		apart, ok := files.(artifacts.PerUser)
		switch {
		case ok && call.User == "":
			return nil, fault.New("windie.pluginFiles", sdkapi.AuthRequired, "on this gateway each artifact belongs to a user, and this call has no user")
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
			err = fault.New("windie.pluginFiles", sdkapi.PayloadTooLarge, "the artifact has %d bytes, but only %d bytes are left of the program's limit input_bytes", info.Size, most)
		}
		return content, err
	}
	return keep, load
}
