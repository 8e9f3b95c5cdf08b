// Package strictbody rejects JSON bodies that two parsers may understand differently. It also
// writes response bodies, with [] for nil slices.
package strictbody

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// If a field occurs twice, encoding/json uses the last one, and it matches names in any case. It
// reads {"approved":false,"APPROVED":true} as true, while a proxy or a person may read false. So
// bodies are checked before they are decoded.

// ErrNotUTF8 is the error for a body that is not UTF-8. encoding/json would replace the invalid
// bytes silently.
var ErrNotUTF8 = errors.New("expected JSON in UTF-8")

// NotUTF8 is the error message for a body that is not UTF-8.
const NotUTF8 = "the body must be UTF-8"

// Format is the JSON format of huma's routes. It rejects bodies that are not UTF-8, and bodies that
// CheckKeys rejects. It writes responses with [] for nil slices.
var Format = huma.Format{
	Marshal: write,
	Unmarshal: func(raw []byte, v any) error {
		if !utf8.Valid(raw) {
			return ErrNotUTF8
		}
		if err := json.Unmarshal(raw, v); err != nil {
			return err
		}
		// huma decodes a body twice: first into an any, for the schema check with its better
		// errors, then into its type.
		if _, first := v.(*any); first {
			return nil
		}
		return CheckKeys(raw, reflect.TypeOf(v))
	},
}

// Check applies the checks of Format to raw, a body that its route decodes into v without huma. It
// returns MALFORMED_BODY if raw is not UTF-8, and VALIDATION_ERROR if CheckKeys fails. It accepts
// text that is not JSON, because the decoder rejects such text.
func Check(raw []byte, v any) error {
	if !utf8.Valid(raw) {
		return fault.New("gateway.body", sdkapi.MalformedBody, NotUTF8).At("body", "%s", ErrNotUTF8)
	}
	if wrong := Wrong(raw, v); wrong != nil {
		return fault.New("gateway.body", sdkapi.ValidationError, "the request has invalid fields; details.fields lists the problems").
			At("body"+wrong.Path, "%s", wrong.Expected)
	}
	return nil
}

// Wrong returns the error for the first invalid key of a JSON text. The text must be UTF-8 and will
// be decoded into v. Wrong returns nil if all keys are valid or if raw is not JSON.
func Wrong(raw []byte, v any) (wrong *KeyError) {
	if json.Valid(raw) {
		errors.As(CheckKeys(raw, reflect.TypeOf(v)), &wrong)
	}
	return wrong
}

// KeyError is the error for a key that an object must not have. Path is the key's path below the
// body, for example ".items[0].name".
type KeyError struct{ Path, Expected string }

// KeyMark separates Path and Expected in the text of a KeyError. The text needs both, because huma
// passes on only the text of an error. The gateway's fieldOf splits the text again.
const KeyMark = "\x1f"

// Error implements error.
func (e *KeyError) Error() string { return e.Path + KeyMark + e.Expected }

// CheckKeys checks the keys of objects in raw, which must be valid JSON in UTF-8. It returns a
// KeyError if an object has the same key twice. It also returns a KeyError if a key equals a
// field of t except for upper and lower case. In objects that t does not describe, it checks only
// for repeated keys.
func CheckKeys(raw []byte, t reflect.Type) error {
	// AllowInvalidUTF8 only admits half of a surrogate pair, such as \ud83d alone, which
	// encoding/json replaces with U+FFFD.
	w := keyWalk{jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowInvalidUTF8(true))}
	err := w.value(t)
	if twice := (*jsontext.SyntacticError)(nil); errors.As(err, &twice) && errors.Is(err, jsontext.ErrDuplicateName) {
		return w.wrong(twice.JSONPointer, "expected this field once")
	}
	return err
}

// keyWalk checks the keys of valid JSON as it reads it.
type keyWalk struct{ *jsontext.Decoder }

// value reads one value, which will be decoded into type t; nil for any type.
func (w keyWalk) value(t reflect.Type) error {
	t = plainType(t)
	begin, err := w.ReadToken()
	switch begin.Kind() {
	case '{':
		for w.PeekKind() != '}' {
			if err := w.field(t); err != nil {
				return err
			}
		}
	case '[':
		var item reflect.Type
		if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
			item = t.Elem()
		}
		for w.PeekKind() != ']' {
			if err := w.value(item); err != nil {
				return err
			}
		}
	default: // a value that holds no others, or an error
		return err
	}
	_, err = w.ReadToken() // the closing bracket
	return err
}

// field reads a key and its value, in an object that will be decoded into type t.
func (w keyWalk) field(t reflect.Type) error {
	name, err := w.ReadToken()
	if err != nil {
		return err
	}
	within, expected := fieldType(t, name.String())
	if expected != "" {
		return w.wrong(w.StackPointer(), expected)
	}
	return w.value(within)
}

// wrong returns a KeyError for the key at a JSON pointer.
func (w keyWalk) wrong(at jsontext.Pointer, expected string) error {
	path, depth := "", 0
	for step := range at.Tokens() {
		depth++
		if within, _ := w.StackIndex(depth); within == '[' {
			path += "[" + step + "]"
		} else {
			path += "." + plain.Cut(step, 100)
		}
	}
	return &KeyError{path, expected}
}

// fieldType returns the type of the field name in t, or nil if any value fits. expected is the
// expectation for the error if the name differs from a field only in case.
func fieldType(t reflect.Type, name string) (within reflect.Type, expected string) {
	switch {
	case t == nil:
	case t.Kind() == reflect.Map:
		return t.Elem(), ""
	case t.Kind() == reflect.Struct:
		fields := fieldsOf(t)
		if within, known := fields[name]; known {
			return within, ""
		}
		for field := range fields {
			if strings.EqualFold(field, name) {
				return nil, "expected the exact field name " + field + ", in this case of letters"
			}
		}
	}
	return nil, ""
}

// plainType returns t without pointers if encoding/json decodes it as a struct, map, slice or
// array. Otherwise it returns nil: for a type with its own UnmarshalJSON, and for other kinds.
func plainType(t reflect.Type) reflect.Type {
	for ; t != nil; t = t.Elem() {
		if t.Implements(unmarshaler) || reflect.PointerTo(t).Implements(unmarshaler) {
			return nil
		}
		switch t.Kind() {
		case reflect.Pointer:
			continue
		case reflect.Struct, reflect.Map, reflect.Slice, reflect.Array:
			return t
		}
		return nil
	}
	return nil
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// structFields caches the results of fieldsOf, by type.
var structFields sync.Map

// fieldsOf returns the types of a struct's fields by their names in JSON.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	if known, ok := structFields.Load(t); ok {
		return known.(map[string]reflect.Type)
	}
	fields := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		tag := f.Tag.Get("json")
		name, _, _ := strings.Cut(tag, ",")
		if tag == "-" || !f.IsExported() || f.Anonymous && name == "" {
			continue // an embedded struct's fields are listed themselves
		}
		if name == "" {
			name = f.Name
		}
		fields[name] = f.Type
	}
	structFields.Store(t, fields)
	return fields
}
