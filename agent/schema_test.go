package agent_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/windieos/windie/agent"
	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

func TestSchemasAreChecked(t *testing.T) {
	t.Parallel()
	sized := func(n int) string {
		return `{"type":"object","description":"` + strings.Repeat("d", n-len(`{"type":"object","description":""}`)) + `"}`
	}
	valued := func(n int) string { return `{"type":"object","enum":[0` + strings.Repeat(",0", n-4) + `]}` }
	for _, tt := range []struct {
		name, schema string
		want         string // how the first field begins; "" for a schema that is taken
	}{
		{"of draft 2020-12", `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"a":{"prefixItems":[{"type":"null"}],"items":false}},"unevaluatedProperties":false}`, ""},
		{"of draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","definitions":{"a":{"type":"string"}},"properties":{"a":{"$ref":"#/definitions/a"}}}`, ""},
		{"with an address of its own", `{"$id":"https://example.com/s.json","type":"object","$defs":{"a":{"$anchor":"a"}},"properties":{"a":{"$ref":"s.json#a"}}}`, ""},
		{"with a type of several", `{"type":["object"]}`, ""},
		{"that holds itself", `{"type":"object","properties":{"child":{"$ref":"#"}}}`, ""},
		{"not JSON", `{"type":`, "input: expected valid JSON"},
		{"not an object", `[]`, "input: expected boolean or object, not array"},
		{"of any type", `true`, `input.type: expected "object"`},
		{"without a type", `{"properties":{}}`, `input.type: expected "object"`},
		{"of another type", `{"type":"string"}`, `input.type: expected "object"`},
		{"of more types", `{"type":["object","null"]}`, `input.type: expected "object"`},
		{"of a type that is none", `{"type":"object","properties":{"a":{"type":"strang"}}}`, `input.properties.a.type: expected one of "array", "boolean"`},
		{"with a bound that is none", `{"type":"object","minProperties":-1}`, "input.minProperties: expected a number >= 0"},
		{"with a pattern that is none", `{"type":"object","properties":{"a":{"pattern":"("}}}`, "input.properties.a.pattern: expected a regular expression"},
		{"with a pattern too large", `{"type":"object","properties":{"a":{"pattern":"` + strings.Repeat("[a-z]{1000}", 6) + `"}}}`, "input.properties.a.pattern: expected a regular expression"},
		{"that refers to nothing", `{"type":"object","$ref":"#/$defs/none"}`, "input: expected a JSON Schema without references to other documents"},
		{"in circles", `{"type":"object","$ref":"#"}`, "input: expected a schema without a $ref that leads back to itself"},
		{"in a wide circle", `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"allOf":[{"anyOf":[{"$ref":"#/$defs/a"}]}]}}}`, "input: expected a schema without a $ref that leads back to itself"},
		{"with a dynamic reference", `{"type":"object","$dynamicAnchor":"x","properties":{"a":{"$dynamicRef":"#x"}}}`, "input: expected a schema without $dynamicRef"},
		{"that names a field twice", `{"type":"object","type":"object"}`, "input: expected no duplicate fields"},
		{"of a dialect not known", `{"$schema":"https://example.com/dialect","type":"object"}`, "input: expected a JSON Schema without references to other documents"},
		{"the longest", sized(agent.MaxSchemaLen), ""},
		{"too long", sized(agent.MaxSchemaLen + 1), "input: expected at most 262144 bytes"},
		{"the widest", valued(agent.MaxSchemaValues), ""},
		{"too wide", valued(agent.MaxSchemaValues + 1), "input: expected at most 5000 values"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := agent.NewRegistry().Register(with(tt.schema, ""))
			if (err == nil) != (tt.want == "") || err != nil && fault.CodeOf(err) != sdkapi.ValidationError {
				t.Fatalf("%v\n%s", err, fields(err))
			}
			if got := fields(err); !strings.HasPrefix(got, tt.want) {
				t.Errorf("fields %q, not %q", got, tt.want)
			}
		})
	}
	both := with(`{"type":"strang"}`, `{"type":"strang"}`)
	if got := fields(agent.NewRegistry().Register(both)); !strings.Contains(got, "input.type: ") || !strings.Contains(got, "output.type: ") {
		t.Errorf("of two wrong schemas it says %q", got)
	}
}

// What a schema refers to is never read: not from the network, not from disk.
func TestSchemasFetchNothing(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("fetched %s", r.URL) }))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "canary.json")
	if err := os.WriteFile(file, []byte(`{"type":"strang-canary"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{server.URL + "/s.json", "file://" + file, file, "../../../../../.." + file, "https://json-schema.org/nothing"} {
		for _, keyword := range []string{"$ref", "$schema", "$dynamicRef"} {
			err := agent.NewRegistry().Register(with(fmt.Sprintf(`{"type":"object",%q:%q}`, keyword, ref), ""))
			wantCode(t, err, sdkapi.ValidationError)
			if strings.Contains(fields(err), "strang-canary") {
				t.Errorf("%s %s was read: %s", keyword, ref, fields(err))
			}
		}
	}
}

