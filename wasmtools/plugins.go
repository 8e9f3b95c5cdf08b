package wasmtools

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Folder says where the plugins and their grants are. While Run runs, changes to the files in Dir
// and to the file Grants take effect.
type Folder struct {
	Dir    string // path of the folder of plugins; empty: no plugins
	Grants string // path of the operator's file of grants; a missing file grants nothing
	// true if the operator chose the path Grants; if that file is then missing, the earlier grants
	// still apply
	Named bool
	Every time.Duration // time between two checks for changes; default 500 ms
}

// grants reads the operator's file. If the operator named the file and it is missing, grants fails with
// STORAGE_UNAVAILABLE; otherwise a missing file grants nothing.
func (f Folder) grants() (Grants, error) {
	if _, err := os.Stat(f.Grants); f.Named && err != nil {
		return nil, fault.New("wasmtools.grants", sdkapi.StorageUnavailable, "the file of grants %s is missing, so the gateway keeps the last grants; restore the file, or write {} into it to grant nothing", f.Grants).Because(err)
	}
	return readGrants(f.Grants)
}

// Plugins serves the plugins of a folder as tools in a registry. It opens them in the background.
// When the files or the grant of a plugin change, it replaces the whole plugin. A failure of one
// plugin does not affect the others. The methods are safe for concurrent use.
type Plugins struct {
	engine   *Engine
	registry *agent.Registry
	folder   Folder
	known    descriptions
	log      *slog.Logger
	ctx      context.Context // ends with Close
	cancel   context.CancelFunc
	opening  sync.WaitGroup
	slots    chan struct{} // limits how many plugins are read and opened at once

	mu     sync.Mutex
	held   map[string]*held // by path
	grants Grants
	prints map[string]string // last fingerprints of the files, by path
	wrong  string            // last problem of the grants
}

// State is the state of a plugin.
type State string

// The states.
const (
	Ready    State = "ready"    // The tools of the plugin can be called.
	Starting State = "starting" // The gateway is opening the plugin.
	Disabled State = "disabled" // The grant disables the plugin.
	Broken   State = "broken"   // The gateway could not open the plugin.
)

// Status describes the state of a plugin in the folder.
type Status struct {
	Name  string `json:"name"` // name of the plugin, or the file's name if the gateway did not read the manifest
	File  string `json:"file"` // path of the plugin's file in the folder
	State State  `json:"state"`
	// reason why the plugin is broken, or why its newer version is not used
	Problem   string     `json:"problem,omitempty"`
	Tools     []string   `json:"tools"`               // names of the plugin's tools in the registry
	Admission *Admission `json:"admission,omitempty"` // report on the version of the plugin that is in use
}

// Close removes all tools from the registry. Each plugin is closed when its running calls have
// ended, but Close does not wait for that. Close may be called again.
func (p *Plugins) Close() {
	p.cancel()
	p.opening.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	for path, h := range p.held {
		h.retire(p)
		delete(p.held, path)
	}
}

// complain logs a problem of the folder, unless it logged the same problem last. The empty problem means that there is
// none; after it, complain logs the same problem again.
func (p *Plugins) complain(wrong string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if wrong != p.wrong && wrong != "" {
		p.log.Error("the gateway cannot scan for plugins", slog.String("problem", wrong))
	}
	p.wrong = wrong
}

// List describes all plugins, sorted by name.
func (p *Plugins) List() []Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]Status, 0, len(p.held))
	for _, h := range p.held {
		list = append(list, h.status(p.folder.Dir))
	}
	slices.SortFunc(list, func(a, b Status) int { return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.File, b.File)) })
	return list
}

// Count returns the number of plugins in each state.
func (p *Plugins) Count() map[State]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	count := map[State]int{Ready: 0, Starting: 0, Disabled: 0, Broken: 0}
	for _, h := range p.held {
		count[h.state]++
	}
	return count
}

// Get describes one plugin. An unknown name fails with NOT_FOUND.
func (p *Plugins) Get(name string) (Status, error) {
	for _, s := range p.List() {
		if s.Name == name {
			return s, nil
		}
	}
	return Status{}, fault.New("wasmtools.Get", sdkapi.NotFound, "there is no plugin %.*q", 64, name)
}

// origin returns the owner of a plugin's tools in the registry.
func origin(plugin string) agent.Origin { return agent.Origin{Kind: agent.Wasm, Owner: plugin} }
