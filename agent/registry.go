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

// MaxToolsPerOwner is the maximum number of tools of one plugin, client or server.
const MaxToolsPerOwner = 1000

// Registry has all tools, by name. It is a View that shows all tools. NewRegistry creates it. Its methods are safe for
// concurrent use. Readers never wait, and see each change completely or not at all. If a tool is replaced during a
// call, the call continues with the old tool. A name belongs to its owner until the owner removes the tool. Names are
// unique, and so are their ModelNames. Therefore models cannot confuse two tools.
type Registry struct {
	everything

	current  atomic.Pointer[snapshot]          // never nil
	expected atomic.Pointer[map[string]Origin] // by group; never nil; a change replaces the map
	watching atomic.Pointer[[]Observer]        // never nil; a change replaces the list

	mu        sync.Mutex // held while a field is changed
	listeners map[chan uint64]struct{}
}

// everything is the View that shows all tools.
type everything = View

// snapshot is the registry's content at one moment. It is immutable.
type snapshot struct {
	revision uint64
	tools    map[string]*entry
	named    map[string]*entry // by ModelName
	sorted   []*entry          // by name
}

// entry is a registered tool.
type entry struct {
	Descriptor
	tool   Tool
	model  string // its ModelName
	input  *schema
	output *schema // nil if the tool has no output schema
}

// NewRegistry returns an empty registry, at revision 0.
func NewRegistry() *Registry {
	r := &Registry{listeners: map[chan uint64]struct{}{}}
	r.everything = View{registry: r}
	r.current.Store(&snapshot{tools: map[string]*entry{}})
	r.expected.Store(&map[string]Origin{})
	r.watching.Store(&[]Observer{})
	return r
}

// Expect announces that owner will register tools of a group. The group is the part of a tool's name before the first
// dot. Until owner's next Update, calls of missing tools in the group fail with TOOL_STARTING instead of
// TOOL_NOT_FOUND.
func (r *Registry) Expect(owner Origin, group string) {
	r.expect(func(expected map[string]Origin) { expected[group] = owner })
}

// expect replaces the map of expected owners with a copy that edit has changed.
func (r *Registry) expect(edit func(expected map[string]Origin)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := maps.Clone(*r.expected.Load())
	edit(next)
	r.expected.Store(&next)
}

// expects reports whether a tool with a name may be registered soon.
func (r *Registry) expects(name string) bool {
	group, _, _ := strings.Cut(name, ".")
	_, ok := (*r.expected.Load())[group]
	return ok
}

// Register adds a tool. It fails with VALIDATION_ERROR if the tool's descriptor or schema is
// invalid, or if its name is in use.
func (r *Registry) Register(tool Tool) error {
	e, err := newEntry(tool)
	if err != nil {
		return err
	}
	return r.change(func(tools map[string]*entry) error { return put(tools, e) })
}

// Update replaces all tools of owner in one change. An empty list removes all of owner's tools. If
// a tool is invalid or has another origin, Update returns an error and changes nothing.
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

// Check returns the error that Update would return now. It changes nothing.
func (r *Registry) Check(owner Origin, tools []Tool) error {
	edit, err := update(owner, tools)
	if err != nil {
		return err
	}
	return edit(maps.Clone(r.current.Load().tools))
}

// update returns the edit that replaces all tools of owner.
func update(owner Origin, tools []Tool) (edit func(tools map[string]*entry) error, err error) {
	entries := make([]*entry, len(tools))
	for i, tool := range tools {
		e, err := newEntry(tool)
		if err != nil {
			return nil, err
		}
		if e.Origin != owner {
			return nil, refuse(e.Name).At("origin", "expected only tools of the owner %s in this update, not a tool of %s", owner, e.Origin)
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

// Subscribe returns a channel that gets the revision after each change, and a function that closes
// the channel. The function may be called twice. A slow reader of the channel does not delay
// changes. It gets only the newest revision.
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

// change stores and announces a copy of the tools that edit has changed. If edit fails, nothing
// changes.
func (r *Registry) change(edit func(tools map[string]*entry) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := r.current.Load()
	tools := maps.Clone(last.tools)
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
		select { // removes an unread revision; only change sends, and it holds mu
		case <-c:
		default:
		}
		c <- last.revision + 1
	}
	return nil
}

// newEntry checks a tool's descriptor and compiles its schemas.
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
	e.input, wrong = compileInput("input", e.Input)
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

// put adds e to tools. It fails if its name or ModelName is in use, or if its owner has too many
// tools.
func put(tools map[string]*entry, e *entry) error {
	if held, taken := tools[e.Name]; taken {
		return refuse(e.Name).At("name", "expected another name: a tool of %s already has this name, so %s cannot use it", held.Origin, e.Origin)
	}
	owned := 0
	for _, other := range tools {
		if other.model == e.model {
			return refuse(e.Name).At("name", "expected another name: models would see this tool and %s of %s under the same name %s", other.Name, other.Origin, e.model)
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

// refuse returns a fault for a tool that cannot be registered.
func refuse(name string) *fault.Error {
	return fault.New("agent.register", sdkapi.ValidationError, "the tool %q cannot be registered; details.fields lists the problems", name)
}
