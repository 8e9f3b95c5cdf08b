package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/windieos/windie/internal/strictjson"
)

// Digest returns the SHA-256, in lower-case hex, of a tool's name and its arguments
// in canonical form: white space, escapes and the order of fields do not change it.
func Digest(tool string, arguments json.RawMessage) (string, error) {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	named := append(append(strconv.AppendInt((*buffer)[:0], int64(len(tool)), 10), ':'), tool...)
	text, err := appendCanonical(named, arguments)
	if err != nil {
		return "", err
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
// text escaped in one way, numbers as written; nil is null. It refuses what
// readers take for different things, so that nobody approves one and gets
// another: a field named twice in an object, and text that is not Unicode.
func Canonical(raw json.RawMessage) (json.RawMessage, error) { return appendCanonical(nil, raw) }

func appendCanonical(b []byte, raw json.RawMessage) ([]byte, error) {
	if len(raw) == 0 {
		return append(b, "null"...), nil
	}
	b, err := strictjson.AppendCanonical(b, raw, MaxDepth)
	switch {
	case err == nil:
		return b, nil
	case errors.Is(err, strictjson.ErrUTF8) || !json.Valid(raw):
		return nil, errNotJSON
	case errors.Is(err, strictjson.ErrTwice):
		return nil, errTwice
	case errors.Is(err, strictjson.ErrHalf):
		return nil, errHalf
	}
	return nil, errDeep
}
