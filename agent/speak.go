package agent

import "regexp"

// spoken matches a possible name of a tool in a text.
var spoken = regexp.MustCompile(`\b[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+\b`)

// ForModels replaces the names of tools in a text with their ModelNames. The text is, for example,
// a description, a schema or an error. The function known reports whether a word is the name of a
// tool. Other words, such as names of files, may look like names of tools.
func ForModels(text string, known func(name string) bool) string {
	return spoken.ReplaceAllStringFunc(text, func(name string) string {
		if known(name) {
			return ModelName(name)
		}
		return name
	})
}

// Knows reports whether v shows a tool that has this name.
func (v View) Knows(name string) bool { return v.find(name) != nil }
