package agent

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// MaxToolsPerOwner bounds what one plugin, client or server may register.
const MaxToolsPerOwner = 1000

// Registry holds all tools, by name. Its methods may be called from several
// goroutines at once. A change is seen whole or not at all, by those who list
// and by those who call; a call that has begun keeps the tool it began with.
// Readers never wait, neither for a change nor for each other.
//
// A name belongs to who registered it until they remove it. Names have one
// spelling, so none can pass for another, and neither can one pass for another
// where models know it, see ModelName.
type Registry struct {
	current  atomic.Pointer[snapshot]          // never nil
	expected atomic.Pointer[map[string]Origin] // by group; never nil, and never changed
	watching atomic.Pointer[[]Observer]        // nil for none; never changed

	mu        sync.Mutex // held to change what follows, and what is above
	listeners map[chan uint64]struct{}
}

// snapshot is what the registry holds at one moment. It never changes.
type snapshot struct {
	revision uint64
	tools    map[string]*entry
	named    map[string]*entry // by ModelName
	sorted   []*entry          // by name
}

// entry is one registered tool.
type entry struct {
	Descriptor
	tool   Tool
	model  string // its name as models know it
	input  *schema
	output *schema // nil when the tool promises nothing
}

// copied returns the tools in a map that the caller may change.
func (s *snapshot) copied() map[string]*entry {
	tools := make(map[string]*entry, len(s.tools)+1)
	maps.Copy(tools, s.tools)
	return tools
}

// NewRegistry returns an empty registry, at revision 0.
func NewRegistry() *Registry {
	r := &Registry{listeners: map[chan uint64]struct{}{}}
	r.current.Store(&snapshot{})
	r.expected.Store(&map[string]Origin{})
	return r
}

// Expect says that owner will register tools of a group, the part of their
// names before the first dot, once it knows them. Until its next Update, a call
// of one that is not there gets TOOL_STARTING in place of TOOL_NOT_FOUND.
func (r *Registry) Expect(owner Origin, group string) {
	r.expect(func(expected map[string]Origin) { expected[group] = owner })
}

// expect changes what is expected.
func (r *Registry) expect(edit func(expected map[string]Origin)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := maps.Clone(*r.expected.Load())
	edit(next)
	r.expected.Store(&next)
}

// expects reports whether a tool of that name may come.
func (r *Registry) expects(name string) bool {
	group, _, _ := strings.Cut(name, ".")
	_, ok := (*r.expected.Load())[group]
	return ok
}

// Register adds a tool. One that is not described as it should be, whose
// schema is none, or whose name is taken is refused with VALIDATION_ERROR.
func (r *Registry) Register(tool Tool) error {
	e, err := newEntry(tool)
	if err != nil {
		return err
	}
	return r.change(func(tools map[string]*entry) error { return put(tools, e) })
}

// Replace puts a tool in the place of the one with its name and origin, and
// fails with TOOL_NOT_FOUND when there is none. Otherwise it is as Register.
func (r *Registry) Replace(tool Tool) error {
	e, err := newEntry(tool)
	if err != nil {
		return err
	}
	return r.change(func(tools map[string]*entry) error {
		if err := take(tools, e.Origin, e.Name); err != nil {
			return err
		}
		return put(tools, e)
	})
}

// Remove removes a tool that owner registered, and fails with TOOL_NOT_FOUND
// when there is none.
func (r *Registry) Remove(owner Origin, name string) error {
	return r.change(func(tools map[string]*entry) error { return take(tools, owner, name) })
}

// Update puts tools in the place of all that owner registered before, in one
// change: none of them removes all. When one tool is refused, as by Register
// or because it has another origin, nothing changes.
func (r *Registry) Update(owner Origin, tools []Tool) error {
	edit, err := update(owner, tools)
	if err != nil {
		return err
	}
	defer r.expect(func(expected map[string]Origin) {
		maps.DeleteFunc(expected, func(_ string, o Origin) bool { return o == owner })
	})
	return r.change(edit)
}

// Check returns the error that Update would return now, and changes nothing.
func (r *Registry) Check(owner Origin, tools []Tool) error {
	edit, err := update(owner, tools)
	if err != nil {
		return err
	}
	return edit(r.current.Load().copied())
}

