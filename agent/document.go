package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// What one JSON document may hold, whether arguments, an answer or a schema.
const (
	MaxDepth     = 128     // objects and arrays within each other
	MaxValues    = 100_000 // values in arguments and in an answer, at any depth
	MaxNumberLen = 64      // bytes of one number
	maxExponent  = 3       // digits of a number's exponent: checking 1e999999 would take seconds
)

// A document is JSON that keeps to the limits, decoded.
type document struct {
	value  any // numbers are json.Number
	values int // at least as many as value holds
	bytes  int
}

// parse reads raw, which may hold so many values at most, and decodes it if
// the value is needed. It refuses an object that names a field twice, since a
// tool might read the other one than was checked. Its error says what is wrong,
// without quoting raw. It is one pass, and without decoding takes next to no
// memory: each call of a tool goes through it.
func parse(raw []byte, maxValues int, decode bool) (document, error) {
	if !utf8.Valid(raw) {
		return document{}, errors.New("text in UTF-8")
	}
	var few [8][]byte // enough for most
	p := parser{raw: raw, most: maxValues, values: 1, decode: decode, names: few[:0]}
	value, err := p.value()
	if err != nil {
		return document{}, err
	}
	if p.next() != 0 || p.at < len(raw) {
		return document{}, errors.New("one JSON value")
	}
	return document{value: value, values: p.values, bytes: len(raw)}, nil
}

// What is wrong with a text, as what was expected of it.
var (
	errNotJSON = errors.New("valid JSON")
	errTwice   = errors.New("each field once")
	errDeep    = fmt.Errorf("at most %d objects and arrays within each other", MaxDepth)
	errNumber  = fmt.Errorf("numbers of at most %d bytes and %d digits of exponent", MaxNumberLen, maxExponent)
)

// parser reads JSON (RFC 8259) at at.
type parser struct {
	raw          []byte
	at           int
	depth        int
	values, most int // of values, at least as many as there are
	decode       bool
	names        [][]byte // of the fields of the open objects
}

// next skips white space and returns what follows, 0 at the end.
func (p *parser) next() byte {
	for ; p.at < len(p.raw); p.at++ {
		switch c := p.raw[p.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// value reads one value.
func (p *parser) value() (any, error) {
	switch c := p.next(); {
	case c == '{':
		return p.object()
	case c == '[':
		return p.array()
	case c == '"':
		text, err := p.text()
		if err != nil || !p.decode {
			return nil, err
		}
		return string(text), nil
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	}
	for _, w := range words {
		if bytes.HasPrefix(p.raw[p.at:], w.text) {
			p.at += len(w.text)
			return w.value, nil
		}
	}
	return nil, errNotJSON
}

// words are the values that are words.
var words = []struct {
	text  []byte
	value any
}{{[]byte("true"), true}, {[]byte("false"), false}, {[]byte("null"), nil}}

// open goes into an object or array.
func (p *parser) open() error {
	p.at++
	p.values++
	if p.depth++; p.depth > MaxDepth {
		return errDeep
	}
	return nil
}

// step goes to the next field or item, and tells whether there is none.
func (p *parser) step(end byte, first bool) (over bool, err error) {
	switch c := p.next(); {
	case c == end:
		p.at++
		p.depth--
		return true, nil
	case first:
		return false, nil
	case c != ',':
		return false, errNotJSON
	}
	p.at++
	if p.values++; p.values > p.most {
		return false, fmt.Errorf("at most %d values", p.most)
	}
	return false, nil
}

func (p *parser) object() (any, error) {
	if err := p.open(); err != nil {
		return nil, err
	}
	var fields map[string]any
	if p.decode {
		fields = map[string]any{}
	}
	seen := names{parser: p, from: len(p.names)}
	defer seen.forget()
	for first := true; ; first = false {
		if over, err := p.step('}', first); over || err != nil {
			return fields, err
		}
		name, err := seen.read()
		if err != nil {
			return nil, err
		}
		value, err := p.value()
		if err != nil {
			return nil, err
		}
		if p.decode {
			fields[string(name)] = value
		}
	}
}

func (p *parser) array() (any, error) {
	if err := p.open(); err != nil {
		return nil, err
	}
	items := []any{}
	for first := true; ; first = false {
		if over, err := p.step(']', first); over || err != nil {
			return items, err
		}
		value, err := p.value()
		if err != nil {
			return nil, err
		}
		if p.decode {
			items = append(items, value)
		}
	}
}

// names are the names of the fields of one object, on the parser's stack.
type names struct {
	parser *parser
	from   int
	set    map[string]bool // of all names, once there are many
}

// fewNames is up to how many names are looked through one by one.
const fewNames = 32

// read reads a name, which must be new, and the colon behind it.
func (n *names) read() ([]byte, error) {
	p := n.parser
	if p.next() != '"' {
		return nil, errNotJSON
	}
	name, err := p.text()
	if err != nil {
		return nil, err
	}
	if p.next() != ':' {
		return nil, errNotJSON
	}
	p.at++
	if n.has(name) {
		return nil, errTwice
	}
	p.names = append(p.names, name)
	return name, nil
}

func (n *names) has(name []byte) bool {
	own := n.parser.names[n.from:]
	if len(own) < fewNames {
		return slices.ContainsFunc(own, func(other []byte) bool { return bytes.Equal(name, other) })
	}
	if n.set == nil {
		n.set = map[string]bool{}
		for _, other := range own {
			n.set[string(other)] = true
		}
	}
	known := n.set[string(name)]
	n.set[string(name)] = true
	return known
}

func (n *names) forget() { n.parser.names = n.parser.names[:n.from] }

// text reads a string. What has no escapes is not copied.
func (p *parser) text() ([]byte, error) {
	start := p.at
	escaped := false
	for p.at++; p.at < len(p.raw); p.at++ {
		switch c := p.raw[p.at]; {
		case c == '"':
			p.at++
			if !escaped {
				return p.raw[start+1 : p.at-1], nil
			}
			var text string
			if json.Unmarshal(p.raw[start:p.at], &text) != nil {
				return nil, errNotJSON
			}
			return []byte(text), nil
		case c == '\\':
			escaped = true
			p.at++
		case c < ' ':
			return nil, errNotJSON
		}
	}
	return nil, errNotJSON
}

// number reads a number that is cheap to compute with.
func (p *parser) number() (any, error) {
	start := p.at
	for p.at < len(p.raw) && inNumber(p.raw[p.at]) {
		p.at++
	}
	text := p.raw[start:p.at]
	if !bounded(text) {
		return nil, errNumber
	}
	if !plainNumber(text) && !json.Valid(text) {
		return nil, errNotJSON
	}
	if !p.decode {
		return nil, nil
	}
	return json.Number(text), nil
}

// inNumber reports whether numbers are written with c.
func inNumber(c byte) bool {
	return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

// plainNumber reports whether a number is a small count, as most are: these
// need no closer look.
func plainNumber(number []byte) bool {
	for _, c := range number {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(number) == 1 || len(number) > 1 && number[0] != '0'
}

// bounded reports whether a number is cheap to compute with.
func bounded(number []byte) bool {
	exponent := 0
	if e := bytes.IndexAny(number, "eE"); e >= 0 {
		exponent = len(bytes.TrimLeft(number[e+1:], "+-"))
	}
	return len(number) <= MaxNumberLen && exponent <= maxExponent
}
