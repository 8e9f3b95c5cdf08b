// Package author is the workbench of people who write plugins or judge one: it
// starts, builds, inspects, calls, measures and tests them without a gateway.
//
//	w := author.NewWorkshop(cfg)
//	defer w.Close()
//	found, err := w.Inspect(ctx, "notes.wasm", author.Grants{})
//	err = found.Print(os.Stdout)
//
// A Project is a folder with the source of a plugin, in one of the Languages; a
// Starter makes a new one. A Workshop opens plugins as a gateway does. Grants say
// what a plugin may do meanwhile, and a test file lists calls and what should come
// of them. Errors are faults where a gateway would return one; plain.Explain says
// all of such a fault.
package author

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/wasmtools"
	"github.com/windieos/windie/wasmtools/abi"
	"github.com/windieos/windie/wasmtools/kv"
)

// Workshop opens plugins with a gateway's settings and a store that Close removes.
type Workshop struct {
	cfg    wasmtools.Config
	store  *kv.Store
	folder string // of the store; empty before a plugin needs one
}

// NewWorkshop returns a workshop whose engines have the settings cfg, but for
// Store, which the workshop sets. The caller closes it.
func NewWorkshop(cfg wasmtools.Config) *Workshop { return &Workshop{cfg: cfg} }

func (w *Workshop) engine() (*wasmtools.Engine, error) {
	cfg := w.cfg
	if w.store != nil {
		cfg.Store = func(plugin, _ string, quota wasmtools.Quota) abi.Store { return w.store.Plugin(plugin, quota.Bytes) }
	}
	return wasmtools.NewEngine(cfg)
}

func (w *Workshop) needStore(grant wasmtools.Grant) (err error) {
	if grant.Permissions.KV == nil || w.store != nil {
		return nil
	}
	if w.folder, err = os.MkdirTemp("", "windie-tool-"); err == nil {
		w.store, err = kv.Open(filepath.Join(w.folder, "plugins.db"))
	}
	return err
}

// Close removes the store.
func (w *Workshop) Close() {
	if w.store != nil {
		_ = w.store.Close() // its file is removed anyway
	}
	if w.folder != "" {
		_ = os.RemoveAll(w.folder)
	}
}

// open opens a plugin. The caller closes it.
func (w *Workshop) open(ctx context.Context, src wasmtools.Source, grant wasmtools.Grant) (*plugin, error) {
	if err := w.needStore(grant); err != nil {
		return nil, err
	}
	engine, err := w.engine()
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

// plugin is an open plugin whose tools are in a registry of their own.
type plugin struct {
	*wasmtools.Plugin
	registry *agent.Registry
}

// call calls a tool, by its full name or without the plugin's name before it.
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
