package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits of one JSON document: arguments, an answer or a schema.
const (
	MaxDepth     = 128     // maximum depth of nested objects and arrays
	MaxValues    = 100_000 // maximum number of values in arguments or in an answer, at any depth
	MaxNumberLen = 64      // maximum length of one number, in bytes
	maxExponent  = 3       // digits of a number's exponent: checking 1e999999 would take seconds
)

// document is decoded JSON within the limits.
type document struct {
	value  any // numbers are json.Number
	values int // at least the number of values in value
	bytes  int // size of the JSON text
}

// parse checks raw, which may have at most maxValues values, and decodes it if decode is true. Without
// decode, parse needs almost no memory. It refuses an object with two fields of one name, because the
// tool might read the unchecked field. The error contains the expectation, but no part of raw.
func parse(raw []byte, maxValues int, decode bool) (document, error) {
	if !utf8.Valid(raw) {
		return document{}, errUTF8
	}
	// Invalid UTF-8 can only be half of a surrogate pair, such as \ud83d alone. It becomes U+FFFD,
	// as in encoding/json.
	decoder := decoders.Get().(*jsontext.Decoder)
	defer decoders.Put(decoder)
	decoder.Reset(bytes.NewBuffer(raw), jsontext.AllowInvalidUTF8(true))
	p := parser{Decoder: decoder, most: maxValues, values: 1, decode: decode}
	value, err := p.value()
	if err != nil {
		return document{}, err
	}
	if _, err := p.ReadToken(); !errors.Is(err, io.EOF) {
		return document{}, errMore
	}
	return document{value: value, values: p.values, bytes: len(raw)}, nil
}

// Expectations that parse reports as errors.
var (
	errUTF8   = errors.New("expected text in UTF-8")
	errJSON   = errors.New("expected valid JSON")
	errMore   = errors.New("expected one JSON value")
	errTwice  = errors.New("expected no duplicate fields")
	errDeep   = fmt.Errorf("expected at most %d levels of nested objects and arrays", MaxDepth)
	errNumber = fmt.Errorf("expected numbers of at most %d bytes, with an exponent of at most %d digits", MaxNumberLen, maxExponent)
)

// decoders has *jsontext.Decoder, which are larger than most arguments.
var decoders = sync.Pool{New: func() any { return new(jsontext.Decoder) }}

// parser is the state of one call of parse.
type parser struct {
	*jsontext.Decoder

	values, most int  // number of values so far, and its limit
	decode       bool // return the values
}

// token reads the next token: a name, the end of an object or array, or a value or its start.
func (p *parser) token() (jsontext.Token, error) {
	token, err := p.ReadToken()
	switch {
	case err == nil && p.StackDepth() > MaxDepth:
		err = errDeep
	case errors.Is(err, jsontext.ErrDuplicateName):
		err = errTwice
	case err != nil:
		err = errJSON
	}
	return token, err
}

// value reads one value. Without decode, the returned value has no meaning.
func (p *parser) value() (any, error) {
	token, err := p.token()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '{':
		return p.object()
	case '[':
		return p.array()
	case 't', 'f':
		return token.Bool(), nil
	case 'n':
		return nil, nil
	case '0':
		if number := token.String(); !bounded(number) {
			return nil, errNumber
		} else if p.decode {
			return json.Number(number), nil
		}
	case '"':
		if p.decode {
			return token.String(), nil
		}
	}
	return nil, nil
}

// object reads the fields and the end of an object whose start was read. Without decode, it returns a nil map.
func (p *parser) object() (any, error) {
	var fields map[string]any
	if p.decode {
		fields = map[string]any{}
	}
	p.values++
	for i := 0; p.PeekKind() != '}'; i++ {
		token, err := p.token()
		if err != nil {
			return nil, err
		}
		var name string
		if p.decode {
			name = token.String() // token is valid only until the next read
		}
		value, err := p.item(i)
		if err != nil {
			return nil, err
		}
		if p.decode {
			fields[name] = value
		}
	}
	_, err := p.token()
	return fields, err
}

// array reads the items and the end of an array whose start was read.
func (p *parser) array() (any, error) {
	items := []any{}
	p.values++
	for i := 0; p.PeekKind() != ']'; i++ {
		value, err := p.item(i)
		if err != nil {
			return nil, err
		}
		if p.decode {
			items = append(items, value)
		}
	}
	_, err := p.token()
	return items, err
}

// item reads element i of an object or array. It counts each element except the first, for which object and
// array have counted already.
func (p *parser) item(i int) (any, error) {
	if i > 0 {
		if p.values++; p.values > p.most {
			return nil, fmt.Errorf("expected at most %d values", p.most)
		}
	}
	return p.value()
}

// bounded reports whether computing with a number is cheap.
func bounded(number string) bool {
	exponent := 0
	if e := strings.IndexAny(number, "eE"); e >= 0 {
		exponent = len(strings.TrimLeft(number[e+1:], "+-"))
	}
	return len(number) <= MaxNumberLen && exponent <= maxExponent
}
