package shelf

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// maxSchemaLines limits the shown differences of a schema. A last line counts the rest.
const maxSchemaLines = 20

// schemaDiff collects the differences of two JSON schemas, a line each.
type schemaDiff struct{ lines []string }

// schemaLines returns the differences of two schemas, by field name.
func schemaLines(before, after json.RawMessage) []string {
	var was, is any
	// an empty or invalid schema is nil: then everything in the other differs
	_ = json.Unmarshal(before, &was)
	_ = json.Unmarshal(after, &is)
	var d schemaDiff
	d.compare("", was, is)
	if more := len(d.lines) - maxSchemaLines; more > 0 {
		d.lines = append(d.lines[:maxSchemaLines], fmt.Sprintf("and %d more differences", more))
	}
	return d.lines
}

// add records a difference at a path; an empty path is the whole schema.
func (d *schemaDiff) add(path, format string, args ...any) {
	if path == "" {
		path = "the whole"
	}
	d.lines = append(d.lines, path+": "+fmt.Sprintf(format, args...))
}

// compare compares two schemas at a path, for example "filter.since" or "list[]".
func (d *schemaDiff) compare(path string, was, is any) {
	before, isMap := was.(map[string]any)
	after, alsoMap := is.(map[string]any)
	if !isMap || !alsoMap {
		if !reflect.DeepEqual(was, is) {
			d.add(path, "%.300s, was %.300s", orNone(is), orNone(was))
		}
		return
	}
	keys := maps.Clone(before)
	maps.Copy(keys, after)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		switch key {
		case "properties":
			d.fields(path, before[key], after[key])
		case "required":
			d.required(path, before[key], after[key])
		case "items":
			d.compare(path+"[]", before[key], after[key])
		default:
			if !reflect.DeepEqual(before[key], after[key]) {
				d.add(path, "%s %.300s, was %.300s", key, orNone(after[key]), orNone(before[key]))
			}
		}
	}
}

// fields compares the properties of two schemas.
func (d *schemaDiff) fields(path string, was, is any) {
	before, _ := was.(map[string]any)
	after, _ := is.(map[string]any)
	all := maps.Clone(before)
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, after)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		old, had := before[name]
		now, has := after[name]
		at := strings.TrimPrefix(path+"."+name, ".")
		switch {
		case !had:
			d.add(at, "a new field, %.300s", orNone(now))
		case !has:
			d.add(at, "the field is gone")
		default:
			d.compare(at, old, now)
		}
	}
}

// required compares which fields are required.
func (d *schemaDiff) required(path string, was, is any) {
	before, after := texts(was), texts(is)
	for _, name := range after {
		if !slices.Contains(before, name) {
			d.add(strings.TrimPrefix(path+"."+name, "."), "it is required now")
		}
	}
	for _, name := range before {
		if !slices.Contains(after, name) {
			d.add(strings.TrimPrefix(path+"."+name, "."), "it is no longer required")
		}
	}
}

// texts returns the strings in a list.
func texts(v any) (list []string) {
	items, _ := v.([]any)
	for _, item := range items {
		if s, ok := item.(string); ok {
			list = append(list, s)
		}
	}
	return list
}

// orNone formats a part of a schema for people.
func orNone(v any) string {
	if v == nil {
		return "nothing"
	}
	return string(jsonOf(v))
}
