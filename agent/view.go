package agent

import (
	"slices"
)

// Filter reports whether a view shows a tool. It must be quick, may be called
// from several goroutines at once, and must not change what it is given.
type Filter func(Descriptor) bool

// Tags returns a filter that shows the tools with one of these tags.
func Tags(tags ...string) Filter {
	return func(d Descriptor) bool { return slices.Contains(tags, d.Tag) }
}

// Names returns a filter that shows the tools with one of these names.
func Names(names ...string) Filter {
	return func(d Descriptor) bool { return slices.Contains(names, d.Name) }
}

// View is a registry as someone may see it. It shows the tools of the moment
// that all its filters show; to all others it is as if they did not exist.
// Views are cheap, and may be copied and used from several goroutines.
type View struct {
	registry *Registry
	filters  []Filter
}

// View returns the registry narrowed by filters. Without any it shows all.
func (r *Registry) View(filters ...Filter) View {
	return View{registry: r, filters: filters}
}

// View returns the view narrowed further: nothing appears that v hides.
func (v View) View(filters ...Filter) View {
	return View{registry: v.registry, filters: slices.Concat(v.filters, filters)}
}

// List returns the tools by name, and the revision of the registry that they
// are of. Their schemas must not be changed.
func (v View) List() (tools []Descriptor, revision uint64) {
	s := v.registry.current.Load()
	tools = make([]Descriptor, 0, len(s.sorted))
	for _, e := range s.sorted {
		if v.shows(e) {
			tools = append(tools, e.Descriptor)
		}
	}
	return tools, s.revision
}

// Get returns the tool of that name, if there is one to see. Its schemas must
// not be changed.
func (v View) Get(name string) (Descriptor, bool) {
	if e := v.find(name); e != nil {
		return e.Descriptor, true
	}
	return Descriptor{}, false
}

// Named returns the tool that models know by a name, see ModelName. Its own
// name will do too.
func (v View) Named(name string) (Descriptor, bool) {
	if e := v.registry.current.Load().named[ModelName(name)]; e != nil && v.shows(e) {
		return e.Descriptor, true
	}
	return Descriptor{}, false
}

// List is as View.List, of all tools.
func (r *Registry) List() (tools []Descriptor, revision uint64) { return r.View().List() }

// Get is as View.Get, of all tools.
func (r *Registry) Get(name string) (Descriptor, bool) { return r.View().Get(name) }

// Named is as View.Named, of all tools.
func (r *Registry) Named(name string) (Descriptor, bool) { return r.View().Named(name) }

// find returns the tool of that name, or nil when there is none to see.
func (v View) find(name string) *entry {
	if e := v.registry.current.Load().tools[name]; e != nil && v.shows(e) {
		return e
	}
	return nil
}

func (v View) shows(e *entry) bool {
	for _, show := range v.filters {
		if !show(e.Descriptor) {
			return false
		}
	}
	return true
}
