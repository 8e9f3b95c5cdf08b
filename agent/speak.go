package agent

import "regexp"

// spoken is what may be the name of a tool in a text.
var spoken = regexp.MustCompile(`\b[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+\b`)

// ForModels returns a text, as a description, a schema or an error, with the names of tools as models call them. known
// reports whether a name is one: a file may be called like a tool.
func ForModels(text string, known func(name string) bool) string {
	return spoken.ReplaceAllStringFunc(text, func(name string) string {
		if known(name) {
			return ModelName(name)
		}
		return name
	})
}

// Knows reports whether v shows a tool of that name.
func (v View) Knows(name string) bool { return v.find(name) != nil }
