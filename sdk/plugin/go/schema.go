package plugin

import (
	"encoding"
	"encoding/json"
	"reflect"
	"time"
)

// Schema returns the JSON Schema of a struct, as a tool with that struct has. Its fields
// follow encoding/json: a field is named by its json tag, and required without omitempty,
// omitzero or a default, unless the tag required says otherwise. Besides there are the tags
//
//	doc              what the field is
//	default          what it is when it is left out, as JSON or plain text; only of
//	                 a tool's own arguments, not within them
//	enum             what it may be, with commas between
//	examples         as enum
//	minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf
//	minLength, maxLength, pattern, format
//	minItems, maxItems, uniqueItems
//	minProperties, maxProperties
//	nullable         whether it may be null; true of a pointer without omitempty
//
// which mean what they mean in JSON Schema. On a list, enum and the bounds of a number or a
// text are for each of its items. No other fields are allowed. Schema panics for a struct that
// makes no schema, such as one that contains itself, and for a tag that does not fit its field.
func Schema[T any]() json.RawMessage {
	return rootSchema[T]("Schema", false)
}

// inputSchema returns the schema of a tool's arguments, and their defaults or nil.
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

// outputSchema returns the schema of a tool's answer, nil if that is no structure.
func outputSchema[Out any](tool string) json.RawMessage {
	t := deref(reflect.TypeFor[Out]())
	if t == reflect.TypeFor[Result]() || t.Kind() == reflect.String {
		return nil
	}
	return rootSchema[Out](tool, true)
}

func rootSchema[T any](tool string, output bool) json.RawMessage {
	t := deref(reflect.TypeFor[T]())
	d := deriver{tool: tool, output: output}
	if t.Kind() != reflect.Struct && (!output || t.Kind() != reflect.Map) {
		d.fail(t, "is no struct")
	}
	schema := d.of(t)
	if schema["type"] != "object" {
		d.fail(t, "makes no JSON object")
	}
	return mustMarshal(schema)
}

// deriver makes schemas of one tool's types.
type deriver struct {
	tool   string
	output bool           // whether nil lists and maps may be answered, as null
	within []reflect.Type // the structs that a type is in, outermost first
}

func (d *deriver) fail(t reflect.Type, what string) {
	panic("plugin: tool " + d.tool + ": " + t.String() + " " + what)
}

func (d *deriver) failField(f reflect.StructField, what string) {
	panic("plugin: tool " + d.tool + ": field " + f.Name + " " + what)
}

var (
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
)

func (d *deriver) of(t reflect.Type) map[string]any {
	t = deref(t)
	switch {
	case t == reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
	case reflect.PointerTo(t).Implements(jsonMarshaler):
		return map[string]any{} // as json.RawMessage: it may be anything
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
	d.fail(t, "has no JSON")
	return nil
}

func (d *deriver) list(t reflect.Type) map[string]any {
	switch {
	case t.Elem().Kind() == reflect.Uint8 && t.Kind() == reflect.Slice:
		return map[string]any{"type": "string", "contentEncoding": "base64"}
	case t.Kind() == reflect.Array:
		return map[string]any{"type": "array", "items": d.of(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	}
	return map[string]any{"type": "array", "items": d.of(t.Elem())}
}

func (d *deriver) object(t reflect.Type) map[string]any {
	for _, outer := range d.within {
		if outer == t {
			d.fail(t, "contains itself; use RawTool, with a schema of your own")
		}
	}
	d.within = append(d.within, t)
	defer func() { d.within = d.within[:len(d.within)-1] }()

	properties, required := map[string]any{}, []string{}
	for _, f := range fields(t) {
		name, optional := jsonName(f)
		if properties[name] != nil {
			d.failField(f, "has the name of another: "+name)
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

// field returns the schema of a struct's field, with what its tags say.
func (d *deriver) field(f reflect.StructField) map[string]any {
	schema := d.of(f.Type)
	inner := schema // what bounds one value
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

func (d *deriver) apply(f reflect.StructField, schema, inner map[string]any) {
	if doc := f.Tag.Get("doc"); doc != "" {
		schema["description"] = doc
	}
	if text, ok := f.Tag.Lookup("default"); ok && !d.output {
		if len(d.within) > 1 {
			d.failField(f, "has a default, which only the arguments themselves may have")
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
