package docs

import (
	"maps"
	"slices"
	"strings"
)

// tagTexts describe the tags of routes.
var tagTexts = map[string]string{
	"agent":            "The agent's WebSocket.",
	"artifacts":        "Upload, download and delete files.",
	"decisions":        "Approvals of tool calls, and the rules for them.",
	"embeddings":       "Vectors of texts.",
	"gateway":          "Health, metrics and usage of the gateway.",
	"general agent":    "Sessions with the agent over HTTP, and its memory.",
	"install":          "Sign in to a hosted gateway.",
	"introspection":    "Models, prompts and tools of the agent.",
	"ocr":              "Read and find text on a screen.",
	"openai":           "OpenAI's API.",
	"operator":         "Users, settings and storage, for operators.",
	"plugins":          "Add, enable and remove plugins.",
	"prompts":          "Prompts, their events and conversations.",
	"remote tool host": "Sessions of a client that runs tools.",
	"runs":             "Runs on workers.",
	"screen":           "Elements of a screen, and changes between two screens.",
	"semantic":         "Summaries and titles.",
	"tools":            "List and call tools, and the log of calls.",
	"vision":           "Find and describe elements of a screen.",
}

// listTags lists the tags of all operations with their descriptions, sorted by name.
func (d *document) listTags() {
	used := map[string]bool{}
	for _, op := range d.operations {
		tags, _ := op["tags"].([]any)
		for _, tag := range tags {
			name, _ := tag.(string)
			used[name] = true
		}
	}
	var list []any
	for _, name := range slices.Sorted(maps.Keys(used)) {
		text := tagTexts[name]
		if group, ok := strings.CutPrefix(name, toolTagPrefix); ok {
			text = "Tools of the group " + group + "."
		}
		list = append(list, object{"name": name, "description": text})
	}
	d.object["tags"] = list
}
