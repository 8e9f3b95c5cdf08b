package wasmtools

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/background"
)

// openAtOnce limits the number of plugins that are read and opened at once. Compiling has a separate limit.
// Guests that describe themselves take turns, so a plugin that never ends does not delay the others.
const openAtOnce = 16

// NewPlugins finds the plugins of a folder, and opens them in the background. If an earlier process
// opened a plugin, NewPlugins registers the plugin's tools before it returns. The caller calls
// Close.
func NewPlugins(engine *Engine, registry *agent.Registry, folder Folder) (*Plugins, error) {
	folder.Every = cmp.Or(folder.Every, 500*time.Millisecond)
	p := &Plugins{engine: engine, registry: registry, folder: folder, log: engine.cfg.Log, held: map[string]*held{}}
	if dir := engine.cfg.CacheDir; dir != "" {
		p.known.dir = filepath.Join(dir, "described")
	}
	var err error
	if p.grants, err = folder.grants(); err != nil {
		return nil, fmt.Errorf("the grants in %s: %w", folder.Grants, err)
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.slots = make(chan struct{}, openAtOnce)
	if isUntidy(folder.Dir) { // only then: a read-only folder has no lock
		if err := LockFolder(p.ctx, folder.Dir, func() error { return nil }); err != nil {
			p.log.Warn("the gateway could not remove temporary files of a killed process from the folder of plugins", slog.String("error", err.Error()))
		}
	}
	if err := p.scan(true); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// Run opens plugins, and applies changes to the folder and the grants, until ctx ends.
func (p *Plugins) Run(ctx context.Context) {
	background.Every(ctx, p.folder.Every, func(context.Context) {
		wrong := ""
		if err := p.scan(false); err != nil {
			wrong = err.Error()
		}
		p.complain(wrong)
	})
}

// scan loads changed files and removes plugins whose files are missing. Unless first is set, it skips a file
// that has changed since the previous scan, because the file may still be written.
func (p *Plugins) scan(first bool) error {
	if p.folder.Dir == "" {
		return nil
	}
	p.mu.Lock() // before it reads the folder, so that it does not undo a newer scan with an older view
	defer p.mu.Unlock()
	list, unlisted := find(p.folder.Dir)
	if unlisted != nil {
		list = p.taken() // their present grants still apply
	}
	grants, err := p.folder.grants()
	if err == nil {
		p.grants = grants
	}
	prints, present := map[string]string{}, map[string]bool{}
	for _, f := range list {
		prints[f.path], present[f.path] = f.print, true
		if first || p.prints[f.path] == f.print || p.regranted(f.path) {
			p.takeUp(f)
		}
	}
	p.prints = prints
	for path, h := range p.held {
		if !present[path] {
			p.log.Info("a plugin was removed", slog.String("plugin", h.name))
			h.retire(p)
			delete(p.held, path)
		}
	}
	return cmp.Or(unlisted, err)
}

// taken lists the files of the plugins as last loaded.
func (p *Plugins) taken() (list []found) {
	for _, h := range p.held {
		list = append(list, h.files)
	}
	return list
}
