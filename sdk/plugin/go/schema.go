package plugin

import (
	"encoding"
	"encoding/json"
	"reflect"
	"time"
)

// Schema returns the JSON Schema of the struct T, in the form of a tool's input schema. The names
// of the fields follow encoding/json: the json tag names a field. The schema allows no other
// fields.
//
// A field is required unless its json tag has omitempty or omitzero, or the field has a default.
// The tag required, with the value true or false, overrides this rule. The following tags are also
// allowed, with the meaning of JSON Schema:
//
//	doc              the description of the field
//	default          the value when the field is absent, as JSON or plain text;
//	                 only for a tool's own arguments, not for nested structs
//	enum             the allowed values, separated by commas
//	examples         example values, separated by commas
//	minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf
//	minLength, maxLength, pattern, format
//	minItems, maxItems, uniqueItems
//	minProperties, maxProperties
//	nullable         true if the field may be null; default true for a pointer
//	                 without omitempty
//
// On a list, enum and the limits of numbers and texts apply to each item. Schema panics if T has no
// schema, for example because T contains itself. Schema also panics if a tag does not fit its
// field.
func Schema[T any]() json.RawMessage {
	return rootSchema[T]("Schema", false)
}

// inputSchema returns the schema of a tool's arguments, and their defaults. defaults is nil if
// there are none.
func inputSchema[In any](tool string) (schema, defaults json.RawMessage) {
	schema = rootSchema[In](tool, false)
	d, values := deriver{tool: tool}, map[string]any{}
	for _, f := range fields(reflect.TypeFor[In]()) {
		if text, ok := f.Tag.Lookup("default"); ok {
			name, _ := jsonName(f)
			values[name] = d.literal(f, deref(f.Type), text)
		}
	}
	if len(values) > 0 {
		defaults = mustMarshal(values)
	}
	return schema, defaults
}

// outputSchema returns the schema of a tool's result, or nil if Out is not structured.
func outputSchema[Out any](tool string) json.RawMessage {
	t := deref(reflect.TypeFor[Out]())
	if t == reflect.TypeFor[Result]() || t.Kind() == reflect.String {
		return nil
	}
	return rootSchema[Out](tool, true)
}

// rootSchema returns the schema of T for a tool. It panics if T is not a struct, or for an output also a map, or if T
// does not encode as a JSON object.
func rootSchema[T any](tool string, output bool) json.RawMessage {
	t := deref(reflect.TypeFor[T]())
	d := deriver{tool: tool, output: output}
	if t.Kind() != reflect.Struct && (!output || t.Kind() != reflect.Map) {
		d.fail(t, "must be a struct")
	}
	schema := d.of(t)
	if schema["type"] != "object" {
		d.fail(t, "must encode as a JSON object")
	}
	return mustMarshal(schema)
}

// deriver makes the schemas of one tool's types.
type deriver struct {
	tool   string
	output bool           // nil lists and maps are allowed, as null
	within []reflect.Type // the structs around the current type, outermost first
}

// fail panics because the type t cannot be used. what follows the type's name in the message.
func (d *deriver) fail(t reflect.Type, what string) {
	panic("plugin: tool " + d.tool + ": " + t.String() + " " + what)
}

// failField panics because the field f or one of its tags is invalid. what follows the field's name in the message.
func (d *deriver) failField(f reflect.StructField, what string) {
	panic("plugin: tool " + d.tool + ": field " + f.Name + " " + what)
}

var (
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
)

