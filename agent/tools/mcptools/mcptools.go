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

// startTimeout is the default time limit for starting a server and listing its tools.
const startTimeout = 60 * time.Second

// Config configures Servers.
type Config struct {
	Specs   []Spec
	Dir     string // folder for the lists of tools from servers, and for accepted tools; created if missing
	Version string // the gateway's version, sent to the servers
	Log     *slog.Logger
	// Connections has the access of users to servers that they sign in to. Default: nobody can sign in.
	Connections Connections

	StartTimeout time.Duration // time limit for starting a server and listing its tools; default startTimeout
	// Backoff is the pause before a failed server is started again. It doubles after each failure,
	// up to a minute. Default 1 s.
	Backoff time.Duration
	Every   time.Duration // interval between checks for newly accepted tools; default 1 s
}

// Servers connects MCP servers, and registers their tools in a registry. New creates it. If a tool
// is in a stored list, it is available at once, and its server starts at the first call. If a
// server has no stored list, the gateway requests the server's tools in the background. A failing
// server does not affect the other servers. The methods of Servers are safe for concurrent use.
type Servers struct {
	cfg      Config
	registry *agent.Registry
	ctx      context.Context // ends with Close
	cancel   context.CancelFunc
	list     []*server // sorted by name

	mu     sync.Mutex // held while work begins, so that none begins after Close
	work   sync.WaitGroup
	closed bool
}

// State is the state of a server.
type State string

// The states.
const (
	Ready    State = "ready"    // the server runs, and its tools can be called
	Known    State = "known"    // the server's tools can be called, and a call starts the server
	Starting State = "starting" // the gateway is requesting the server's tools
	Broken   State = "broken"   // the server failed; the gateway or a call starts it again
	Disabled State = "disabled" // the operator's file disables the server
	SignIn   State = "sign-in"  // the tools are unknown until the first user has signed in
)

// Status describes a server that is in the operator's file.
type Status struct {
	Name    string       `json:"name"`
	Where   string       `json:"where"` // transport of the server: stdio or http
	State   State        `json:"state"`
	Problem string       `json:"problem,omitempty"` // reason for the last failure; empty if there was none
	Tools   []ToolStatus `json:"tools"`
	// Notes name the omitted tools, and the entries of the file that have no effect.
	Notes []string `json:"notes,omitempty"`
	// Changes is a hash of all changed tools. Accept requires this hash. The hash is empty if no tool has changed.
	Changes string `json:"changes,omitempty"`
}

// Changed returns the number of changed tools that the operator has not accepted yet.
func (s Status) Changed() int {
	n := 0
	for _, t := range s.Tools {
		if t.Changed {
			n++
		}
	}
	return n
}

// ToolStatus describes a tool of a server.
type ToolStatus struct {
	Name string     `json:"name"` // name of the tool in the registry
	Tool string     `json:"tool"` // the server's own name for the tool
	Risk agent.Risk `json:"risk"`
	// Changed reports whether the tool has changed. The gateway refuses a changed tool until the
	// operator accepts it.
	Changed bool `json:"changed,omitempty"`

	Was *Definition `json:"was,omitempty"` // definition that was accepted before the tool changed; nil if unknown
	// Now is the new definition of a changed tool. Only the operator may see it, because nobody has
	// accepted it.
	Now *Definition `json:"now,omitempty"`
}

// Definition is a server's definition of a tool.
type Definition struct {
	Description string          `json:"description"`
	Input       json.RawMessage `json:"input,omitempty"`
	Output      json.RawMessage `json:"output,omitempty"`
}

// New loads the stored list of tools of each MCP server, and registers these tools. If a server has no stored list, Run
// asks the server for its tools. Register built-in tools before New, because servers cannot use the groups of built-in
// tools. The caller must call Close.
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

// Run requests the tools of servers whose tools are unknown, and activates tools that the operator
// has accepted. It returns when ctx ends.
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

// Ask starts all servers that are not running, and requests their tools. It returns when all
// servers have answered or failed, or when ctx ends. After a failure, the server's Status has the
// reason.
func (s *Servers) Ask(ctx context.Context) {
	var all sync.WaitGroup
	for _, v := range s.list {
		if v.asked() && !v.signsIn() {
			all.Go(func() { _, _ = v.session(ctx) }) // its status has the error
		}
	}
	all.Wait()
}

// List returns the status of all servers, sorted by name.
func (s *Servers) List() []Status {
	list := make([]Status, len(s.list))
	for i, v := range s.list {
		list[i] = v.told()
	}
	return list
}

// Close removes all tools, and ends all servers and their calls. Close may be called again.
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

// begin runs work in the background. After Close it does nothing and returns false.
func (s *Servers) begin(work func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.work.Go(work)
	}
	return !s.closed
}

// Status returns the status of a server. It fails with NOT_FOUND if no enabled server has the name.
func (s *Servers) Status(server string) (Status, error) {
	v, err := s.find(server)
	if err != nil {
		return Status{}, err
	}
	return v.told(), nil
}

// Accept accepts the changed tools of a server, and returns their names. It returns no names if no tool has changed.
// The parameter changes must be the Status.Changes of the definitions that the operator has seen.
// Accept fails with NOT_FOUND if no enabled server has the name. If the tools have changed again, Accept fails with
// DECISION_CONFLICT and accepts nothing.
func (s *Servers) Accept(server, changes string) ([]string, error) {
	v, err := s.find(server)
	if err != nil {
		return nil, err
	}
	return v.accept(changes)
}

// find returns the enabled server with a name, in the file's form or in the form of Spec.Name. It fails with NOT_FOUND
// if the server is unknown or disabled.
func (s *Servers) find(called string) (*server, error) {
	name := groupOf(called)
	i := slices.IndexFunc(s.list, func(v *server) bool { return v.spec.Name == name && v.asked() })
	if i < 0 {
		return nil, fault.New("mcptools", sdkapi.NotFound, "the MCP server %.*q is unknown or disabled", maxGroupLen, called)
	}
	return s.list[i], nil
}
