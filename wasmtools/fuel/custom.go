package fuel

import (
	"slices"
	"strings"
)

// customSection copies a custom section. It drops a section that refers to positions in code, because the
// pass changes positions. It also drops a malformed name section.
func (p *pass) customSection(r *reader, out []byte) []byte {
	from := r.pos
	name := r.name()
	content := r.pos
	r.take(uint32(r.end - r.pos))
	if positional(name) || name == "name" && !namesHold(&reader{b: r.b, pos: content, end: r.end, fn: -1}) {
		p.report.Dropped = append(p.report.Dropped, name)
		return out
	}
	return append(out, r.b[from:r.end]...)
}

// positional reports whether a custom section refers to positions in code: debugging information,
// data for linkers, and hints.
func positional(name string) bool {
	return slices.Contains([]string{"sourceMappingURL", "external_debug_info", "linking"}, name) ||
		slices.ContainsFunc([]string{".debug_", "reloc.", "metadata.code."}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// Parts of the name section that engines read (binary format, section 7.4.1).
const (
	moduleName    = 0
	functionNames = 1
	localNames    = 2
)

// namesHold reports whether the name section is well formed. The module runs without names, but an
// engine that trusts wrong counts may reject the module or allocate memory for all of them.
func namesHold(r *reader) bool {
	for r.pos < r.end && r.err == nil {
		id := r.byte()
		part := r.part(r.u32(), -1)
		switch id {
		case moduleName:
			part.name()
		case functionNames:
			nameMap(part)
		case localNames:
			for n := part.count(2, part.end, "names"); n > 0 && part.err == nil; n-- {
				part.u32()
				nameMap(part)
			}
		default:
			continue
		}
		if part.err != nil || part.pos != part.end {
			return false
		}
	}
	return r.err == nil
}

// nameMap reads a list of indices with names.
func nameMap(r *reader) {
	for n := r.count(2, r.end, "names"); n > 0 && r.err == nil; n-- {
		r.u32()
		r.name()
	}
}
