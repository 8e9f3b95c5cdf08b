package agent

import "slices"

// Filter reports whether a view shows a tool. It must be safe for concurrent use and return
// quickly. It must not change the Descriptor.
type Filter func(Descriptor) bool

// Tags returns a filter for tools whose Tag is one of tags.
func Tags(tags ...string) Filter {
	return func(d Descriptor) bool { return slices.Contains(tags, d.Tag) }
}

// View is a filtered list of a registry's tools. It shows only tools that pass all of its filters.
// The view follows the registry's changes. A View is small, may be copied, and is safe for
// concurrent use.
type View struct {
	registry *Registry
	filters  []Filter
}

// View returns a copy of v with additional filters.
func (v View) View(filters ...Filter) View {
	return View{registry: v.registry, filters: slices.Concat(v.filters, filters)}
}

// List returns the visible tools sorted by name, and the registry's revision. The caller must not
// change the schemas of the tools.
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

// Get returns a tool by its name, and whether the tool is visible. The caller must not change the schemas of the tool.
func (v View) Get(name string) (Descriptor, bool) {
	if e := v.find(name); e != nil {
		return e.Descriptor, true
	}
	return Descriptor{}, false
}

// Named works like Get, but also accepts a ModelName, for example web_search instead of web.search.
func (v View) Named(name string) (Descriptor, bool) {
	if e := v.registry.current.Load().named[ModelName(name)]; e != nil && v.shows(e) {
		return e.Descriptor, true
	}
	return Descriptor{}, false
}

// find returns the tool with a name, or nil if v does not show it.
func (v View) find(name string) *entry {
	if e := v.registry.current.Load().tools[name]; e != nil && v.shows(e) {
		return e
	}
	return nil
}

// shows reports whether e passes all filters of v.
func (v View) shows(e *entry) bool {
	return !slices.ContainsFunc(v.filters, func(show Filter) bool { return !show(e.Descriptor) })
}
