package commander

import (
	"fmt"
	"strings"

	"github.com/windieos/windie/models"
)

// help says what is understood, and how to get a model that understands more.
func help(req models.Request) string {
	return `I understand plain commands only, as no language model is configured. Try:
- click Compose
- type "hello" into Search, then press enter
- take a screenshot
- read the screen
- run TOOL {"argument": "value"}
- what tools are there` + fmt.Sprintf(`

This session has %d tools. To talk to a language model, set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY for the gateway, or run Ollama beside it; docs/models.md says more.`, len(req.Tools))
}

// maxListed bounds the tools of a list.
const maxListed = 50

// list says what tools there are.
func list(req models.Request) string {
	if len(req.Tools) == 0 {
		return "This session has no tools."
	}
	var b strings.Builder
	b.WriteString("The tools of this session:")
	for i, t := range req.Tools {
		if i == maxListed {
			fmt.Fprintf(&b, "\n- and %d more", len(req.Tools)-i)
			break
		}
		first, _, _ := strings.Cut(t.Description, ". ")
		first, _, _ = strings.Cut(first, "\n")
		fmt.Fprintf(&b, "\n- %s: %s", t.Name, strings.TrimSuffix(first, "."))
	}
	return b.String()
}
