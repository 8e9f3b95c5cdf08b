package doorstest

import (
	"strings"
)

// Follow returns what a reference of a document leads to, nil for nothing.
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

// Field returns what is in a document at a path.
func Field(doc any, path ...string) any {
	for _, step := range path {
		fields, _ := doc.(map[string]any)
		doc = fields[step]
	}
	return doc
}
