package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/windieos/windie/internal/strictjson"
)

// Bounds of one JSON document: of arguments, an answer or a schema.
const (
	MaxDepth     = 128     // objects and arrays within each other
	MaxValues    = 100_000 // values in arguments and in an answer, at any depth
	MaxNumberLen = 64      // bytes of one number
	maxExponent  = 3       // digits of a number's exponent: checking 1e999999 would take seconds
)

// document is decoded JSON within the bounds.
type document struct {
	value  any // numbers are json.Number
	values int // at least as many as value holds
	bytes  int
}

// parse checks raw, of at most maxValues values, and decodes it if decode is set; else
// it needs almost no memory. An object with two fields of one name is refused: the tool
// could read the unchecked one. The error says what was expected, without quoting raw.
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

var (
	errDeep   = fmt.Errorf("at most %d objects and arrays within each other", MaxDepth)
	errNumber = fmt.Errorf("numbers of at most %d bytes and %d digits of exponent", MaxNumberLen, maxExponent)
)

type parser struct {
	strictjson.Reader
	values, most int // counted so far, and allowed
	decode       bool
}

// value reads one value, and returns it if decode is set.
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

// item reads value i of an object or array, which counted its first value.
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
