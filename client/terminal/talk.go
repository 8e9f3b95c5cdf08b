package terminal

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// Styles of the output.
var (
	userLook  = lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Color("6"))
	faintLook = lipgloss.NewStyle().Faint(true)
	errorLook = lipgloss.NewStyle().Foreground(lipgloss.Color("1"))
	addLook   = lipgloss.NewStyle().Foreground(lipgloss.Color("2"))
	cutLook   = lipgloss.NewStyle().Foreground(lipgloss.Color("1"))
	askLook   = lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Color("3"))
)

// talk is the state of a conversation: finished blocks, which are shown once, and open text. It
// does not know the terminal.
type talk struct {
	md    *markdown
	files *files

	text    string // the part of the answer that is not finished
	said    bool   // part of the answer is shown already
	thought string // the last line of a thought
	tools   []*sdkapi.AgentToolStartedMessage
	asked   []*sdkapi.AgentApprovalMessage
	running bool
	ours    map[string]bool   // names of messages that this program sent and shows itself
	lastRun string            // the last call that changed a file
	notes   map[string]string // progress of calls
}

// hear handles a message, and returns the blocks that it finishes.
func (t *talk) hear(m sdkapi.AgentMessage) (blocks []string) {
	switch m := m.(type) {
	case *sdkapi.AgentUserMessageMessage:
		t.running = true
		if !t.ours[m.MessageID] {
			return []string{saidBlock(m.Content, m.Images)}
		}
	case *sdkapi.AgentDeltaMessage:
		t.running = true
		return t.delta(m)
	case *sdkapi.AgentToolStartedMessage:
		t.tools = append(t.tools, m)
		return t.flush()
	case *sdkapi.AgentProgressMessage:
		t.notes[m.ToolCallID] = noteOf(m.Message, m.Output)
	case *sdkapi.AgentToolOutputMessage:
		return append(t.flush(), t.toolEnded(m))
	case *sdkapi.AgentApprovalMessage:
		t.asked = append(t.asked, m)
		return t.flush()
	case *sdkapi.AgentDecidedMessage:
		t.answered(m.ToolCallID)
	case *sdkapi.AgentErrorMessage:
		return append(t.flush(), errorLook.Render(safe(m.Message)))
	case *sdkapi.AgentWarningMessage:
		return append(t.flush(), faintLook.Render("warning: "+safe(m.Message)))
	case *sdkapi.AgentResyncMessage:
		return []string{faintLook.Render("(what came before is kept no longer)")}
	case *sdkapi.AgentDoneMessage:
		blocks = t.flush()
		t.running, t.said, t.asked, t.tools = false, false, nil, nil
		if m.Metadata.Reason == "canceled" {
			blocks = append(blocks, faintLook.Render("(canceled)"))
		}
	}
	return blocks
}

// delta handles a piece of the answer or of a thought.
func (t *talk) delta(m *sdkapi.AgentDeltaMessage) (blocks []string) {
	if m.Type == sdkapi.AgentThought {
		t.thought += m.Content
		if at := strings.LastIndexByte(strings.TrimRight(t.thought, "\n"), '\n'); at >= 0 {
			t.thought = t.thought[at+1:]
		}
		return nil
	}
	if m.Restart {
		t.text = ""
		if t.said {
			blocks = append(blocks, faintLook.Render("(the answer begins again)"))
		}
		t.said = false
	}
	if m.Content != "" {
		t.thought = ""
	}
	finished, open := cutBlocks(t.text + m.Content)
	for _, block := range finished {
		blocks = append(blocks, t.md.render(block))
		t.said = true
	}
	t.text = open
	return blocks
}

// flush finishes the open part of the answer.
func (t *talk) flush() (blocks []string) {
	if strings.TrimSpace(t.text) != "" {
		blocks = append(blocks, t.md.render(t.text))
		t.said = true
	}
	t.text, t.thought = "", ""
	return blocks
}

// toolEnded returns the line of a call that has ended.
func (t *talk) toolEnded(m *sdkapi.AgentToolOutputMessage) string {
	t.answered(m.ToolCallID)
	delete(t.notes, m.ToolCallID)
	arguments := ""
	kept := t.tools[:0]
	for _, started := range t.tools {
		if started.ToolCallID == m.ToolCallID {
			arguments = " " + brief(started.Arguments)
			continue
		}
		kept = append(kept, started)
	}
	t.tools = kept
	changed := t.files.of(m.ToolCallID)
	line := toolLine(m, changed)
	switch {
	case changed != nil:
		t.lastRun = m.ToolCallID
		line += "  (ctrl+o shows the diff)"
	case m.Outcome == "done" && !m.IsError:
		line += arguments
	}
	if m.IsError || m.Outcome != "done" {
		return errorLook.Render(line)
	}
	return faintLook.Render(line)
}

// answered removes a question that needs no answer any more.
func (t *talk) answered(call string) {
	kept := t.asked[:0]
	for _, a := range t.asked {
		if a.ToolCallID != call {
			kept = append(kept, a)
		}
	}
	t.asked = kept
}

// saidBlock formats the user's message.
func saidBlock(text string, images int) string {
	block := userLook.Render("› ") + strings.ReplaceAll(safe(text), "\n", "\n  ")
	if images > 0 {
		block += faintLook.Render(fmt.Sprintf(" [%d images]", images))
	}
	return block
}

// diffBlock formats a change.
func diffBlock(c *change) string {
	text := c.diff()
	if text == "" {
		return faintLook.Render(plain.Text(c.path) + ": it is too large, or no text, to be shown")
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = safe(strings.TrimSuffix(line, "\n"))
		switch {
		case strings.HasPrefix(line, "+"):
			line = addLook.Render(line)
		case strings.HasPrefix(line, "-"):
			line = cutLook.Render(line)
		case strings.HasPrefix(line, "@"):
			line = faintLook.Render(line)
		}
		b.WriteString(line + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
