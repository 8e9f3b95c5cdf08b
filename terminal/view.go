package terminal

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/windieos/windie/internal/plain"
)

// renderTime is between two renderings of the open text.
const renderTime = 80 * time.Millisecond

// minOpen is how many rows of open text are shown at least.
const minOpen = 3

// View implements tea.Model.
func (s *screen) View() tea.View {
	if s.leaving {
		return tea.NewView("")
	}
	var below []string
	for _, started := range s.tools {
		below = append(below, faintLook.Render("⋯ "+plain.Text(started.Name)+" "+brief(started.Arguments)))
	}
	if line := s.status(); line != "" {
		below = append(below, line)
	}
	if asked := s.ask(); asked != "" {
		below = append(below, asked)
	}
	for _, file := range s.images {
		below = append(below, faintLook.Render(fmt.Sprintf("[image %s, %s]", plain.Text(file), sizeOf(file))))
	}
	below = append(below, s.line.View())
	rest := strings.Join(below, "\n")
	if open := s.open(s.height - lipgloss.Height(rest) - 1); open != "" {
		rest = open + "\n" + rest
	}
	return tea.NewView(rest)
}

// open returns the last rows of the open text.
func (s *screen) open(rows int) string {
	if s.text != s.renderedText && (time.Since(s.renderedAt) > renderTime || !strings.HasPrefix(s.text, s.renderedText)) {
		s.rendered, s.renderedText, s.renderedAt = "", s.text, time.Now()
		if strings.TrimSpace(s.text) != "" {
			s.rendered = s.md.render(s.text)
		}
	}
	lines := strings.Split(s.rendered, "\n")
	if rows = max(rows, minOpen); len(lines) > rows {
		lines = lines[len(lines)-rows:]
	}
	return strings.Join(lines, "\n")
}

// status says what goes on.
func (s *screen) status() string {
	wheel := string([]rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")[s.spin%10])
	switch {
	case s.away != nil:
		return errorLook.Render(wheel + " the connection broke; coming back …")
	case s.running && s.question() == nil && s.thought != "":
		return faintLook.Render(wheel + " " + plain.OneLine(s.thought, max(s.width-4, 20)))
	case s.running && s.question() == nil:
		return faintLook.Render(wheel + " working; ctrl+c cancels")
	}
	return ""
}

// ask says what the user is asked.
func (s *screen) ask() string {
	asked := s.question()
	if asked == nil {
		return ""
	}
	switch s.mode {
	case denying:
		return askLook.Render("Why not? Enter says no, esc goes back.")
	case editing:
		return askLook.Render("Change the arguments. Enter calls it with them, esc goes back.")
	}
	text := askLook.Render("May "+plain.Text(asked.Name)+" be called?") + " " + brief(asked.Arguments) + "\n" +
		faintLook.Render(plain.Text(asked.Reason))
	if more := len(s.asked) - 1; more > 0 {
		text += faintLook.Render(fmt.Sprintf(" (%d more wait)", more))
	}
	keys := "y yes · a always for this tool · "
	if _, place, ok := onPlace(asked); ok {
		keys += "p always for " + plain.Text(plain.Cut(place, maxArgument)) + " · "
	}
	return text + "\n" + keys + "n no · e edit · d details"
}
