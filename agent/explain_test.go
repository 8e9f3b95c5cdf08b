package agent_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/windieos/windie/agent"
)

// TestEveryKeywordIsExplained has one wrong value for each keyword of a schema.
func TestEveryKeywordIsExplained(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ schema, value, want string }{
		{`"const":{"b":[1]}`, `7`, `a: expected {"b":[1]}`},
		{`"minimum":2`, `1`, `a: expected a number >= 2`},
		{`"maximum":0.5`, `1`, `a: expected a number <= 0.5`},
		{`"exclusiveMinimum":1`, `1`, `a: expected a number > 1`},
		{`"exclusiveMaximum":1e30`, `1e30`, `a: expected a number < 1e+30`},
		{`"multipleOf":0.5`, `0.3`, `a: expected a multiple of 0.5`},
		{`"minLength":2`, `"é"`, `a: expected length >= 2`},
		{`"minItems":2`, `[1]`, `a: expected at least 2 items`},
		{`"uniqueItems":true`, `[1,1.0]`, `a: expected items that all differ`},
		{`"prefixItems":[true],"items":false`, `[1,2]`, `a[1]: expected nothing here`},
		{`"contains":{"const":1}`, `[2]`, `a: expected a different number of items that match the schema's contains`},
		{`"contains":{"const":1},"minContains":2`, `[1]`, `a: expected a different number of items that match the schema's contains`},
		{`"contains":{"const":1},"maxContains":1`, `[1,1]`, `a: expected a different number of items that match the schema's contains`},
		{`"minProperties":2`, `{"b":1}`, `a: expected at least 2 fields`},
		{`"maxProperties":0`, `{"b":1}`, `a: expected at most 0 fields`},
		{`"dependentRequired":{"b":["c"]}`, `{"b":1}`, `a.c: expected this field, which is required beside "b"`},
		{`"dependentSchemas":{"b":{"required":["c"]}}`, `{"b":1}`, `a.c: expected this field, which is required`},
		{`"propertyNames":{"maxLength":1}`, `{"bb":1}`, `a.bb: expected another name for this field`},
		{`"patternProperties":{"^b":{"type":"null"}}`, `{"bb":1}`, `a.bb: expected null, not number`},
		{`"unevaluatedProperties":false`, `{"b":1}`, `a.b: expected nothing here`},
		{`"not":{"type":"number"}`, `1`, `a: expected a value that the schema's not allows`},
		{`"if":{"type":"number"},"then":{"minimum":2}`, `1`, `a: expected a number >= 2`},
		{`"if":{"type":"number"},"else":{"minLength":2}`, `"x"`, `a: expected length >= 2`},
		{`"allOf":[{"type":"null"},{"type":"null"}]`, `1`, `a: expected null, not number`},
		{`"anyOf":[{"type":"null"},{"type":"object","properties":{"b":{"type":"string"}}}]`, `{"b":1}`, `a.b: expected string, not number`},
		{`"anyOf":[{"properties":{"op":{"const":1},"in":{"properties":{"k":{"const":5}}}}},{"properties":{"op":{"const":2}}}]`, `{"op":1,"in":{"k":6}}`, `a.in.k: expected 5`},
		{`"allOf":[{"minimum":2},{"multipleOf":2}]`, `1`, "a: expected a multiple of 2\narguments.a: expected a number >= 2"},
	} {
		t.Run(fmt.Sprintf("%.50q", tt.schema), func(t *testing.T) {
			r := registered(t, with(fmt.Sprintf(`{"type":"object","properties":{"a":{%s}}}`, tt.schema), ""))
			_, err := r.Invoke(t.Context(), "weather.get", agent.Call{Arguments: json.RawMessage(`{"a":` + tt.value + `}`)})
			if got := fields(err); got != "arguments."+tt.want {
				t.Errorf("%s for %s: %q, not %q", tt.value, tt.schema, got, tt.want)
			}
		})
	}
	older := registered(t, with(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{
		"email":{"format":"email"},"pair":{"items":[true],"additionalItems":false}},"dependencies":{"email":["pair"]}}`, ""))
	_, err := older.Invoke(t.Context(), "weather.get", agent.Call{Arguments: json.RawMessage(`{"email":"secret"}`)})
	if got, want := fields(err), "arguments.email: expected text of the format email\narguments.pair: expected this field, which is required beside \"email\""; got != want {
		t.Errorf("draft 7: %q, not %q", got, want)
	}
	_, err = older.Invoke(t.Context(), "weather.get", agent.Call{Arguments: json.RawMessage(`{"pair":[1,2]}`)})
	if got, want := fields(err), "arguments.pair: expected at most the items of the schema: remove 1"; got != want {
		t.Errorf("draft 7: %q, not %q", got, want)
	}
}
