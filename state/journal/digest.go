package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Digest returns the SHA-256, in lower-case hex, of a tool's name and its arguments in canonical
// form. White space, escapes and the order of fields in the arguments do not change the digest.
func Digest(tool string, arguments json.RawMessage) (string, error) {
	text, err := Canonical(arguments)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d:%s%s", len(tool), tool, text))
	return hex.EncodeToString(sum[:]), nil
}

// MaxDepth is the maximum nesting of objects and arrays that Canonical accepts.
const MaxDepth = 1000

// Reasons for which Canonical refuses a text.
var (
	errNotJSON = errors.New("the text is not valid JSON in UTF-8")
	errTwice   = errors.New("the JSON has an object with a duplicate field")
	errHalf    = errors.New("the JSON has text with an unpaired surrogate")
	errDeep    = fmt.Errorf("the JSON has more than %d levels of nested objects and arrays", MaxDepth)
)

// Canonical returns JSON in one form: no white space, fields sorted by name, text escaped in one
// way, and numbers unchanged. For empty raw it returns null. It refuses JSON that different parsers
// can read differently: an object with a duplicate field, and text that is not Unicode. Otherwise,
// a person could approve one meaning, and a program could use another meaning.
func Canonical(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 {
		return json.RawMessage("null"), nil
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(raw))
	text, err := appendValue(make([]byte, 0, len(raw)), d)
	if err == nil {
		if _, err = d.ReadToken(); errors.Is(err, io.EOF) {
			return text, nil
		}
	}
	return nil, refusal(raw, err)
}

// refusal returns the reason for which Canonical refuses raw. err is the error of reading raw, or
// nil if a value was read but more text follows it.
func refusal(raw []byte, err error) error {
	switch {
	case !utf8.Valid(raw) || !json.Valid(raw):
		return errNotJSON
	case errors.Is(err, errDeep):
		return errDeep
	case errors.Is(err, jsontext.ErrDuplicateName):
		return errTwice
	default:
		return errHalf
	}
}

// appendValue appends the canonical form of the next value to text.
func appendValue(text []byte, d *jsontext.Decoder) ([]byte, error) {
	token, err := d.ReadToken()
	switch {
	case err != nil:
		return nil, err
	case d.StackDepth() > MaxDepth:
		return nil, errDeep
	}
	switch token.Kind() {
	case '{':
		return appendObject(text, d)
	case '[':
		return appendArray(text, d)
	case '"':
		return appendText(text, token.String()), nil
	default:
		return append(text, token.String()...), nil
	}
}

// appendArray appends the rest of an array, after its opening bracket was read.
func appendArray(text []byte, d *jsontext.Decoder) (_ []byte, err error) {
	text = append(text, '[')
	for i := 0; d.PeekKind() != ']'; i++ {
		if i > 0 {
			text = append(text, ',')
		}
		if text, err = appendValue(text, d); err != nil {
			return nil, err
		}
	}
	_, err = d.ReadToken()
	return append(text, ']'), err
}

// appendObject appends the rest of an object, after its opening brace was read. It sorts the fields
// by name.
func appendObject(text []byte, d *jsontext.Decoder) ([]byte, error) {
	type field struct {
		name  string
		value []byte
	}
	var fields []field
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		f := field{name: name.String()}
		if f.value, err = appendValue(nil, d); err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	slices.SortFunc(fields, func(a, b field) int { return strings.Compare(a.name, b.name) })
	text = append(text, '{')
	for i, f := range fields {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(appendText(text, f.name), ':'), f.value...)
	}
	_, err := d.ReadToken()
	return append(text, '}'), err
}

// appendText appends a string as encoding/json writes it.
func appendText(text []byte, s string) []byte {
	if strings.ContainsAny(s, "<>&") || strings.Contains(s, "\u2028") || strings.Contains(s, "\u2029") {
		quoted, _ := json.Marshal(s) // cannot fail
		return append(text, quoted...)
	}
	text, _ = jsontext.AppendQuote(text, s) // cannot fail: s is valid UTF-8
	return text
}
