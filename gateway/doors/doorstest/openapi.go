package doorstest

import (
	"strings"
)

// Follow returns the value at the JSON pointer ref in a document, or nil if there is no such value.
func Follow(doc map[string]any, ref string) any {
	var node any = doc
	path, inside := strings.CutPrefix(ref, "#/")
	if !inside {
		return nil
	}
	for step := range strings.SplitSeq(path, "/") {
		fields, _ := node.(map[string]any)
		node = fields[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]
	}
	return node
}

// Field returns the value at a path in a document, or nil if there is no such value.
func Field(doc any, path ...string) any {
	for _, step := range path {
		fields, _ := doc.(map[string]any)
		doc = fields[step]
	}
	return doc
}
