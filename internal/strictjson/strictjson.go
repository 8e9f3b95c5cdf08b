// Package strictjson reads JSON (RFC 8259) that all readers understand alike: it
// is UTF-8, and an object names each field once.
//
//	r, err := strictjson.New(raw, 100)
//	err = r.Object(func(i int, name []byte) error {
//		text, err := r.Text()
//		…
//	})
//	err = r.End()
//
// The caller asks for each value in turn; Kind returns the next one's kind. Nothing else is
// decoded.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// What a Reader expected and did not find.
var (
	ErrUTF8  = errors.New("text in UTF-8")
	ErrJSON  = errors.New("valid JSON")
	ErrMore  = errors.New("one JSON value")
	ErrTwice = errors.New("each field once")
	ErrDeep  = errors.New("fewer objects and arrays within each other")
	ErrHalf  = errors.New("no half of a surrogate pair") // AppendCanonical alone
)

// Reader reads one JSON value. After an error it must not be used.
type Reader struct {
	raw   []byte
	at    int
	room  int    // how many more objects and arrays may be opened within each other
	name  []byte // that Twice returns
	whole bool   // text with half of a surrogate pair is refused
}

// New returns a Reader of raw, which must not change meanwhile. At most depth
// objects and arrays may lie within each other.
func New(raw []byte, depth int) (Reader, error) {
	if !utf8.Valid(raw) {
		return Reader{}, ErrUTF8
	}
	return Reader{raw: raw, room: depth}, nil
}

// Kind skips white space and returns the first byte of the next value, which
// says of which kind it is; 0 at the end.
func (r *Reader) Kind() byte {
	for ; r.at < len(r.raw); r.at++ {
		if c := r.raw[r.at]; c > ' ' || c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
	}
	return 0
}

// End fails unless all was read.
func (r *Reader) End() error {
	if r.Kind(); r.at < len(r.raw) {
		return ErrMore
	}
	return nil
}

// take skips white space and c, if c comes next.
func (r *Reader) take(c byte) bool {
	if r.Kind() != c {
		return false
	}
	r.at++
	return true
}

// Array reads an array. It calls item with each value's index; item must read the value.
func (r *Reader) Array(item func(i int) error) error {
	for i := 0; ; i++ {
		if over, err := r.step('[', ']', i); over || err != nil {
			return err
		}
		if err := item(i); err != nil {
			return err
		}
	}
}

// fewNames is up to how many names are looked through one by one.
const fewNames = 32

// Object reads an object. It calls field behind each name with the field's index
// and its name; field must read the value.
func (r *Reader) Object(field func(i int, name []byte) error) error {
	var few [8][]byte // enough for most
	names := few[:0]
	var set map[string]bool // of all names, once there are many
	for i := 0; ; i++ {
		if over, err := r.step('{', '}', i); over || err != nil {
			return err
		}
		name, err := r.Text()
		if err != nil {
			return err
		}
		if !r.take(':') {
			return ErrJSON
		}
		if i == fewNames {
			set = setOf(names)
		}
		if set[string(name)] || set == nil && contains(names, name) {
			r.name = name
			return ErrTwice
		}
		if set == nil {
			names = append(names, name)
		} else {
			set[string(name)] = true
		}
		if err := field(i, name); err != nil {
			return err
		}
	}
}

// Twice returns the name that Object failed for with ErrTwice.
func (r *Reader) Twice() string { return string(r.name) }

func contains(names [][]byte, name []byte) bool {
	for _, other := range names {
		if bytes.Equal(name, other) {
			return true
		}
	}
	return false
}

func setOf(names [][]byte) map[string]bool {
	set := make(map[string]bool, 2*len(names))
	for _, name := range names {
		set[string(name)] = true
	}
	return set
}

// step goes to the value with index i of what stands between open and end, or past the end.
func (r *Reader) step(open, end byte, i int) (over bool, err error) {
	c := r.Kind()
	if i == 0 {
		if c != open {
			return false, ErrJSON
		}
		if r.room == 0 {
			return false, ErrDeep
		}
		r.room--
		r.at++
		c = r.Kind()
	}
	switch {
	case c == end:
		r.room++
		r.at++
		return true, nil
	case i > 0 && c != ',':
		return false, ErrJSON
	case i > 0:
		r.at++
	}
	return false, nil
}

// Text reads a string and returns it decoded. A string without escapes is not copied.
func (r *Reader) Text() ([]byte, error) {
	written, has, err := r.text()
	if err != nil {
		return nil, err
	}
	return r.decoded(written, has)
}

// decoded returns what a string says that text returned.
func (r *Reader) decoded(written []byte, has byte) ([]byte, error) {
	if has&escape == 0 {
		return written[1 : len(written)-1], nil
	}
	var text string
	switch {
	case json.Unmarshal(written, &text) != nil:
		return nil, ErrJSON
	case r.whole && hasHalf(written, text):
		return nil, ErrHalf
	}
	return []byte(text), nil
}

// The classes of bytes in a string, as bits.
const (
	mark    byte = 1 << iota // ends it
	escape                   // begins an escape
	control                  // must be escaped
	special                  // encoding/json escapes it, or may
)

// classes has the class of each byte, 0 for those that stand for themselves.
var classes = func() (table [256]byte) {
	for c := range table {
		switch {
		case c == '"':
			table[c] = mark
		case c == '\\':
			table[c] = escape
		case c < ' ':
			table[c] = control
		case c >= utf8.RuneSelf || strings.IndexByte("<>&", byte(c)) >= 0:
			table[c] = special
		}
	}
	return table
}()

// text reads a string and returns it as written, with its marks, and the classes of its bytes.
func (r *Reader) text() (written []byte, has byte, err error) {
	if r.Kind() != '"' {
		return nil, 0, ErrJSON
	}
	raw, start := r.raw, r.at
	for at := start + 1; at < len(raw); at++ {
		class := classes[raw[at]]
		if class == 0 {
			continue
		}
		has |= class
		switch class {
		case mark:
			r.at = at + 1
			return raw[start:r.at], has, nil
		case escape:
			at++
		case control:
			return nil, 0, ErrJSON
		}
	}
	return nil, 0, ErrJSON
}

// Scalar reads a number, true, false or null, and returns it as it is written.
func (r *Reader) Scalar() ([]byte, error) {
	r.Kind()
	rest := r.raw[r.at:]
	for _, word := range words {
		if bytes.HasPrefix(rest, word) {
			r.at += len(word)
			return rest[:len(word)], nil
		}
	}
	if !r.number() {
		return nil, ErrJSON
	}
	return rest[:len(rest)-len(r.raw)+r.at], nil
}

var words = [][]byte{[]byte("true"), []byte("false"), []byte("null")}

func (r *Reader) number() bool {
	r.one('-')
	if !r.one('0') && !r.digits() {
		return false
	}
	if r.one('.') && !r.digits() {
		return false
	}
	if r.one('e') || r.one('E') {
		_ = r.one('+') || r.one('-')
		return r.digits()
	}
	return true
}

// one reads c, if c comes next.
func (r *Reader) one(c byte) bool {
	if r.at == len(r.raw) || r.raw[r.at] != c {
		return false
	}
	r.at++
	return true
}

// digits reads digits, of which there must be one.
func (r *Reader) digits() bool {
	start := r.at
	for r.at < len(r.raw) && '0' <= r.raw[r.at] && r.raw[r.at] <= '9' {
		r.at++
	}
	return r.at > start
}