// of returns the schema of a type, without the rules of tags. It panics if the type has no JSON form.
func (d *deriver) of(t reflect.Type) map[string]any {
	t = deref(t)
	switch {
	case t == reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
	case reflect.PointerTo(t).Implements(jsonMarshaler):
		return map[string]any{} // json.RawMessage: any value
	case reflect.PointerTo(t).Implements(textMarshaler):
		return map[string]any{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return map[string]any{"type": "integer", "minimum": 0}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Interface:
		return map[string]any{}
	case reflect.Slice, reflect.Array:
		return d.list(t)
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": d.of(t.Elem())}
	case reflect.Struct:
		return d.object(t)
	}
	d.fail(t, "cannot be encoded as JSON")
	return nil
}

// list returns the schema of a slice or an array. A slice of bytes is a string in base64.
func (d *deriver) list(t reflect.Type) map[string]any {
	switch {
	case t.Elem().Kind() == reflect.Uint8 && t.Kind() == reflect.Slice:
		return map[string]any{"type": "string", "contentEncoding": "base64"}
	case t.Kind() == reflect.Array:
		return map[string]any{"type": "array", "items": d.of(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	}
	return map[string]any{"type": "array", "items": d.of(t.Elem())}
}

// object returns the schema of a struct. It panics if the struct contains itself.
func (d *deriver) object(t reflect.Type) map[string]any {
	for _, outer := range d.within {
		if outer == t {
			d.fail(t, "contains itself; use RawTool with your own schema")
		}
	}
	d.within = append(d.within, t)
	defer func() { d.within = d.within[:len(d.within)-1] }()

	properties, required := map[string]any{}, []string{}
	for _, f := range fields(t) {
		name, optional := jsonName(f)
		if properties[name] != nil {
			d.failField(f, "has the same name as another field: "+name)
		}
		if hasOption(f, "string") {
			d.failField(f, "has the JSON option string, which has no schema; remove the option, or use the type string")
		}
		if _, ok := f.Tag.Lookup("default"); ok && !d.output {
			optional = true
		}
		if text, ok := f.Tag.Lookup("required"); ok {
			optional = !d.yes(f, "required", text)
		}
		if !optional {
			required = append(required, name)
		}
		properties[name] = d.field(f)
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

// field returns the schema of a struct field, with the rules of its tags.
func (d *deriver) field(f reflect.StructField) map[string]any {
	schema := d.of(f.Type)
	inner := schema // the schema of one value
	if items, ok := schema["items"].(map[string]any); ok {
		inner = items
	}
	d.apply(f, schema, inner)
	_, omitted := jsonName(f)
	kind := f.Type.Kind()
	null := kind == reflect.Pointer && !omitted || d.output && !omitted && (kind == reflect.Slice || kind == reflect.Map)
	if text, ok := f.Tag.Lookup("nullable"); ok {
		null = d.yes(f, "nullable", text)
	}
	if typ, ok := schema["type"]; ok && null {
		schema["type"] = []any{typ, "null"}
		if enum, ok := schema["enum"].([]any); ok {
			schema["enum"] = append(enum, nil)
		}
	}
	return schema
}

// apply adds the rules of f's tags, except nullable and required. schema is the schema of the field. If the field is a
// list, inner is the schema of one item; otherwise it is schema.
func (d *deriver) apply(f reflect.StructField, schema, inner map[string]any) {
	if doc := f.Tag.Get("doc"); doc != "" {
		schema["description"] = doc
	}
	if text, ok := f.Tag.Lookup("default"); ok && !d.output {
		if len(d.within) > 1 {
			d.failField(f, "has a default, which is allowed only for fields of the arguments struct")
		}
		schema["default"] = d.literal(f, deref(f.Type), text)
	}
	for _, tag := range []string{"enum", "examples"} {
		if text, ok := f.Tag.Lookup(tag); ok {
			inner[tag] = d.literals(f, text)
		}
	}
	for _, tag := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"} {
		d.number(f, tag, inner, false)
	}
	for _, tag := range []string{"minLength", "maxLength"} {
		d.number(f, tag, inner, true)
	}
	for _, tag := range []string{"minItems", "maxItems", "minProperties", "maxProperties"} {
		d.number(f, tag, schema, true)
	}
	for _, tag := range []string{"pattern", "format"} {
		if text, ok := f.Tag.Lookup(tag); ok {
			inner[tag] = text
		}
	}
	if text, ok := f.Tag.Lookup("uniqueItems"); ok {
		schema["uniqueItems"] = d.yes(f, "uniqueItems", text)
	}
}