// update returns the edit that puts tools in the place of all that owner
// registered before.
func update(owner Origin, tools []Tool) (edit func(tools map[string]*entry) error, err error) {
	entries := make([]*entry, len(tools))
	for i, tool := range tools {
		e, err := newEntry(tool)
		if err != nil {
			return nil, err
		}
		if e.Origin != owner {
			return nil, refuse(e.Name).At("origin", "expected %s, whose tools are updated, not %s", owner, e.Origin)
		}
		entries[i] = e
	}
	return func(tools map[string]*entry) error {
		maps.DeleteFunc(tools, func(_ string, e *entry) bool { return e.Origin == owner })
		for _, e := range entries {
			if err := put(tools, e); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// Revision returns the number of changes so far.
func (r *Registry) Revision() uint64 { return r.current.Load().revision }

// Subscribe returns a channel that gets the revision after each change, and
// a function that ends this and closes the channel. A listener that is slow
// misses all revisions but the newest, and no change waits for it. The
// function may be called twice.
func (r *Registry) Subscribe() (revisions <-chan uint64, unsubscribe func()) {
	c := make(chan uint64, 1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.listeners[c] = struct{}{}
	return c, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if _, ok := r.listeners[c]; ok {
			delete(r.listeners, c)
			close(c)
		}
	}
}

// change makes the next snapshot of a copy that edit changes, and announces
// it. When edit fails, nothing has happened.
func (r *Registry) change(edit func(tools map[string]*entry) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := r.current.Load()
	tools := last.copied()
	if err := edit(tools); err != nil {
		return err
	}
	sorted := slices.SortedFunc(maps.Values(tools), func(a, b *entry) int { return strings.Compare(a.Name, b.Name) })
	named := make(map[string]*entry, len(tools))
	for _, e := range sorted {
		named[e.model] = e
	}
	r.current.Store(&snapshot{revision: last.revision + 1, tools: tools, named: named, sorted: sorted})
	for c := range r.listeners {
		select { // takes back what was not read; only change sends, and mu is held
		case <-c:
		default:
		}
		c <- last.revision + 1
	}
	return nil
}

// newEntry asks a tool what it is and compiles its schemas.
func newEntry(tool Tool) (*entry, error) {
	e := &entry{Descriptor: tool.Descriptor(), tool: tool}
	e.model = ModelName(e.Name)
	if err := e.check(); err != nil {
		return nil, err
	}
	if len(e.Input) == 0 {
		e.Input = json.RawMessage(`{"type":"object"}`)
	}
	e.Input, e.Output = slices.Clone(e.Input), slices.Clone(e.Output)
	var wrong, more []sdkapi.FieldError
	e.input, wrong = compile("input", e.Input)
	if e.input != nil && !e.input.takesObjects() {
		wrong = expected("input.type", `"object", as arguments always are one`)
	}
	if len(e.Output) > 0 {
		e.output, more = compile("output", e.Output)
	}
	if wrong = append(wrong, more...); len(wrong) > 0 {
		f := refuse(e.Name)
		f.Details.Fields = wrong
		return nil, f
	}
	return e, nil
}

// put adds e to tools, unless its name is taken, be it as models know it, or its
// owner has too many.
func put(tools map[string]*entry, e *entry) error {
	if held, taken := tools[e.Name]; taken {
		return refuse(e.Name).At("name", "expected another name: %s has this one, %s cannot have it too", held.Origin, e.Origin)
	}
	owned := 0
	for _, other := range tools {
		if other.model == e.model {
			return refuse(e.Name).At("name", "expected another name: models know %s of %s as %s too", other.Name, other.Origin, e.model)
		}
		if other.Origin == e.Origin {
			owned++
		}
	}
	if owned >= MaxToolsPerOwner {
		return refuse(e.Name).At("origin", "expected at most %d tools of one owner", MaxToolsPerOwner)
	}
	tools[e.Name] = e
	return nil
}

// take removes the tool of that name from tools, if owner registered it.
func take(tools map[string]*entry, owner Origin, name string) error {
	if e, ok := tools[name]; !ok || e.Origin != owner {
		return fault.New("agent.take", sdkapi.ToolNotFound, "%s has no tool %.*q", owner, MaxNameLen, name)
	}
	delete(tools, name)
	return nil
}

// refuse returns a fault about a tool that cannot be registered.
func refuse(name string) *fault.Error {
	return fault.New("agent.register", sdkapi.ValidationError, "the tool %q cannot be registered; details.fields says why", name)
}
