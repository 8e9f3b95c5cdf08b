package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// Digest returns the digest of a call: SHA-256, in lower-case hex, of the
// tool's name and its arguments in canonical form. It is the same for arguments
// that differ in white space, escapes and the order of fields alone.
func Digest(tool string, arguments json.RawMessage) (string, error) {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	named := append(append(strconv.AppendInt((*buffer)[:0], int64(len(tool)), 10), ':'), tool...)
	text, ok := appendPlain(named, arguments)
	if !ok {
		canonical, err := Canonical(arguments)
		if err != nil {
			return "", err
		}
		text = append(named, canonical...)
	}
	if cap(text) <= maxBuffer {
		*buffer = text
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// buffers are for what is digested, of maxBuffer bytes at most.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const maxBuffer = 64 << 10

// MaxDepth is how many objects and arrays Canonical takes within each other.
const MaxDepth = 1000

// What Canonical does not take.
var (
	errNotJSON = errors.New("not valid JSON in UTF-8")
	errTwice   = errors.New("an object that names a field twice")
	errHalf    = errors.New("text with half of a surrogate pair")
	errDeep    = fmt.Errorf("more than %d objects and arrays within each other", MaxDepth)
)

// Canonical writes JSON in one form: no white space, fields sorted by name,
// text escaped in one way, numbers as they were written. Nil is null. It
// refuses what readers take for different things, so that nobody approves one
// and gets another: a field named twice in an object, and text that is not
// Unicode.
func Canonical(raw json.RawMessage) (json.RawMessage, error) {
	switch {
	case len(raw) == 0:
		return json.RawMessage(null), nil
	case !utf8.Valid(raw) || !json.Valid(raw):
		return nil, errNotJSON
	case hasHalf(raw):
		return nil, errHalf
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // 2^53+1 must not become 2^53
	value, err := decode(d, 0)
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// decode reads the next value, which lies in so many others.
func decode(d *json.Decoder, depth int) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	open, ok := token.(json.Delim)
	if !ok {
		return token, nil
	}
	if depth >= MaxDepth {
		return nil, errDeep
	}
	if open == '{' {
		return decodeObject(d, depth+1)
	}
	items := []any{}
	for d.More() {
		item, err := decode(d, depth+1)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	_, err = d.Token() // the bracket
	return items, err
}

func decodeObject(d *json.Decoder, depth int) (any, error) {
	fields := map[string]any{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string) // as it is in valid JSON
		if _, twice := fields[name]; twice {
			return nil, errTwice
		}
		if fields[name], err = decode(d, depth); err != nil {
			return nil, err
		}
	}
	_, err := d.Token() // the brace
	return fields, err
}

// hasHalf reports whether valid JSON has an escape for half of a character, as
// \ud83d alone. The decoder reads all of them as the same.
func hasHalf(raw []byte) bool {
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return false
		}
		raw = raw[i:]
		first, ok := escaped(raw)
		if !ok { // as \n
			raw = raw[2:]
			continue
		}
		raw = raw[6:]
		if !utf16.IsSurrogate(first) {
			continue
		}
		second, ok := escaped(raw)
		if !ok || utf16.DecodeRune(first, second) == utf8.RuneError {
			return true
		}
		raw = raw[6:]
	}
}

// escaped returns the character that raw begins with, if it is written as
// \u and four digits.
func escaped(raw []byte) (rune, bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	code, err := strconv.ParseUint(string(raw[2:6]), 16, 16)
	return rune(code), err == nil
}
