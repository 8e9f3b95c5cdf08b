package terminal

import (
	"strings"

	"charm.land/glamour/v2"

	"github.com/windieos/windie/internal/plain"
)

// markdown renders an answer as it comes. Rendering is slow, so each finished block is rendered once, and the open one
// only now and then.
type markdown struct {
	style    string // of glamour
	width    int
	renderer *glamour.TermRenderer // nil for text as it is
}

// resize sets the width, in columns.
func (m *markdown) resize(width int) {
	if width == m.width {
		return
	}
	m.width = width
	renderer, err := glamour.NewTermRenderer(glamour.WithStandardStyle(m.style), glamour.WithWordWrap(max(width-2, 20)))
	if err != nil {
		renderer = nil // text as it is
	}
	m.renderer = renderer
}

// render renders a block. What could control the terminal is shown as text.
func (m *markdown) render(block string) string {
	block = safe(block)
	if m.renderer == nil {
		return strings.Trim(block, "\n")
	}
	out, err := m.renderer.Render(block)
	if err != nil {
		return strings.Trim(block, "\n")
	}
	return strings.Trim(out, "\n")
}

// safe returns text of which nothing controls the terminal.
func safe(text string) string { return plain.Lines(strings.ReplaceAll(text, "\t", "    "), "") }

// cutBlocks cuts finished blocks off a text that grows: it is cut at empty lines outside of fences, unless what follows
// is indented, and so belongs to a list.
func cutBlocks(text string) (finished []string, open string) {
	begin, at := 0, 0
	fence := ""
	for line := range strings.Lines(text) {
		next := at + len(line)
		bare := strings.TrimSpace(line)
		switch {
		case fence != "" && strings.HasPrefix(bare, fence):
			fence = ""
		case fence != "":
		case strings.HasPrefix(bare, "```"), strings.HasPrefix(bare, "~~~"):
			fence = bare[:3]
		case bare == "" && strings.HasSuffix(line, "\n") && next < len(text) && text[next] != ' ' && text[next] != '\t' && text[next] != '\n':
			if block := text[begin:at]; strings.TrimSpace(block) != "" {
				finished = append(finished, block)
			}
			begin = next
		}
		at = next
	}
	return finished, text[begin:]
}
