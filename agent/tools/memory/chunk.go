package memory

import (
	"strings"
	"unicode/utf8"

	"github.com/windieos/windie/internal/hashid"
)

// Sizes of chunks, in bytes. A chunk starts with the end of the chunk before it, so that a search finds a phrase across
// the border.
const (
	maxChunk = 1600
	overlap  = 240
)

// chunk is a passage of a file.
type chunk struct {
	start, end int // its lines, from 1
	text       string
}

// hash identifies the text of a chunk, so that an unchanged chunk stays in the index.
func (c chunk) hash() string { return hashid.Of(c.text, 16) }

// chunks splits a file at its headings. It splits long sections between lines, and long lines between words. Invalid
// UTF-8 becomes spaces, as does NUL, which databases do not store.
func chunks(file []byte) []chunk {
	text := strings.ReplaceAll(strings.ToValidUTF8(string(file), " "), "\x00", " ")
	c := chunker{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		if strings.HasPrefix(line, "#") {
			c.end()
		}
		for len(line) > 0 {
			piece := c.fitting(line)
			c.add(piece, number)
			line = line[len(piece):]
		}
	}
	c.end()
	return c.list
}

// chunker builds chunks from pieces of lines.
type chunker struct {
	list   []chunk
	b      strings.Builder
	start  int // line of the first piece
	last   int // line of the last piece
	lastAt int // start of the last piece in b
	begun  int // bytes of b that repeat the chunk before
}

// fitting returns the start of a line that fits into a chunk. It ends after a space if there is one in the second half.
func (c *chunker) fitting(line string) string {
	const most = maxChunk - overlap
	if len(line) <= most {
		return line
	}
	cut := most
	if space := strings.LastIndexByte(line[:most], ' '); space > most/2 {
		return line[:space+1]
	}
	for cut > most/2 && !utf8.RuneStart(line[cut]) {
		cut--
	}
	return line[:cut]
}

// add appends a piece of line number to the chunk. If the piece does not fit, it first ends the chunk.
func (c *chunker) add(piece string, number int) {
	if c.b.Len() == 0 {
		c.start = number
	} else if c.b.Len()+len(piece) > maxChunk {
		c.next()
	}
	c.last, c.lastAt = number, c.b.Len()
	c.b.WriteString(piece)
}

// next ends a chunk. It starts the next one with the end of the last piece, without half a word.
func (c *chunker) next() {
	text, line, at := c.b.String(), c.last, c.lastAt
	c.end()
	tail := text[max(at, len(text)-overlap):]
	if len(text)-overlap > at { // the tail starts within the piece, so leave out half a word
		_, tail, _ = strings.Cut(tail, " ")
	}
	tail = strings.ToValidUTF8(tail, "")
	c.b.WriteString(tail)
	c.begun, c.start, c.last, c.lastAt = len(tail), line, line, 0
}

// end ends a section. It adds no chunk for white space alone.
func (c *chunker) end() {
	if text := c.b.String(); strings.TrimSpace(text[c.begun:]) != "" {
		c.list = append(c.list, chunk{c.start, c.last, text})
	}
	c.b.Reset()
	c.begun = 0
}
