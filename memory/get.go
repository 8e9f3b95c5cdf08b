package memory

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Bounds of what Get gives.
const (
	MaxLines   = 2000
	MaxPassage = 64 << 10 // bytes
)

// Passage is some lines of a file.
type Passage struct {
	Path      string
	Text      string
	LineStart int  // from 1
	LineEnd   int  // the last, included
	Lines     int  // that the file has
	Truncated bool // there was more than fits, or than was asked for
}

// Get reads lines of a file in the user's memory, as it is now. A start of 0 is
// the first line, an end of 0 the last; of more than fits there are the first.
// It fails with MEMORY_NOT_FOUND where there is no such file, and with
// RANGE_NOT_SATISFIABLE where there is no such line.
func (m *Memory) Get(ctx context.Context, user, name string, start, end int) (Passage, error) {
	const op = "memory.Get"
	r, err := m.roomOf(op, user)
	if err != nil {
		return Passage{}, err
	}
	if start < 0 || end < 0 || end > 0 && end < start {
		return Passage{}, fault.New(op, sdkapi.ValidationError, "there are no such lines").At("line_start", "expected 1 or more, and no more than line_end")
	}
	if err := ctx.Err(); err != nil {
		return Passage{}, fault.From(err)
	}
	if !isNote(name) {
		return Passage{}, notFound(op, name)
	}
	root, err := m.open(r)
	if errors.Is(err, fs.ErrNotExist) {
		return Passage{}, notFound(op, name)
	}
	if err != nil {
		return Passage{}, unusable(op, err)
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

// isNote reports whether a path can be one that Search gives. The rest of what
// lies in the folder is nobody's business.
func isNote(name string) bool {
	return len(name) <= 1024 && fs.ValidPath(name) && utf8.ValidString(name) && strings.HasPrefix(name, notesDir+"/") &&
		!strings.Contains(name, "/.") && !strings.ContainsAny(name, "\\\x00") && strings.EqualFold(path.Ext(name), ".md")
}

// cut takes lines out of a text.
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
		return Passage{}, fault.New(op, sdkapi.RangeNotSatisfiable, "%s has %d lines; line %d is not among them", name, p.Lines, start)
	}
	p.Text = b.String()
	return p, nil
}
