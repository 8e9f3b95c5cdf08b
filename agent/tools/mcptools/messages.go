package mcptools

import (
	"bytes"
	"io"
)

// maxNoteBytes is how much of a line that is no message is logged.
const maxNoteBytes = 500

// messages passes on lines that may be messages. Servers print greetings and warnings
// there too, which other clients ignore.
type messages struct {
	r    io.Reader
	note func(line []byte) // gets the start of each line that is left out

	buf   []byte
	have  []byte // of buf, not looked at yet
	short bool   // whether what there is does not show yet if it is a message
	where place
	said  []byte // of the line that is left out
}

// place says what the next byte belongs to.
type place int

const (
	atStart place = iota // of a line
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

// next takes the rest of a line, and copies it if it is of a message.
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

// begins says what a line is that begins so: an object, or a list of objects, and no "[INFO] ready"; short if that does not
// show yet.
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

// drop leaves a piece of a line out, and logs the line when it is over.
func (m *messages) drop(piece []byte, over bool) {
	m.said = append(m.said, piece[:min(len(piece), maxNoteBytes-len(m.said))]...)
	if over && len(m.said) > 0 {
		m.note(bytes.TrimSpace(m.said))
		m.said = m.said[:0]
	}
}
