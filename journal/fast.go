package journal

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// Most arguments are plain: objects, texts without escapes, numbers. They have a
// canonical form that can be written while they are read, at a twentieth of what
// decoding them takes. Whatever is not plain is left to the decoder, also what
// is wrong: there is one place that refuses.

// plainDepth is how many objects and arrays appendPlain takes within each other.
const plainDepth = 32

// plain reads JSON from the left.
type plain struct{ rest []byte }

// appendPlain appends the canonical form of raw to b, and reports whether raw is
// plain. If not, what was appended is of no use.
func appendPlain(b, raw []byte) ([]byte, bool) {
	p := plain{rest: raw}
	b, ok := p.value(b, plainDepth)
	p.space()
	return b, ok && len(p.rest) == 0
}

func (p *plain) space() {
	i := 0
	for i < len(p.rest) && (p.rest[i] == ' ' || p.rest[i] == '\n' || p.rest[i] == '\t' || p.rest[i] == '\r') {
		i++
	}
	p.rest = p.rest[i:]
}

// next takes c, if it comes next.
func (p *plain) next(c byte) bool {
	p.space()
	if len(p.rest) == 0 || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// value appends the next value, which has room for so many others in it.
func (p *plain) value(b []byte, depth int) ([]byte, bool) {
	p.space()
	if len(p.rest) == 0 || depth == 0 {
		return b, false
	}
	switch p.rest[0] {
	case '"':
		return p.text(b)
	case '{':
		return p.object(b, depth-1)
	case '[':
		return p.array(b, depth-1)
	}
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(p.rest, []byte(word)) {
			p.rest = p.rest[len(word):]
			return append(b, word...), true
		}
	}
	return p.number(b)
}

// asIs tells which bytes of a text are written as they are.
var asIs = func() (table [256]bool) {
	for c := range table {
		table[c] = c >= ' ' && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&' && c < utf8.RuneSelf
	}
	return table
}()

// text appends a text of ASCII in which nothing is escaped, nor would be.
func (p *plain) text(b []byte) ([]byte, bool) {
	for i := 1; i < len(p.rest); i++ {
		if asIs[p.rest[i]] {
			continue
		}
		if p.rest[i] != '"' {
			return b, false
		}
		b = append(b, p.rest[:i+1]...)
		p.rest = p.rest[i+1:]
		return b, true
	}
	return b, false
}

// number appends a number, as -12.5e+3.
func (p *plain) number(b []byte) ([]byte, bool) {
	i := 0
	digits := func() bool {
		from := i
		for i < len(p.rest) && '0' <= p.rest[i] && p.rest[i] <= '9' {
			i++
		}
		return i > from
	}
	is := func(chars string) bool {
		if i < len(p.rest) && bytes.IndexByte([]byte(chars), p.rest[i]) >= 0 {
			i++
			return true
		}
		return false
	}
	is("-")
	if !is("0") && !digits() {
		return b, false
	}
	if is(".") && !digits() {
		return b, false
	}
	if is("eE") {
		is("+-")
		if !digits() {
			return b, false
		}
	}
	b = append(b, p.rest[:i]...)
	p.rest = p.rest[i:]
	return b, true
}

func (p *plain) array(b []byte, depth int) ([]byte, bool) {
	p.rest = p.rest[1:]
	b = append(b, '[')
	if p.next(']') {
		return append(b, ']'), true
	}
	for ; ; b = append(b, ',') {
		var ok bool
		if b, ok = p.value(b, depth); !ok {
			return b, false
		}
		if p.next(']') {
			return append(b, ']'), true
		}
		if !p.next(',') {
			return b, false
		}
	}
}

func (p *plain) object(b []byte, depth int) ([]byte, bool) {
	p.rest = p.rest[1:]
	b = append(b, '{')
	if p.next('}') {
		return append(b, '}'), true
	}
	var few [16]field
	var ok bool
	list := few[:0]
	for {
		f := field{from: len(b)}
		p.space()
		if len(p.rest) == 0 || p.rest[0] != '"' {
			return b, false
		}
		if b, ok = p.text(b); !ok || !p.next(':') {
			return b, false
		}
		f.colon = len(b)
		if b, ok = p.value(append(b, ':'), depth); !ok {
			return b, false
		}
		f.to = len(b)
		list = append(list, f)
		if p.next('}') {
			break
		}
		if !p.next(',') {
			return b, false
		}
		b = append(b, ',')
	}
	if b, ok = sortFields(b, list); !ok {
		return b, false
	}
	return append(b, '}'), true
}

// field is where b has a field of an object: its name up to the colon, and its
// value behind that.
type field struct{ from, colon, to int }

// sortFields puts the fields that b ends with in the order of their names. It
// reports whether each has a name of its own.
func sortFields(b []byte, list []field) ([]byte, bool) {
	// Without its closing mark a name is before those that it begins.
	compare := func(x, y field) int { return bytes.Compare(b[x.from:x.colon-1], b[y.from:y.colon-1]) }
	sorted := true
	for i := 1; i < len(list) && sorted; i++ {
		sorted = compare(list[i-1], list[i]) < 0
	}
	if sorted {
		return b, true
	}
	start := list[0].from
	slices.SortFunc(list, compare)
	again := make([]byte, 0, len(b)-start)
	for i, f := range list {
		if i > 0 {
			if compare(list[i-1], f) == 0 {
				return b, false
			}
			again = append(again, ',')
		}
		again = append(again, b[f.from:f.to]...)
	}
	return append(b[:start], again...), true
}
