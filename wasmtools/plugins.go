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

// Folder says which plugins to serve. Changes of Dir and Grants are taken up.
type Folder struct {
	Dir    string        // of plugins; empty for none
	Grants string        // the operator's file; one that is not there grants nothing
	Named  bool          // Grants must be there: while it is not, the grants before hold
	Every  time.Duration // how often to look for changes; default 500 ms
}

// grants reads the operator's file.
func (f Folder) grants() (Grants, error) {
	if _, err := os.Stat(f.Grants); f.Named && err != nil {
		return nil, fault.New("wasmtools.grants", sdkapi.StorageUnavailable, "the file of grants %s is gone, and what it said holds until it is back; put it there, with {} to grant nothing", f.Grants).Because(err)
	}
	return readGrants(f.Grants)
}

// Plugins are the plugins of a folder, as tools in a registry. They are opened in the
// background, replaced whole when files or grants change, and independent of each
// other. Methods may be called from several goroutines at once.
type Plugins struct {
	engine   *Engine
	registry *agent.Registry
	folder   Folder
	known    descriptions
	log      *slog.Logger
	ctx      context.Context // ends with Close
	cancel   context.CancelFunc
	opening  sync.WaitGroup
	slots    chan struct{} // as many as may be read and opened at once

	mu     sync.Mutex
	held   map[string]*held // by path
	grants Grants
	prints map[string]string // what files looked like last time
	wrong  string            // what was wrong with the grants last time
}

// State is how a plugin is.
type State string

// The states.
const (
	Ready    State = "ready"    // its tools can be called
	Starting State = "starting" // it is being opened
	Disabled State = "disabled" // its grant says so
	Broken   State = "broken"   // it could not be opened
)

// Status is a plugin of the folder.
type Status struct {
	Name      string     `json:"name"` // the file's, if that is all there is
	File      string     `json:"file"` // in the folder
	State     State      `json:"state"`
	Problem   string     `json:"problem,omitempty"`   // why it is broken, or why a newer version of it is not used
	Tools     []string   `json:"tools"`               // as registered
	Admission *Admission `json:"admission,omitempty"` // of the version in use
}

// Close removes all tools and closes the plugins after their calls. It may be repeated.
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

// complain logs what is wrong with the folder, once.
func (p *Plugins) complain(wrong string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if wrong != p.wrong && wrong != "" {
		p.log.Error("plugins cannot be looked for", slog.String("problem", wrong))
	}
	p.wrong = wrong
}

// List describes all plugins, by name.
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

// Count returns how many plugins of the folder are in each state.
func (p *Plugins) Count() map[State]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	count := map[State]int{Ready: 0, Starting: 0, Disabled: 0, Broken: 0}
	for _, h := range p.held {
		count[h.state]++
	}
	return count
}

// Get describes one plugin. It fails with NOT_FOUND.
func (p *Plugins) Get(name string) (Status, error) {
	for _, s := range p.List() {
		if s.Name == name {
			return s, nil
		}
	}
	return Status{}, fault.New("wasmtools.Get", sdkapi.NotFound, "there is no plugin %.*q", 64, name)
}

func origin(plugin string) agent.Origin { return agent.Origin{Kind: agent.Wasm, Owner: plugin} }
