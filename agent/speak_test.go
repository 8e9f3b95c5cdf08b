package agent_test

import (
	"testing"

	"github.com/windieos/windie/agent"
)

// Texts for models name tools as models call them, and leave all else as it is.
func TestForModels(t *testing.T) {
	t.Parallel()
	known := func(name string) bool { return name == "memory.search" || name == "ocr.resolve_text" }
	for text, want := range map[string]string{
		"As memory.search has it, or ocr.resolve_text.":              "As memory_search has it, or ocr_resolve_text.",
		`{"description":"see memory.search"}`:                        `{"description":"see memory_search"}`,
		"notes.md, e.g. memory.searches and my_memory.search, 1.5":   "notes.md, e.g. memory.searches and my_memory.search, 1.5",
		"memory.search.md is a file, https://memory.search/x is not": "memory.search.md is a file, https://memory_search/x is not",
	} {
		if got := agent.ForModels(text, known); got != want {
			t.Errorf("got %s", got)
		}
	}
}
