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

// Folder is the place of the plugins to serve. While Run runs, changes of the files in Dir and of the
// file Grants take effect.
type Folder struct {
	Dir    string        // folder of plugins; empty: none
	Grants string        // the operator's file; a missing file grants nothing
	Named  bool          // the operator named Grants: if the file is missing, the earlier grants still apply
	Every  time.Duration // interval between checks for changes; default 500 ms
}

// grants reads the operator's file. If the operator named the file and it is missing, grants fails with
// STORAGE_UNAVAILABLE; otherwise a missing file grants nothing.
func (f Folder) grants() (Grants, error) {
	if _, err := os.Stat(f.Grants); f.Named && err != nil {
		return nil, fault.New("wasmtools.grants", sdkapi.StorageUnavailable, "the file of grants %s is missing, so the gateway keeps the last grants; restore the file, or write {} into it to grant nothing", f.Grants).Because(err)
	}
	return readGrants(f.Grants)
}

// Plugins serves the plugins of a folder as tools in a registry. It opens them in the background,
// replaces a plugin as a whole when its files or grant change, and isolates them from each other's
// failures. Its methods are safe for concurrent use.
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
	Ready    State = "ready"    // its tools can be called
	Starting State = "starting" // it is being opened
	Disabled State = "disabled" // its grant disables it
	Broken   State = "broken"   // it could not be opened
)

// Status describes a plugin of the folder.
type Status struct {
	Name  string `json:"name"` // the file's name if the manifest was not read
	File  string `json:"file"` // path in the folder
	State State  `json:"state"`
	// reason why the plugin is broken, or why its newer version is not used
	Problem   string     `json:"problem,omitempty"`
	Tools     []string   `json:"tools"`               // registered names
	Admission *Admission `json:"admission,omitempty"` // of the version in use
}

// Close removes all tools. Each plugin is closed when its running calls have ended; Close does not wait
// for that. Close may be repeated.
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
