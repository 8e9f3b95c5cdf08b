package anthropic

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/windieos/windie/models"
)

// formatOf returns the output format of a request. It returns nil if there is no format, or if the
// protocol cannot express it; the model then gets an instruction. The protocol has only schemas
// whose objects have fixed fields.
func formatOf(f *models.Format) object {
	if f == nil || len(f.Schema) == 0 {
		return nil
	}
	var schema any
	if json.Unmarshal(f.Schema, &schema) != nil {
		return nil
	}
	schema, ok := simplified(schema)
	if !ok {
		return nil
	}
	return object{"type": "json_schema", "schema": schema}
}

// keywords are the keywords that the protocol supports in a schema. It refuses a schema with other
// ones, such as minLength. The caller checks the answer against the whole schema.
var keywords = []string{
	"type", "properties", "required", "items", "enum", "const", "anyOf", "allOf", "oneOf", "$ref", "$defs", "definitions",
	"title", "description", "default", "additionalProperties",
}

// simplified returns a schema that has only the protocol's keywords and whose objects allow no
// further fields. ok is false if the schema has an object with fields of any name.
func simplified(schema any) (out any, ok bool) {
	from, isObject := schema.(map[string]any)
	if !isObject {
		return nil, false // true allows any value
	}
	to := maps.Clone(from)
	maps.DeleteFunc(to, func(key string, _ any) bool { return !slices.Contains(keywords, key) })
	if one, has := to["oneOf"]; has { // anyOf accepts the same answers and more
		if _, both := to["anyOf"]; both {
			return nil, false
		}
		to["anyOf"] = one
		delete(to, "oneOf")
	}
	_, fields := to["properties"].(map[string]any)
	if more := to["additionalProperties"]; more != nil && more != false && (!fields || more != true) {
		return nil, false
	}
	if to["type"] == "object" && !fields {
		return nil, false
	}
	if fields {
		to["additionalProperties"] = false
	}
	for key, value := range to {
		if to[key], ok = below(key, value); !ok {
			return nil, false
		}
	}
	return to, true
}

// below simplifies the schemas in the value of a keyword.
func below(keyword string, value any) (any, bool) {
	switch keyword {
	case "items":
		return simplified(value)
	case "properties", "$defs", "definitions":
		named, _ := value.(map[string]any)
		out := make(map[string]any, len(named))
		for name, schema := range named {
			simple, ok := simplified(schema)
			if !ok {
				return nil, false
			}
			out[name] = simple
		}
		return out, true
	case "anyOf", "allOf":
		list, _ := value.([]any)
		out := make([]any, len(list))
		for i, schema := range list {
			simple, ok := simplified(schema)
			if !ok {
				return nil, false
			}
			out[i] = simple
		}
		return out, true
	}
	return value, true
}
