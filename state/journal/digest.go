package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Digest returns the SHA-256, in lower-case hex, of a tool's name and its arguments
// in canonical form: white space, escapes and the order of fields do not change it.
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
	errNotJSON = errors.New("not valid JSON in UTF-8")
	errTwice   = errors.New("an object that names a field twice")
	errHalf    = errors.New("text with half of a surrogate pair")
	errDeep    = fmt.Errorf("more than %d objects and arrays within each other", MaxDepth)
)

// Canonical returns JSON in one form: no white space, fields sorted by name, text escaped in one
// way, and numbers unchanged. For empty raw it returns null. It refuses JSON that parsers read
// differently, so that nobody approves one meaning and gets another: a field named twice in an
// object, and text that is not Unicode.
func Canonical(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 {
		return json.RawMessage("null"), nil
	}
	if err := checkAlike(raw); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, errNotJSON // unreachable
	}
	return json.Marshal(value)
}

// checkAlike returns the reason why Canonical refuses raw, or nil if it accepts it.
func checkAlike(raw []byte) error {
	for d := jsontext.NewDecoder(bytes.NewBuffer(raw)); ; {
		_, err := d.ReadToken()
		switch {
		case err == nil && d.StackDepth() <= MaxDepth:
		case !utf8.Valid(raw) || !json.Valid(raw):
			return errNotJSON
		case errors.Is(err, io.EOF):
			return nil
		case err == nil:
			return errDeep
		case errors.Is(err, jsontext.ErrDuplicateName):
			return errTwice
		default:
			return errHalf
		}
	}
}
