package memory

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Bounds of a Passage.
const (
	MaxLines   = 2000
	MaxPassage = 64 << 10 // maximum size of a Passage's text, in bytes
)

// Passage contains lines of a file. The first line has the number LineStart, and the last line has
// the number LineEnd. Line numbers count from 1.
type Passage struct {
	Path      string `json:"path"`
	Text      string `json:"text"`
	LineStart int    `json:"line_start"`
	LineEnd   int    `json:"line_end"`
	Lines     int    `json:"lines" doc:"Number of lines in the file."`
	Truncated bool   `json:"truncated,omitempty" doc:"The file has more lines after line_end."`
}

// Get reads lines of a file in the user's memory. If start is 0, it begins at the first line. If
// end is 0, it reads up to the last line. If the lines do not fit into a Passage, it returns the
// first lines. It fails with MEMORY_NOT_FOUND if the file is missing. It fails with
// RANGE_NOT_SATISFIABLE if the file has no line with the number start.
func (m *Memory) Get(ctx context.Context, user, name string, start, end int) (Passage, error) {
	const op = "memory.Get"
	r, err := m.roomOf(op, user)
	if err != nil {
		return Passage{}, err
	}
	if start < 0 || end < 0 || end > 0 && end < start {
		return Passage{}, fault.New(op, sdkapi.ValidationError, "the range of lines is invalid").At("line_start", "expected a line number from 1 to line_end")
	}
	if err := ctx.Err(); err != nil {
		return Passage{}, fault.From(err)
	}
	root, err := m.note(op, r, name)
	if err != nil {
		return Passage{}, err
	}
	defer root.Close()
	text, _, err := read(root, name)
	switch {
	case errors.Is(err, errTooLarge):
		return Passage{}, fault.New(op, sdkapi.PayloadTooLarge, "%s has more than %d bytes", name, MaxFile).Because(err)
	case missing(err):
		return Passage{}, notFound(op, name).Because(err)
	case err != nil:
		return Passage{}, unusable(op, err)
	}
	return cut(op, name, strings.ToValidUTF8(string(text), "\uFFFD"), max(start, 1), end)
}

// note opens a user's folder. If the folder has no note with that name, the error is MEMORY_NOT_FOUND.
func (m *Memory) note(op string, r *room, name string) (*os.Root, error) {
	if !isNote(name) {
		return nil, notFound(op, name)
	}
	root, err := m.open(r)
	if err == nil {
		var info fs.FileInfo
		info, err = root.Lstat(filepath.FromSlash(name))
		if err == nil && !info.Mode().IsRegular() {
			err = errNoFile
		}
		if err != nil {
			_ = root.Close() // it was only read
		}
	}
	switch {
	case missing(err):
		return nil, notFound(op, name).Because(err)
	case err != nil:
		return nil, unusable(op, err)
	}
	return root, nil
}

// isNote reports whether Search could return a path. Other files of the folder are private.
func isNote(name string) bool {
	return len(name) <= 1024 && fs.ValidPath(name) && utf8.ValidString(name) && strings.HasPrefix(name, notesDir+"/") &&
		!strings.Contains(name, "/.") && !strings.ContainsAny(name, "\\\x00") && strings.EqualFold(path.Ext(name), ".md")
}

// cut returns the lines from start to end of a file's text, as many as fit into a Passage. An end of 0 means the last
// line. If the first line is too long alone, cut returns its start.
func cut(op, name, text string, start, end int) (Passage, error) {
	p := Passage{Path: name, LineStart: start, LineEnd: start - 1}
	var b strings.Builder
	for line := range strings.Lines(text) {
		p.Lines++
		switch {
		case p.Lines < start || p.Truncated:
		case end > 0 && p.Lines > end, p.Lines >= start+MaxLines:
			p.Truncated = true
		case b.Len()+len(line) > MaxPassage:
			p.Truncated = true
			if b.Len() == 0 {
				b.WriteString(strings.ToValidUTF8(line[:MaxPassage], ""))
				p.LineEnd = p.Lines
			}
		default:
			b.WriteString(line)
			p.LineEnd = p.Lines
		}
	}
	if start > max(p.Lines, 1) {
		return Passage{}, fault.New(op, sdkapi.RangeNotSatisfiable, "%s has %d lines; there is no line %d", name, p.Lines, start)
	}
	p.Text = b.String()
	return p, nil
}
