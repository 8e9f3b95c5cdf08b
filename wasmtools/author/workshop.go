// Package author is the workbench for people who write or review plugins. It creates, builds,
// inspects, calls, measures and tests plugins without a gateway.
//
//	w := author.NewWorkshop(cfg)
//	defer w.Close()
//	found, err := w.Inspect(ctx, "notes.wasm", author.Grants{})
//	err = found.Print(os.Stdout)
//
// A Project is a folder with the source of a plugin, in one of the Languages. A Starter makes a new
// one. A Workshop opens plugins like a gateway. Grants are the permissions of the plugins in it. A
// test file lists calls and their expected outcomes. Errors are faults where a gateway would return
// one; plain.Explain prints all of such a fault.
package author

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/wasmtools"
)

// OpenStores opens the stores of plugins. The parameter folder is the path of an empty folder for
// their data. The Workshop calls release before it removes the folder.
type OpenStores func(ctx context.Context, folder string) (stores wasmtools.OpenStore, release func(), err error)

// Workshop opens plugins with a gateway's settings. Close removes the stores of its plugins.
type Workshop struct {
	cfg    wasmtools.Config
	stores OpenStores
	folder string // folder of the stores; empty until a plugin needs one
	leave  func() // nil until a plugin needs a store
}

// NewWorkshop returns a workshop, which the caller closes. The workshop opens plugins with the
// settings cfg, but ignores cfg.Store. When the first plugin needs a store, the workshop calls
// stores. If stores is nil, a plugin that needs a store cannot be opened.
func NewWorkshop(cfg wasmtools.Config, stores OpenStores) *Workshop {
	cfg.Store = nil
	return &Workshop{cfg: cfg, stores: stores}
}

// needStore opens a store in a temporary folder when the first plugin with a grant for one needs
// it.
func (w *Workshop) needStore(ctx context.Context, grant wasmtools.Grant) (err error) {
	if grant.Permissions.KV == nil || w.cfg.Store != nil || w.stores == nil {
		return nil
	}
	if w.folder == "" { // an earlier try may have created it
		if w.folder, err = os.MkdirTemp("", "windie-tool-"); err != nil {
			return err
		}
	}
	w.cfg.Store, w.leave, err = w.stores(ctx, w.folder)
	return err
}

// Close removes the stores of the workshop's plugins.
func (w *Workshop) Close() {
	if w.leave != nil {
		w.leave()
	}
	if w.folder != "" {
		_ = os.RemoveAll(w.folder)
	}
}

// open opens a plugin. The caller closes it.
func (w *Workshop) open(ctx context.Context, src wasmtools.Source, grant wasmtools.Grant) (*plugin, error) {
	if err := w.needStore(ctx, grant); err != nil {
		return nil, err
	}
	engine, err := wasmtools.NewEngine(w.cfg)
	if err != nil {
		return nil, err
	}
	p, err := engine.Open(ctx, src, grant)
	if err != nil {
		return nil, err
	}
	o := &plugin{Plugin: p, registry: agent.NewRegistry()}
	for _, tool := range p.Tools(grant) {
		if err := o.registry.Register(tool); err != nil {
			p.Close()
			return nil, err
		}
	}
	return o, nil
}

// plugin is an open plugin whose tools are in a separate registry.
type plugin struct {
	*wasmtools.Plugin
	registry *agent.Registry
}

// call calls a tool by its full name, or by its name within the plugin.
func (o *plugin) call(ctx context.Context, tool string, call agent.Call) (agent.Result, error) {
	for _, name := range []string{tool, o.Name + "." + tool} {
		if _, ok := o.registry.Get(name); ok {
			return o.registry.Invoke(ctx, name, call)
		}
	}
	var names []string
	tools, _ := o.registry.List()
	for _, d := range tools {
		names = append(names, d.Name)
	}
	return agent.Result{}, fmt.Errorf("the plugin %q has no tool %q; it has: %s", o.Name, tool, strings.Join(names, ", "))
}
