package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// parse decodes raw, which may hold so many values at most. It refuses an
// object that names a field twice, since a tool might read the other one than
// was checked. Its error says what is wrong, without quoting raw.
func parse(raw []byte, maxValues int) (document, error) {
	size, err := measure(raw)
	switch {
	case err != nil:
		return document{}, err
	case size.values > maxValues:
		return document{}, fmt.Errorf("at most %d values", maxValues)
	case !utf8.Valid(raw):
		return document{}, errors.New("text in UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return document{}, errors.New("valid JSON")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return document{}, errors.New("one JSON value")
	}
	if fieldsIn(value) != size.fields {
		return document{}, errors.New("each field once")
	}
	return document{value: value, values: size.values, bytes: len(raw)}, nil
}

// extent is how much a text holds, should it be JSON.
type extent struct {
	values int // at least as many as there are
	fields int // the fields of all objects, also those named twice
}

// measure looks at raw without decoding it, so that what is over a limit
// costs no memory. Text that is no JSON gives any extent.
func measure(raw []byte) (extent, error) {
	size, depth := extent{values: 1}, 0
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; c {
		case '"':
			i = endOfString(raw, i)
		case '{', '[':
			depth++
			size.values++
			if depth > MaxDepth {
				return size, fmt.Errorf("at most %d objects and arrays within each other", MaxDepth)
			}
		case '}', ']':
			depth--
		case ',':
			size.values++
		case ':':
			size.fields++
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			end := endOfNumber(raw, i)
			if !bounded(raw[i:end]) {
				return size, fmt.Errorf("numbers of at most %d bytes and %d digits of exponent", MaxNumberLen, maxExponent)
			}
			i = end - 1
		}
	}
	return size, nil
}

// endOfString returns where the string that begins at i has its last quote.
func endOfString(raw []byte, i int) int {
	for i++; i < len(raw) && raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i
}

// endOfNumber returns the index after the number that begins at i.
func endOfNumber(raw []byte, i int) int {
	for i < len(raw) && bytes.IndexByte([]byte("+-.0123456789eE"), raw[i]) >= 0 {
		i++
	}
	return i
}

// bounded reports whether a number is cheap to compute with.
func bounded(number []byte) bool {
	exponent := 0
	if e := bytes.IndexAny(number, "eE"); e >= 0 {
		exponent = len(bytes.TrimLeft(number[e+1:], "+-"))
	}
	return len(number) <= MaxNumberLen && exponent <= maxExponent
}

// fieldsIn counts the fields of all objects in value.
func fieldsIn(value any) int {
	n := 0
	switch v := value.(type) {
	case map[string]any:
		n = len(v)
		for _, child := range v {
			n += fieldsIn(child)
		}
	case []any:
		for _, child := range v {
			n += fieldsIn(child)
		}
	}
	return n
}
