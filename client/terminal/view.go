package terminal

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/windieos/windie/internal/plain"
)

// renderTime is the shortest time between two renderings of the open text.
const renderTime = 80 * time.Millisecond

// minOpen is the minimum number of rows for open text.
const minOpen = 3

// View implements tea.Model.
func (s *screen) View() tea.View {
	if s.leaving {
		view := tea.NewView(s.shrunk(""))
		view.Cursor = tea.NewCursor(0, 0)
		return view
	}
	var below []string
	for _, started := range s.tools {
		about := brief(started.Arguments)
		if note := s.notes[started.ToolCallID]; note != "" {
			about = plain.OneLine(note, max(s.width-len(started.Name)-6, 20))
		}
		below = append(below, faintLook.Render("⋯ "+plain.Text(started.Name)+" "+about))
	}
	if line := s.status(); line != "" {
		below = append(below, line)
	}
	if asked := s.ask(); asked != "" {
		below = append(below, asked)
	}
	for _, next := range s.waiting {
		below = append(below, faintLook.Render("⧗ "+plain.OneLine(next.text, max(s.width-4, 20))))
	}
	for _, file := range s.images {
		below = append(below, faintLook.Render(fmt.Sprintf("[image %s, %s]", plain.Text(file), sizeOf(file))))
	}
	line := s.line.View()
	if open := s.open(s.height - lipgloss.Height(strings.Join(append(below, line), "\n")) - 1); open != "" {
		below = append([]string{open}, below...)
	}
	view := tea.NewView(s.shrunk(strings.Join(append(below, line), "\n")))
	if view.Cursor = s.line.Cursor(); view.Cursor != nil && len(below) > 0 {
		view.Cursor.Y += lipgloss.Height(strings.Join(below, "\n"))
	}
	return view
}

// shrinkTime limits how long the view keeps rows that it does not need, if nothing else is drawn.
const shrinkTime = 600 * time.Millisecond

// drawing is the terminal's output. It counts the drawn frames.
type drawing struct {
	*os.File

	drawn *atomic.Int64
}

// Write implements io.Writer.
func (d drawing) Write(p []byte) (int, error) {
	n, err := d.File.Write(p)
	if len(p) > 0 && p[0] != '\r' { // text printed above the view begins with a carriage return
		d.drawn.Add(1)
	}
	return n, err
}

// shrunk returns the view, with empty rows below it if it has just become smaller. The library
// loses its position if the cursor was below the new end. So the cursor moves up in one frame, and
// the view gives up its rows in a later one.
func (s *screen) shrunk(view string) string {
	rows := lipgloss.Height(view)
	switch {
	case rows >= s.tall:
		s.tall, s.shrinks = rows, time.Time{}
	case s.shrinks.IsZero() || rows != s.wanted: // the cursor has moved
		s.shrinks, s.wanted, s.frames = time.Now(), rows, s.drawn.Load()
	case s.drawn.Load() > s.frames+1 && time.Since(s.shrinks) > frameTime, time.Since(s.shrinks) > shrinkTime:
		s.tall, s.shrinks = rows, time.Time{}
	}
	return view + strings.Repeat("\n", s.tall-rows)
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

// status describes the current activity.
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

// ask describes the current question to the user.
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
	if _, place, ok := onPlace(asked, s.files); ok {
		keys += "p always for " + plain.Text(plain.Cut(place, maxArgument)) + " · "
	}
	if s.opts.Steps.isStep(asked.ToolCallID) {
		return text + "\n" + keys + "n no · d details"
	}
	return text + "\n" + keys + "n no · e edit · d details"
}
