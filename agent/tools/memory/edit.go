package memory

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"unicode/utf8"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Edit is a replacement of lines in a memory file. LineStart is the number of the first line, from
// 1. The field Was is the old text, as Get has returned it, and the field Text is the new text. The
// field By is the name of the editor for the history of changes. It may be empty.
type Edit struct {
	LineStart int
	Was, Text string
	By        string
}

// check returns a fault with all invalid fields of the edit.
func (e Edit) check(op string) error {
	f := fault.New(op, sdkapi.ValidationError, "the change to memory is invalid; details.fields lists the problems")
	if e.LineStart < 1 {
		f = f.At("line_start", "expected 1 or more")
	}
	for _, field := range [][2]string{{"was", e.Was}, {"text", e.Text}} {
		if at, text := field[0], field[1]; len(text) > MaxPassage || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			f = f.At(at, "expected at most %d bytes of text", MaxPassage)
		}
	}
	if len(f.Details.Fields) > 0 {
		return f
	}
	return nil
}

// Change applies an Edit to a file atomically. If the file does not have the old text at the line,
// Change fails with MEMORY_CHANGED and changes nothing. It fails with MEMORY_NOT_FOUND if the user
// has no such file, and with VALIDATION_ERROR if the Edit is invalid or the old lines are not
// UTF-8.
func (m *Memory) Change(ctx context.Context, user, name string, e Edit) (Written, error) {
	const op = "memory.Change"
	r, err := m.roomOf(op, user)
	if err != nil {
		return Written{}, err
	}
	if !isNote(name) {
		return Written{}, notFound(op, name)
	}
	if err := e.check(op); err != nil {
		return Written{}, err
	}
	root, leave, err := m.toChange(ctx, r)
	if err != nil {
		return Written{}, unusable(op, err)
	}
	defer leave()
	text, _, err := read(root, name)
	switch {
	case errors.Is(err, errTooLarge):
		return Written{}, fullFile(op, name)
	case missing(err):
		return Written{}, notFound(op, name).Because(err)
	case err != nil:
		return Written{}, unusable(op, err)
	}
	changed, err := e.apply(op, name, string(text))
	if err != nil {
		return Written{}, err
	}
	if len(changed) > len(text) { // a change that shortens the file needs no room
		if err := m.fits(ctx, root, len(changed)-len(text)); err != nil {
			return Written{}, unusable(op, err)
		}
	}
	if err := replace(root, name, []byte(changed)); err != nil {
		return Written{}, unusable(op, err)
	}
	r.stale()
	if err := m.Ready(); err != nil {
		return Written{}, err
	}
	done := Changed{Path: name, At: m.opts.now().UTC(), By: e.By, LineStart: e.LineStart, Was: e.Was, Text: e.Text}
	if err := noteChange(root, done); err != nil { // the file has already changed
		m.opts.Log.Warn("cannot store a memory change in the history", slog.String("path", name), slog.Any("err", err))
	}
	return Written{Path: name, Warning: m.warn(name, len(changed))}, nil
}

// apply returns a file's text after the edit. Text can be added at the end of the file, on the line after the last one.
func (e Edit) apply(op, name, text string) (string, error) {
	changed := fault.New(op, sdkapi.MemoryChanged, "the lines of %s have changed since you read them; read them again", name)
	at := 0
	for range e.LineStart - 1 {
		if at == len(text) {
			return "", changed
		}
		if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
			at += end + 1
		} else {
			at = len(text)
		}
	}
	rest, same := strings.CutPrefix(text[at:], e.Was)
	if !same && strings.HasPrefix(strings.ToValidUTF8(text[at:], "\uFFFD"), e.Was) { // as Get shows it
		return "", fault.New(op, sdkapi.ValidationError, "the lines of %s are not UTF-8 and cannot be changed; save the file as UTF-8", name).
			At("was", "expected lines of UTF-8")
	}
	whole := rest == "" || e.Was == "" || strings.HasSuffix(e.Was, "\n") || rest[0] == '\n' || len(e.Was) > MaxPassage-utf8.UTFMax // a longer line is shown in part
	if !same || !whole {
		return "", changed
	}
	if len(text)-len(e.Was)+len(e.Text) > MaxFile {
		return "", fullFile(op, name)
	}
	return text[:at] + e.Text + rest, nil
}