// TestHostileSchemas brings schemas, and values for them, that take a plain
// validator seconds, hours or for ever. They are refused by counting, not by
// a clock; those that are not stay just below the limit.
func TestHostileSchemas(t *testing.T) {
	t.Parallel()
	defs := `"d40":{"type":"object"}`
	for i := range 40 {
		defs += fmt.Sprintf(`,"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1)
	}
	numbers := "0"
	for i := range 4500 {
		numbers += fmt.Sprintf(",%d.5", i)
	}
	const tooMuch, large = "arguments: expected a smaller value: checking it against the schema takes more than 250000 steps", `(x+x+)+y`
	pattern := large + strings.Repeat("(a|b|c)?", 600)
	list := func(item string, n int) string { return `{"a":[` + item + strings.Repeat(","+item, n-1) + `]}` }
	for _, tt := range []struct{ name, schema, value, want string }{
		{"doubling in place", `"$ref":"#/$defs/d0","$defs":{` + defs + `}`, `{}`, tooMuch},
		{"a large pattern on much text", `"properties":{"a":{"pattern":"` + pattern + `"}}`, `{"a":"` + strings.Repeat("x", 1<<20-10) + `"}`, tooMuch},
		{"a large pattern on some text", `"properties":{"a":{"pattern":"` + pattern + `"}}`, `{"a":"` + strings.Repeat("x", 1000) + `"}`, "arguments.a: expected text that matches"},
		{"a large pattern on a long name", `"patternProperties":{"` + pattern + `":{}}`, `{"` + strings.Repeat("x", 1<<20-10) + `":1}`, tooMuch},
		{"a large enum of numbers", `"properties":{"a":{"items":{"enum":[` + numbers + `]}}}`, list("7.25", 100), tooMuch},
		{"many bounds on much text", `"properties":{"a":{"allOf":[` + strings.Repeat(`{"minLength":1},`, 2000) + `{}]}}`, `{"a":"` + strings.Repeat("x", 1<<20-10) + `"}`, tooMuch},
		{"many problems", `"properties":{"a":{"items":{"type":"string"}}}`, list("1", 90_000), "arguments.a[0]: expected string, not number"},
		{"many problems each", `"properties":{"a":{"items":{"allOf":[` + strings.Repeat(`{"type":"string"},`, 100) + `{}]}}}`, list("1", 2_400), "arguments.a[0]: expected string, not number"},
		{"more problems each", `"properties":{"a":{"items":{"allOf":[` + strings.Repeat(`{"type":"string"},`, 100) + `{}]}}}`, list("1", 2_600), tooMuch},
		{"unique items", `"properties":{"a":{"uniqueItems":true}}`, list("[[1]]", 30_000), "arguments.a: expected items that all differ"},
		{"texts to compile", `"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"format":"regex"}}`, `{"a":"` + strings.Repeat("(a|b)", 100_000) + `"}`, tooMuch},
		{"many schemas", `"properties":{"a":{}` + manyFields(2400) + `}`, `{}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := registered(t, with(`{"type":"object",`+tt.schema+`}`, ""))
			_, err := r.Invoke(t.Context(), "weather.get", agent.Call{Arguments: json.RawMessage(tt.value)})
			if got := fields(err); !strings.HasPrefix(got, tt.want) || (err == nil) != (tt.want == "") || strings.Contains(got, "[1000]") {
				t.Errorf("%s: %.300q, not %q", tt.name, got, tt.want)
			}
		})
	}
}

// manyFields returns properties to add to a schema.
func manyFields(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"f%d":{"type":"string"}`, i)
	}
	return b.String()
}

// A schema that holds itself is fine, as long as the work stays in bounds.
func TestRecursiveSchemas(t *testing.T) {
	t.Parallel()
	const tree = `{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#"}},"extra":{"$ref":"#"}},"additionalProperties":{"$ref":"#"}}`
	r := registered(t, with(tree, ""))
	leaf := `{"name":"leaf"}`
	folder := `{"name":"root","extra":` + strings.Repeat(`{"name":"x","extra":`, 100) + leaf + strings.Repeat("}", 101)
	for _, tt := range []struct {
		name, value string
		want        string
	}{
		{"a deep tree, whose fields are checked against one schema each", folder, ""},
		{"a small tree", `{"name":"root","children":[` + leaf + `,` + leaf + `]}`, ""},
		{"a wide tree", `{"name":"root","children":[` + leaf + strings.Repeat(","+leaf, 20_000) + `]}`, ""},
		{"a wrong leaf", `{"name":"root","children":[` + leaf + `,{"name":"x","children":[{}]}]}`, "arguments.children[1].children[0].name: expected this field, which is required"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := r.Invoke(t.Context(), "weather.get", agent.Call{Arguments: json.RawMessage(tt.value)})
			if got := fields(err); got != tt.want || (err == nil) != (tt.want == "") {
				t.Errorf("%s: %q: %v", tt.name, got, err)
			}
		})
	}
}

