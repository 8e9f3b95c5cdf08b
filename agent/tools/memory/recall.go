package memory

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
	"unicode"
)

// MaxRecall is the maximum size of the part of MEMORY.md that Recall returns, in bytes.
const MaxRecall = 128 << 10 // bytes of MEMORY.md

// dailyShare divides the size of Recall: the notes of today and yesterday have an additional quarter of it.
const dailyShare = 4

// Recall returns a text with the part of a user's memory that every session gets. The text contains at most size bytes
// from the start of MEMORY.md. A size above MaxRecall means MaxRecall. The text also contains the newest notes of
// yesterday and today (UTC), together at most size/4 bytes. Each part has its path as a heading. If a part is cut, a
// note after the heading says so. The text is empty if the user has no files.
func (m *Memory) Recall(ctx context.Context, user string, size int) (string, error) {
	const op = "memory.Recall"
	r, err := m.roomOf(op, user)
	if err != nil {
		return "", err
	}
	root, err := m.open(r)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", unusable(op, err)
	}
	defer root.Close()
	now, size := m.opts.now().UTC(), min(size, MaxRecall)
	long, err := part(root, longTermPath, size, false)
	today, errToday := part(root, dailyOf(now), size/dailyShare, true)
	before, errBefore := part(root, dailyOf(now.AddDate(0, 0, -1)), size/dailyShare-len(today), true)
	if err := errors.Join(err, errToday, errBefore); err != nil {
		return "", unusable(op, err)
	}
	return strings.TrimSpace(long + "\n\n" + strings.TrimSpace(before+"\n\n"+today)), ctx.Err()
}

// dailyOf returns the file with the daily notes of a time's day, in UTC.
func dailyOf(at time.Time) string {
	return notesDir + "/" + at.UTC().Format(time.DateOnly) + ".md"
}

// part returns the first or last whole lines of a file, up to most bytes, under
// its path. It is empty for a missing file.
func part(root *os.Root, name string, most int, last bool) (string, error) {
	file, info, err := openNote(root, name)
	if missing(err) || err == nil && info.Size() == 0 {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer file.Close()
	text := make([]byte, min(info.Size(), int64(max(most, 0))))
	left := info.Size() - int64(len(text)) // out
	from := int64(0)
	if last {
		from = left
	}
	n, err := file.ReadAt(text, from)
	if err != nil && !errors.Is(err, io.EOF) { // it was cut meanwhile
		return "", err
	}
	text = text[:n]
	switch {
	case left > 0 && last:
		_, text, _ = bytes.Cut(text, []byte("\n"))
	case left > 0:
		text = text[:bytes.LastIndexByte(text, '\n')+1]
	}
	shown := "[" + name + "]\n"
	if left > 0 {
		shown += "[… part of the file left out; find it with memory.search …]\n"
	}
	return strings.TrimSpace(shown + strings.Map(readable, strings.ToValidUTF8(string(text), "?"))), nil
}

// readable removes control characters.
func readable(r rune) rune {
	if unicode.IsControl(r) && r != '\n' && r != '\t' {
		return -1
	}
	return r
}
