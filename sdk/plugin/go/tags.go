package plugin

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// fields lists the fields of a struct that encoding/json writes, including fields of embedded structs. It returns
// nil if t is not a struct.
func fields(t reflect.Type) []reflect.StructField {
	t = deref(t)
	if t.Kind() != reflect.Struct {
		return nil
	}
	var all []reflect.StructField
	for _, f := range reflect.VisibleFields(t) {
		embedded := f.Anonymous && deref(f.Type).Kind() == reflect.Struct && f.Tag.Get("json") == ""
		if f.IsExported() && !embedded && f.Tag.Get("json") != "-" {
			all = append(all, f)
		}
	}
	return all
}

// jsonName returns a field's name in JSON. optional is true if the field has omitempty or omitzero.
func jsonName(f reflect.StructField) (name string, optional bool) {
	name, _, _ = strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		name = f.Name
	}
	return name, hasOption(f, "omitempty") || hasOption(f, "omitzero")
}

// hasOption reports whether a field's JSON tag has an option.
func hasOption(f reflect.StructField, option string) bool {
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	for _, one := range strings.Split(options, ",") {
		if one == option {
			return true
		}
	}
	return false
}

// deref returns the type that t points to, through any number of pointers.
func deref(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// yes reads a tag whose value is true or false. It panics for any other value.
func (d *deriver) yes(f reflect.StructField, tag, text string) bool {
	value, err := strconv.ParseBool(text)
	if err != nil {
		d.failField(f, "has the tag "+tag+" of "+strconv.Quote(text)+"; expected true or false")
	}
	return value
}

// number copies a numeric tag into schema. It panics if the tag is not a number. If whole is set, it also panics
// if the number is negative or not an integer.
func (d *deriver) number(f reflect.StructField, tag string, schema map[string]any, whole bool) {
	text, ok := f.Tag.Lookup(tag)
	if !ok {
		return
	}
	_, err := strconv.ParseFloat(text, 64)
	if whole {
		_, err = strconv.ParseUint(text, 10, 32)
	}
	if err != nil || !json.Valid([]byte(text)) {
		d.failField(f, "has the tag "+tag+" of "+strconv.Quote(text)+"; expected a valid number")
	}
	schema[tag] = json.Number(text)
}

// literals reads a tag that lists values of the field, or of its items.
func (d *deriver) literals(f reflect.StructField, text string) []any {
	t := deref(f.Type)
	if t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		t = deref(t.Elem())
	}
	var all []any
	for _, one := range strings.Split(text, ",") {
		all = append(all, d.literal(f, t, strings.TrimSpace(one)))
	}
	return all
}

// literal reads a value of type t from a tag: JSON, or plain text for a string.
func (d *deriver) literal(f reflect.StructField, t reflect.Type, text string) any {
	value := reflect.New(t)
	source := []byte(text)
	if t.Kind() == reflect.String {
		source = mustMarshal(text)
	}
	if err := json.Unmarshal(source, value.Interface()); err != nil {
		d.failField(f, "has a tag with the value "+strconv.Quote(text)+", which is no "+t.String())
	}
	return json.RawMessage(source)
}

// mustMarshal encodes a value that always encodes.
func mustMarshal(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic("plugin: " + err.Error())
	}
	return text
}