// TestFieldsAreBounded checks that an answer stays short, whoever chooses the
// names in it.
func TestFieldsAreBounded(t *testing.T) {
	t.Parallel()
	r := registered(t, with(`{"type":"object","additionalProperties":false,"properties":{"e":{"enum":["`+strings.Repeat("é", 10_000)+`"]}}}`, ""))
	long := strings.Repeat("é", 10_000)
	for name, value := range map[string]string{
		"many fields": `{"f":1` + strings.ReplaceAll(manyFields(5000), `{"type":"string"}`, "1") + `}`,
		"a long name": `{"` + long + `":1}`,
		"a long enum": `{"e":"` + long + `x"}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := r.Invoke(t.Context(), "weather.get", agent.Call{Arguments: json.RawMessage(value)})
			wantCode(t, err, sdkapi.ValidationError)
			if text := fields(err); len(text) > 2000 || strings.ContainsRune(text, '\uFFFD') || len(fault.From(err).Details.Fields) > 20 {
				t.Errorf("%s: %d bytes: %.300s", name, len(text), text)
			}
		})
	}
}

// TestEveryKeywordIsCounted has a schema for each keyword that holds others,
// so that the work doubles with each level of the value: 19 levels are over
// the limit, 13 are not.
func TestEveryKeywordIsCounted(t *testing.T) {
	t.Parallel()
	const twice = `{"allOf":[{"$ref":"#/$defs/n"},{"$ref":"#/$defs/n"}]}`
	const n = `{"$ref":"#/$defs/n"}`
	for _, tt := range []struct{ open, shut, keywords string }{
		{`{"a":`, `}`, `"properties":{"a":` + twice + `}`},
		{`{"a":`, `}`, `"patternProperties":{"^a":` + n + `,"a$":` + n + `}`},
		{`{"a":`, `}`, `"additionalProperties":` + twice},
		{`{"a":`, `}`, `"unevaluatedProperties":` + twice},
		{`{"a":`, `}`, `"properties":{"a":{"anyOf":[` + n + `,` + n + `]}}`},
		{`{"a":`, `}`, `"properties":{"a":{"oneOf":[` + n + `,` + n + `]}}`},
		{`{"a":`, `}`, `"properties":{"a":{"not":` + n + `,"allOf":[` + n + `]}}`},
		{`{"a":`, `}`, `"properties":{"a":{"if":` + n + `,"then":` + n + `}}`},
		{`{"a":`, `}`, `"properties":{"a":{"if":` + n + `,"else":` + n + `}}`},
		{`{"a":`, `}`, `"properties":{"a":{"dependentSchemas":{"a":` + twice + `}}}`},
		{`{"a":`, `}`, `"properties":{"a":{"dependencies":{"a":` + twice + `}}}`},
		{`[`, `]`, `"items":` + twice},
		{`[`, `]`, `"prefixItems":[` + twice + `]`},
		{`[`, `]`, `"contains":` + twice},
		{`[`, `]`, `"unevaluatedItems":` + twice},
		{`[`, `]`, `"items":[` + twice + `]`},
		{`[0,`, `]`, `"items":[true],"additionalItems":` + twice},
	} {
		t.Run(fmt.Sprintf("%.60q", tt.keywords), func(t *testing.T) {
			draft := "https://json-schema.org/draft/2020-12/schema"
			if strings.HasPrefix(tt.keywords, `"items":[`) || strings.Contains(tt.keywords, "dependencies") {
				draft = "http://json-schema.org/draft-07/schema"
			}
			schema := fmt.Sprintf(`{"$schema":%q,"type":"object","properties":{"v":%s},"$defs":{"n":{%s}}}`, draft, n, tt.keywords)
			r := registered(t, with(schema, ""))
			for levels, want := range map[int]bool{13: false, 19: true} {
				t.Run(fmt.Sprint(levels), func(t *testing.T) {
					value := `{"v":` + strings.Repeat(tt.open, levels) + "1" + strings.Repeat(tt.shut, levels) + `}`
					_, err := r.Invoke(t.Context(), "weather.get", agent.Call{Arguments: json.RawMessage(value)})
					if refused := strings.Contains(fields(err), "250000 steps"); refused != want {
						t.Errorf("%s, %d levels: refused %v: %.200s", tt.keywords, levels, refused, fields(err))
					}
				})
			}
		})
	}
}
