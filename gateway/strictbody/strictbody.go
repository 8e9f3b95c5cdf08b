// Package strictbody refuses JSON bodies that two readers may understand
// differently.
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

// encoding/json takes the last of two fields of one name, and a field's name in
// any case: {"approved":false,"APPROVED":true} means yes to it, and no to another
// reader, a proxy or a person. So bodies are checked before they are decoded.

// ErrNotUTF8 is the error of a body that encoding/json would change silently.
var ErrNotUTF8 = errors.New("expected JSON in UTF-8")

// NotUTF8 is the message about such a body.
const NotUTF8 = "the body must be UTF-8"

// Format is JSON as huma's routes take it, in UTF-8 and with each field once and by its name, and as they write it, with lists that are never null.
var Format = huma.Format{
	Marshal: write,
	Unmarshal: func(raw []byte, v any) error {
		if !utf8.Valid(raw) {
			return ErrNotUTF8
		}
		if err := json.Unmarshal(raw, v); err != nil {
			return err
		}
		if _, first := v.(*any); first { // huma decodes a body twice: to hold it against the schema, which says more of what is wrong, and then into its type
			return nil
		}
		return CheckKeys(raw, reflect.TypeOf(v))
	},
}

// Check is what Format is for routes that read their bodies themselves: it refuses
// a text, to be decoded into v, that readers may understand differently. Text that
// is not JSON is left to the decoder.
func Check(raw []byte, v any) error {
	if !utf8.Valid(raw) {
		return fault.New("gateway.body", sdkapi.MalformedBody, NotUTF8).At("body", "%s", ErrNotUTF8)
	}
	if wrong := Wrong(raw, v); wrong != nil {
		return fault.New("gateway.body", sdkapi.ValidationError, "the request has invalid fields; details.fields lists them").
			At("body"+wrong.Path, "%s", wrong.Expected)
	}
	return nil
}

// Wrong returns what is wrong with the keys of a text that is to be decoded into
// v: nil for nothing, and for a text that is not JSON.
func Wrong(raw []byte, v any) (wrong *KeyError) {
	if json.Valid(raw) {
		errors.As(CheckKeys(raw, reflect.TypeOf(v)), &wrong)
	}
	return wrong
}

// KeyError is a key that an object must not have.
type KeyError struct{ Path, Expected string }

// KeyMark stands between the path and what was expected, as huma hands on only
// an error's text. fieldOf takes it apart.
const KeyMark = "\x1f"

// Error implements error.
func (e *KeyError) Error() string { return e.Path + KeyMark + e.Expected }

// CheckKeys returns a KeyError for valid JSON in which an object has a key twice, or a key that
// differs only in case from a field of t; in objects that t does not describe, only a key twice.
func CheckKeys(raw []byte, t reflect.Type) error {
	if !utf8.Valid(raw) {
		return &KeyError{"", ErrNotUTF8.Error()}
	}
	// What may be invalid is half of a surrogate pair as \ud83d alone, which is U+FFFD, as for encoding/json.
	w := keyWalk{jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowInvalidUTF8(true))}
	err := w.value(t)
	if twice := (*jsontext.SyntacticError)(nil); errors.As(err, &twice) && errors.Is(err, jsontext.ErrDuplicateName) {
		return w.wrong(twice.JSONPointer, "expected this field once")
	}
	return err
}

// keyWalk reads valid JSON.
type keyWalk struct{ *jsontext.Decoder }

// value reads one value, which is decoded into a t.
func (w keyWalk) value(t reflect.Type) error {
	t = plainType(t)
	begin, err := w.ReadToken()
	if err != nil {
		return err
	}
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
	default:
		return nil
	}
	_, err = w.ReadToken() // the end
	return err
}

// field reads a name and its value in a t.
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

// wrong returns the error at a place among those that are open.
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

// fieldType returns what the field of that name of a t is, nil for anything, or
// what was expected in its place.
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

// plainType returns what encoding/json decodes a t into by itself, nil where t has
// ways of its own, or is for anything.
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

// structFields has the fields of each struct that was asked about, by its type.
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
			continue // what is embedded lends its fields, which are listed too
		}
		if name == "" {
			name = f.Name
		}
		fields[name] = f.Type
	}
	structFields.Store(t, fields)
	return fields
}
