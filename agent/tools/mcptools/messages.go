package mcptools

import (
	"bytes"
	"io"
)

// maxNoteBytes limits the logged part of a line that is not a message.
const maxNoteBytes = 500

// messages passes on lines that may be messages. Servers also print greetings and warnings there,
// which other clients ignore.
type messages struct {
	r    io.Reader
	note func(line []byte) // gets the start of each omitted line

	buf   []byte
	have  []byte // part of buf that was not examined
	short bool   // whether have is too short to show whether it is a message
	where place
	said  []byte // start of the omitted line
}

// place is the kind of line that the next byte belongs to.
type place int

const (
	atStart place = iota // at the start of a line
	inMessage
	inNote
)

func newMessages(r io.Reader, note func([]byte)) *messages {
	return &messages{r: r, note: note, buf: make([]byte, 32<<10)}
}

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

// next takes the rest of a line, and copies it if it belongs to a message.
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

// begins returns the kind of a line by its start: a message is an object or a list of objects,
// unlike "[INFO] ready". short is true if line is too short to show whether it is one.
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

// drop omits a piece of a line, and logs the line when over is true.
func (m *messages) drop(piece []byte, over bool) {
	m.said = append(m.said, piece[:min(len(piece), maxNoteBytes-len(m.said))]...)
	if over && len(m.said) > 0 {
		m.note(bytes.TrimSpace(m.said))
		m.said = m.said[:0]
	}
}
