package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/windieos/windie/sdk"
)

// press handles a key.
func (s *screen) press(msg tea.KeyPressMsg) (cmd tea.Cmd) {
	switch name := msg.String(); {
	case name == "ctrl+c":
		return s.interrupt()
	case name == "ctrl+d" && s.line.Value() == "":
		return s.leave()
	case name == "ctrl+o":
		s.showDiff("")
	case name == "esc" && s.mode != saying:
		s.mode = saying
		s.line.Reset()
	case s.mode == saying && s.question() != nil && s.line.Value() == "" && s.answer(name):
	case name == "enter":
		return s.enter()
	case name == "up" && s.mode == saying && s.line.Line() == 0:
		if text, ok := s.history.back(s.line.Value()); ok {
			s.line.SetValue(text)
		}
	case name == "down" && s.mode == saying && s.line.Line() == s.line.LineCount()-1:
		if text, ok := s.history.forth(); ok {
			s.line.SetValue(text)
		}
	default:
		s.line, cmd = s.line.Update(msg)
	}
	return cmd
}

// quitTime is how soon a second Ctrl-C must come to leave while the agent works.
const quitTime = 2 * time.Second

// interrupt handles Ctrl-C. While the agent works it cancels the turn, or leaves if Ctrl-C came
// just before. Otherwise it clears the line, or leaves if the line is empty.
func (s *screen) interrupt() tea.Cmd {
	switch {
	case s.running && time.Since(s.quit) > quitTime:
		s.quit = time.Now()
		s.host.Cancel()
	case s.running:
		return s.leave()
	case s.mode != saying || s.line.Value() != "":
		s.mode = saying
		s.line.Reset()
	default:
		return s.leave()
	}
	return nil
}

// ReadTime is how long a question must be visible before a key can allow the step. The terminal
// ignores an earlier key, because the user probably pressed it for something else.
const ReadTime = 500 * time.Millisecond

// answer handles a key that answers the question, and reports whether it does.
func (s *screen) answer(name string) bool {
	asked := s.question()
	if time.Since(s.askedAt) < ReadTime && slices.Contains([]string{"y", "a", "p"}, name) {
		return true
	}
	switch name {
	case "y":
		s.decide(sdk.Decision{Approved: true})
	case "a":
		s.always(onTool(asked))
	case "p":
		r, _, ok := onPlace(asked, s.files)
		if !ok {
			return true
		}
		s.always(r)
	case "n":
		s.mode = denying
	case "e":
		if s.opts.Steps.isStep(asked.ToolCallID) {
			return true
		}
		s.mode = editing
		var text bytes.Buffer
		if json.Indent(&text, asked.Arguments, "", "  ") != nil {
			text.Write(asked.Arguments)
		}
		s.line.SetValue(text.String())
	case "d":
		if c := s.files.planned(asked.Arguments); c != nil {
			s.out = append(s.out, diffBlock(c))
		} else {
			s.out = append(s.out, safe(string(asked.Arguments)))
		}
	default:
		return false
	}
	return true
}

// enter handles the text in the line.
func (s *screen) enter() tea.Cmd {
	text := s.line.Value()
	switch s.mode {
	case denying:
		s.decide(sdk.Decision{Reason: strings.TrimSpace(text)})
		return nil
	case editing:
		s.edited()
		return nil
	}
	if before, more := strings.CutSuffix(text, `\`); more { // the text continues on another line
		s.line.SetValue(before + "\n")
		return nil
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "" && len(s.images) == 0:
		return nil
	case strings.HasPrefix(text, "/"):
		s.line.Reset()
		return s.command(text)
	case text == "":
		text = "Look at this."
	}
	s.line.Reset()
	return s.say(text)
}

// help lists the commands.
const help = `/help          this list
/diff [FILE]   what the agent changed, in all or in one file
/files         the files that it changed
/image FILE    send an image with the next message; a pasted path does so too
/session       the session's id, to go on with later
/quit          leave; ctrl+d does so too
Enter sends, alt+enter or \ at the end begins a line. ↑ and ↓ bring back what you said. Ctrl+C cancels, twice leaves.`

// command performs a line that begins with a slash.
func (s *screen) command(text string) tea.Cmd {
	name, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	switch name {
	case "/quit", "/exit":
		return s.leave()
	case "/diff":
		if rest == "" {
			rest = "*"
		}
		s.showDiff(rest)
	case "/files":
		for _, f := range s.files.summary() {
			s.out = append(s.out, f.Change+" "+safe(f.Path)+" ("+counted(f.Added, f.Removed)+")")
		}
	case "/image":
		if files := pastedImages(rest); len(files) > 0 {
			s.attach(files...)
		} else {
			s.out = append(s.out, errorLook.Render(fmt.Sprintf("%s does not exist or is not an image", safe(rest))))
		}
	case "/session":
		s.out = append(s.out, s.host.ID())
	default:
		s.out = append(s.out, help)
	}
	return nil
}

// showDiff shows all changes of a file; "*" means all files. An empty file means the change of the
// last call.
func (s *screen) showDiff(file string) {
	if file == "" {
		if c := s.files.of(s.lastRun); c != nil {
			s.out = append(s.out, diffBlock(c))
			return
		}
		file = "*"
	}
	shown := false
	for _, c := range s.files.all() {
		if file == "*" || file == c.path {
			s.out, shown = append(s.out, diffBlock(&c)), true
		}
	}
	if !shown {
		s.out = append(s.out, faintLook.Render("(nothing was changed)"))
	}
}
