package mcp

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"

	"github.com/windieos/windie/agent"
)

// maxNesting is the maximum depth of a plain schema. A deeper part allows any value.
const maxNesting = 16

// farAway is the limit of coordinates, which lie far outside of every image. It costs more tokens than it
// explains.
const farAway = "1000000"

// forHTTP is a sentence about routes that are not tools.
const forHTTP = " find-text-candidates and inspect also list the other matches."

// plainSchema returns a schema of a built-in tool in the few keywords that all clients and model providers
// accept: without references, lists of types, formats and examples. The registry still checks values
// against the whole schema. Schemas of other tools stay as they are.
func plainSchema(d agent.Descriptor, schema json.RawMessage) json.RawMessage {
	decoder := json.NewDecoder(bytes.NewReader(schema))
	decoder.UseNumber()
	var root map[string]any
	if d.Origin.Kind != agent.Builtin || decoder.Decode(&root) != nil || root == nil {
		return schema
	}
	defs, _ := root["$defs"].(map[string]any)
	delete(root, "$defs")
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(plainPart(root, defs, 0)) != nil {
		return schema // unreachable: it was decoded from JSON
	}
	return bytes.TrimSpace(out.Bytes())
}

// plainPart makes one part of a schema plain.
func plainPart(part, defs map[string]any, depth int) map[string]any {
	if depth > maxNesting {
		return map[string]any{}
	}
	if ref, ok := part["$ref"].(string); ok {
		if def, ok := defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any); ok {
			whole := maps.Clone(def)
			maps.Copy(whole, part)
			delete(whole, "$ref")
			return plainPart(whole, defs, depth+1)
		}
	}
	plain := map[string]any{}
	for keyword, value := range part {
		switch v := value.(type) {
		case json.Number:
			if v == farAway || v == "-"+farAway {
				continue
			}
		case []any:
			if keyword == "examples" {
				continue
			}
			if keyword == "type" {
				value = firstType(v)
			}
		case map[string]any:
			if keyword == "properties" {
				value = plainProperties(v, defs, depth)
			} else {
				value = plainPart(v, defs, depth+1)
			}
		case string:
			if keyword == "patternDescription" || keyword == "format" || keyword == "pattern" && part["patternDescription"] != nil {
				continue
			}
			if keyword == "description" {
				value = strings.ReplaceAll(v, forHTTP, "")
			}
		}
		plain[keyword] = value
	}
	if plain["type"] == "object" && plain["properties"] == nil {
		plain["properties"] = map[string]any{}
	}
	return plain
}

// plainProperties makes the schemas of an object's fields plain. The keys are names, not keywords.
func plainProperties(properties, defs map[string]any, depth int) map[string]any {
	plain := map[string]any{}
	for name, property := range properties {
		if part, ok := property.(map[string]any); ok {
			property = plainPart(part, defs, depth+1)
		}
		plain[name] = property
	}
	return plain
}

// firstType returns the first type of a list that is not null.
func firstType(types []any) any {
	for _, t := range types {
		if t != "null" {
			return t
		}
	}
	return "null"
}
