package mcptools

import (
	"encoding/json"
	"testing"
)

// A field with a default is not required, wherever it is; all else of a schema stays.
func TestFieldsWithDefaultsAreNotRequired(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		`true`:            `true`,
		`null`:            `null`,
		`{"required":1}`:  `{"required":1}`,
		`{"required":[]}`: `{"required":[]}`,
		`{"properties":{"a":{"default":"x"},"b":{}},"required":["a","b","c"],"type":"object"}`:                               `{"properties":{"a":{"default":"x"},"b":{}},"required":["b","c"],"type":"object"}`,
		`{"properties":{"a":{"default":null}},"required":["a"]}`:                                                             `{"properties":{"a":{"default":null}},"required":[]}`,
		`{"properties":{"required":{"default":1},"big":{"const":12345678901234567890},"any":true},"required":["big","any"]}`: `{"properties":{"any":true,"big":{"const":12345678901234567890},"required":{"default":1}},"required":["big","any"]}`,
		`{"enum":[{"properties":{"a":{"default":1}},"required":["a"]}],"properties":{"a":{"const":{"required":["b"]}}}}`:     `{"enum":[{"properties":{"a":{"default":1}},"required":["a"]}],"properties":{"a":{"const":{"required":["b"]}}}}`,
	} {
		t.Run(schema, func(t *testing.T) {
			if got := string(withoutNeed(json.RawMessage(schema))); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// A required field with a default that was left out is given; nothing else changes.
func TestDefaultsAreFilledIn(t *testing.T) {
	t.Parallel()
	const schema = `{"properties":{"a":{"default":{"x":1}},"b":{"default":2},"c":{"properties":{"d":{"default":null}},"required":["d"]},"e":true},"required":["a","c","e"]}`
	for arguments, want := range map[string]string{
		`{}`:                              `{"a":{"x":1}}`,
		`{"a":1,"c":{},"e":1e2}`:          `{"a":1,"c":{"d":null},"e":1e2}`,
		`{"a":null,"c":[],"other":{}}`:    `{"a":null,"c":[],"other":{}}`,
		`{"a":1,"c":{"d":"<"},"e":"x y"}`: `{"a":1,"c":{"d":"\u003c"},"e":"x y"}`,
		`null`:                            `null`,
		``:                                ``,
	} {
		t.Run(arguments, func(t *testing.T) {
			if got := string(withDefaults(json.RawMessage(schema), json.RawMessage(arguments))); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}
