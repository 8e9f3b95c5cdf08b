package terminal

import (
	"strings"

	"charm.land/glamour/v2"

	"github.com/windieos/windie/internal/plain"
)

// markdown renders an answer while it arrives. Rendering is slow, so each finished block is
// rendered once, and the open one only at intervals.
type markdown struct {
	style    string // style of glamour
	width    int
	renderer *glamour.TermRenderer // nil: plain text
}

// resize sets the width, in columns.
func (m *markdown) resize(width int) {
	if width == m.width {
		return
	}
	m.width = width
	renderer, err := glamour.NewTermRenderer(glamour.WithStandardStyle(m.style), glamour.WithWordWrap(max(width-2, 20)))
	if err != nil {
		renderer = nil // plain text
	}
	m.renderer = renderer
}

// render renders a block. It shows terminal control characters as text.
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

// safe returns text without terminal control characters.
func safe(text string) string { return plain.Lines(strings.ReplaceAll(text, "\t", "    "), "") }

// cutBlocks cuts the finished blocks off a growing text. It cuts at empty lines outside of fences,
// unless the next line is indented, because it then belongs to a list.
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
