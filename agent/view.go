package agent

import "slices"

// Filter reports whether a view shows a tool. It must be quick, must not change
// the Descriptor, and may be called from several goroutines at once.
type Filter func(Descriptor) bool

// Tags returns a filter that shows the tools with one of these tags.
func Tags(tags ...string) Filter {
	return func(d Descriptor) bool { return slices.Contains(tags, d.Tag) }
}

// Names returns a filter that shows the tools with one of these names.
func Names(names ...string) Filter {
	return func(d Descriptor) bool { return slices.Contains(names, d.Name) }
}

// View is the part of a registry that all its filters show; other tools seem not to exist. A view
// follows the registry's changes, is cheap, and may be copied and used from several goroutines.
type View struct {
	registry *Registry
	filters  []Filter
}

// View returns v narrowed by more filters.
func (v View) View(filters ...Filter) View {
	return View{registry: v.registry, filters: slices.Concat(v.filters, filters)}
}

// List returns the tools sorted by name, and the revision. Their schemas must not be changed.
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

// Get returns the tool of that name, if v shows it. Its schemas must not be changed.
func (v View) Get(name string) (Descriptor, bool) {
	if e := v.find(name); e != nil {
		return e.Descriptor, true
	}
	return Descriptor{}, false
}

// Named returns the tool of that ModelName, or of that name, if v shows it.
func (v View) Named(name string) (Descriptor, bool) {
	if e := v.registry.current.Load().named[ModelName(name)]; e != nil && v.shows(e) {
		return e.Descriptor, true
	}
	return Descriptor{}, false
}

// find returns the tool of that name, nil if v does not show one.
func (v View) find(name string) *entry {
	if e := v.registry.current.Load().tools[name]; e != nil && v.shows(e) {
		return e
	}
	return nil
}

func (v View) shows(e *entry) bool {
	return !slices.ContainsFunc(v.filters, func(show Filter) bool { return !show(e.Descriptor) })
}
