package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/windieos/windie/internal/strictjson"
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

// parse reads raw, which may hold maxValues values at most, and decodes it if
// the value is needed. It refuses an object that names a field twice, since a
// tool might read the other one than was checked. Its error says what was
// expected, without quoting raw. It is one pass, and without decoding takes next
// to no memory: each call of a tool goes through it.
func parse(raw []byte, maxValues int, decode bool) (document, error) {
	r, err := strictjson.New(raw, MaxDepth)
	if err != nil {
		return document{}, err
	}
	p := parser{Reader: r, most: maxValues, values: 1, decode: decode}
	value, err := p.value()
	if err == nil {
		err = p.End()
	}
	if errors.Is(err, strictjson.ErrDeep) {
		err = errDeep
	}
	if err != nil {
		return document{}, err
	}
	return document{value: value, values: p.values, bytes: len(raw)}, nil
}

// What was expected of a document besides what strictjson expects.
var (
	errDeep   = fmt.Errorf("at most %d objects and arrays within each other", MaxDepth)
	errNumber = fmt.Errorf("numbers of at most %d bytes and %d digits of exponent", MaxNumberLen, maxExponent)
)

// parser reads a document.
type parser struct {
	strictjson.Reader
	values, most int // of values, at least as many as there are
	decode       bool
}

// value reads one value, and returns it if it is to be decoded.
func (p *parser) value() (any, error) {
	switch p.Kind() {
	case '{':
		return p.object()
	case '[':
		return p.array()
	case '"':
		text, err := p.Text()
		if err != nil || !p.decode {
			return nil, err
		}
		return string(text), nil
	}
	scalar, err := p.Scalar()
	switch {
	case err != nil:
		return nil, err
	case scalar[0] == 't', scalar[0] == 'f':
		return scalar[0] == 't', nil
	case scalar[0] == 'n':
		return nil, nil
	case !bounded(scalar):
		return nil, errNumber
	case !p.decode:
		return nil, nil
	}
	return json.Number(scalar), nil
}

func (p *parser) object() (any, error) {
	var fields map[string]any
	if p.decode {
		fields = map[string]any{}
	}
	p.values++
	err := p.Object(func(i int, name []byte) error {
		value, err := p.item(i)
		if p.decode {
			fields[string(name)] = value
		}
		return err
	})
	return fields, err
}

func (p *parser) array() (any, error) {
	items := []any{}
	p.values++
	err := p.Array(func(i int) error {
		value, err := p.item(i)
		if p.decode {
			items = append(items, value)
		}
		return err
	})
	return items, err
}

// item reads the value with index i of an object or array. The first was counted
// when that was opened.
func (p *parser) item(i int) (any, error) {
	if i > 0 {
		if p.values++; p.values > p.most {
			return nil, fmt.Errorf("at most %d values", p.most)
		}
	}
	return p.value()
}

// bounded reports whether a number is cheap to compute with.
func bounded(number []byte) bool {
	exponent := 0
	if e := bytes.IndexAny(number, "eE"); e >= 0 {
		exponent = len(bytes.TrimLeft(number[e+1:], "+-"))
	}
	return len(number) <= MaxNumberLen && exponent <= maxExponent
}
