package mcptools

import (
	"bytes"
	"io"
)

// maxNoteBytes limits the logged part of a line that is not a message, in bytes.
const maxNoteBytes = 500

// messages reads the lines of a server's output that may be messages. Servers also print greetings and
// warnings to their output; messages omits those lines.
type messages struct {
	r    io.Reader
	note func(line []byte) // gets the start of each omitted line

	buf   []byte
	have  []byte // part of buf that was not examined
	short bool   // have is too short to show whether it begins a message
	where place
	said  []byte // start of the omitted line
}

// place is the kind of line that the next byte belongs to.
type place int

const (
	atStart   place = iota // at the start of a line
	inMessage              // in a line that may be a message
	inNote                 // in a line that is omitted
)

// newMessages returns a reader of the lines of r that may be messages. It passes the start of each other line to note,
// which must not keep the slice.
func newMessages(r io.Reader, note func([]byte)) *messages {
	return &messages{r: r, note: note, buf: make([]byte, 32<<10)}
}

// Read returns only data from lines that may be messages. If the underlying reader fails, Read first returns all data
// that came before the error, and then the error.
func (m *messages) Read(p []byte) (int, error) {
	for {
		if len(m.have) == 0 || m.short {
			had := copy(m.buf, m.have)
			n, err := m.r.Read(m.buf[had:])
			if m.have = m.buf[:had+n]; n == 0 && err != nil {
				m.drop(m.have, true)
				return 0, err
			}
		}
		if n := m.next(p); n > 0 || len(p) == 0 {
			return n, nil
		}
	}
}

// next takes the next piece of a line from have. If the line may be a message, next copies the piece to p and
// returns its length. Otherwise it returns 0.
func (m *messages) next(p []byte) int {
	if m.where == atStart {
		m.have = bytes.TrimLeft(m.have, " \t\r\n")
		if len(m.have) == 0 {
			return 0
		}
		m.where, m.short = begins(m.have)
		if m.short && len(m.have) < len(m.buf) {
			m.where = atStart
			return 0
		}
		m.short = false
	}
	line, n := m.have, 0
	end := bytes.IndexByte(line, '\n')
	if end >= 0 {
		line = line[:end+1]
	}
	if m.where == inMessage {
		n = copy(p, line)
		line = line[:n]
	} else {
		m.drop(line, end >= 0)
	}
	m.have = m.have[len(line):]
	if bytes.HasSuffix(line, []byte{'\n'}) {
		m.where = atStart
	}
	return n
}

// begins returns the kind of a line by its start. A message is an object or a list of objects, unlike
// "[INFO] ready". If line is too short to show its kind, short is true.
func begins(line []byte) (is place, short bool) {
	next := map[byte]string{'{': `"}`, '[': "{"}[line[0]]
	if next == "" {
		return inNote, false
	}
	line = bytes.TrimLeft(line[1:], " \t")
	switch {
	case len(line) == 0:
		return inNote, true
	case bytes.ContainsAny(line[:1], next):
		return inMessage, false
	}
	return inNote, false
}

// drop omits a piece of a line. If over is true, the line is complete, and drop passes its start to note.
func (m *messages) drop(piece []byte, over bool) {
	m.said = append(m.said, piece[:min(len(piece), maxNoteBytes-len(m.said))]...)
	if over && len(m.said) > 0 {
		m.note(bytes.TrimSpace(m.said))
		m.said = m.said[:0]
	}
}
