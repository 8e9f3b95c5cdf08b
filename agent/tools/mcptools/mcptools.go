package mcptools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/newfile"
	"github.com/windieos/windie/sdkapi"
)

// startTimeout is how long a server may take to start and to list its tools.
const startTimeout = 60 * time.Second

// Config says which servers there are.
type Config struct {
	Specs   []Spec
	Dir     string // where their lists, and what is accepted of these, are kept; it is made
	Version string // of the gateway, for the servers
	Log     *slog.Logger

	StartTimeout time.Duration // for a server to start and list its tools; default startTimeout
	Backoff      time.Duration // before one that failed is tried again, twice that the next time, a minute at most; default 1 s
	Every        time.Duration // how often to look for what was accepted; default 1 s
}

// Servers are MCP servers with their tools in a registry. Tools listed before are there at once,
// and their server starts at a call; other servers are asked in the background. A server that fails
// stops no other. Its methods are safe for concurrent use.
type Servers struct {
	cfg      Config
	registry *agent.Registry
	ctx      context.Context // ends with Close
	cancel   context.CancelFunc
	list     []*server // by name

	mu     sync.Mutex // held to begin work, so that none begins after Close
	work   sync.WaitGroup
	closed bool
}

// State is how a server is.
type State string

// The states.
const (
	Ready    State = "ready"    // it runs, and its tools can be called
	Known    State = "known"    // its tools can be called, which starts it
	Starting State = "starting" // it is being asked for its tools
	Broken   State = "broken"   // it could not be used, and is tried again
	Disabled State = "disabled" // the operator's file says so
)

// Status is a server of the file.
type Status struct {
	Name    string       `json:"name"`
	Where   string       `json:"where"` // stdio or http
	State   State        `json:"state"`
	Problem string       `json:"problem,omitempty"` // why it could not be used the last time
	Tools   []ToolStatus `json:"tools"`
	Notes   []string     `json:"notes,omitempty"`   // what is left out, and what the file says in vain
	Changes string       `json:"changes,omitempty"` // a hash of all that changed tools are now, for Accept; empty if none has changed
}

// Changed counts the tools that wait for the operator.
func (s Status) Changed() int {
	n := 0
	for _, t := range s.Tools {
		if t.Changed {
			n++
		}
	}
	return n
}

// ToolStatus is a tool of a server.
type ToolStatus struct {
	Name    string     `json:"name"` // as registered
	Tool    string     `json:"tool"` // as the server names it
	Risk    agent.Risk `json:"risk"`
	Changed bool       `json:"changed,omitempty"` // it is not what it was, and refused until that is accepted

	Was *Definition `json:"was,omitempty"` // of a changed tool, what was accepted; nil if that is not known
	Now *Definition `json:"now,omitempty"` // of a changed tool, what it is; for the operator alone, as nobody has accepted it
}

// Definition is what a server says of a tool.
type Definition struct {
	Description string          `json:"description"`
	Input       json.RawMessage `json:"input,omitempty"`
	Output      json.RawMessage `json:"output,omitempty"`
}

// New registers the tools of servers that listed them before. Built-in tools must be registered
// already: their groups are theirs alone. Run does the rest. End it with Close.
func New(cfg Config, registry *agent.Registry) (*Servers, error) {
	cfg.StartTimeout = cmp.Or(cfg.StartTimeout, startTimeout)
	cfg.Backoff = cmp.Or(cfg.Backoff, time.Second)
	cfg.Every = cmp.Or(cfg.Every, time.Second)
	if err := newfile.MkdirAll(cfg.Dir); err != nil {
		return nil, fmt.Errorf("mcptools.New: %w", err)
	}
	s := &Servers{cfg: cfg, registry: registry}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	groups := map[string]bool{}
	tools, _ := registry.List()
	for _, t := range tools {
		group, _, _ := strings.Cut(t.Name, ".")
		groups[group] = groups[group] || t.Origin.Kind == agent.Builtin
	}
	for _, spec := range cfg.Specs {
		v := newServer(s, spec)
		v.recall(groups[spec.Name])
		s.list = append(s.list, v)
	}
	return s, nil
}

// Run asks for unknown tools, and takes up what the operator accepts, until ctx ends.
func (s *Servers) Run(ctx context.Context) {
	tick := time.NewTicker(s.cfg.Every)
	defer tick.Stop()
	for {
		for _, v := range s.list {
			v.look()
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Ask asks all servers for their tools, and returns when all are done or ctx ends.
func (s *Servers) Ask(ctx context.Context) {
	var all sync.WaitGroup
	for _, v := range s.list {
		if v.asked() {
			all.Go(func() { _, _ = v.session(ctx) }) // its status has the error
		}
	}
	all.Wait()
}

// List describes all servers, by name.
func (s *Servers) List() []Status {
	list := make([]Status, len(s.list))
	for i, v := range s.list {
		list[i] = v.told()
	}
	return list
}

// Close removes all tools and ends all servers with their calls. It may be repeated.
func (s *Servers) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.work.Wait()
	for _, v := range s.list {
		_ = s.registry.Update(v.origin(), nil) // removing does not fail
	}
}

// begin begins work in the background, unless all is closed.
func (s *Servers) begin(work func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.work.Go(work)
	}
	return !s.closed
}

// Status describes a server. It fails with NOT_FOUND if none of the name is used.
func (s *Servers) Status(server string) (Status, error) {
	v, err := s.find(server)
	if err != nil {
		return Status{}, err
	}
	return v.told(), nil
}

// Accept accepts the changed tools of a server as its Status showed them, whose Changes it takes, and returns their names; none
// if none is changed. It fails with NOT_FOUND if no server of the name is used, and with DECISION_CONFLICT, and accepts nothing, if
// the tools are others by now.
func (s *Servers) Accept(server, changes string) ([]string, error) {
	v, err := s.find(server)
	if err != nil {
		return nil, err
	}
	return v.accept(changes)
}

func (s *Servers) find(called string) (*server, error) {
	name := groupOf(called)
	i := slices.IndexFunc(s.list, func(v *server) bool { return v.spec.Name == name && v.asked() })
	if i < 0 {
		return nil, fault.New("mcptools", sdkapi.NotFound, "there is no MCP server %.*q that is used", maxGroupLen, called)
	}
	return s.list[i], nil
}
