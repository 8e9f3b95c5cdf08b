package recorded

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Field is one of a JSON object, in whose order they stay.
type Field struct {
	Name  string
	Value json.RawMessage
}

// FieldsOf returns the fields of an object, and no fields if raw is not an object.
func FieldsOf(raw []byte) []Field {
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	var fields []Field
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil
		}
		f := Field{Name: name.(string)} //nolint:forcetypeassert // an object's names are strings
		if d.Decode(&f.Value) != nil {
			return nil
		}
		fields = append(fields, f)
	}
	return fields
}

// Quote writes a string as JSON that a person reads.
func Quote(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string is always JSON
	return strings.TrimSpace(b.String())
}
