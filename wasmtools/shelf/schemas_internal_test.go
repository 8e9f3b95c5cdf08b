package shelf

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Each kind of change of a schema has its line; an equal schema has none.
func TestSchemaLines(t *testing.T) {
	t.Parallel()
	const before = `{"type":"object","required":["text"],"properties":{"text":{"type":"string","maxLength":10},"filter":{"type":"object","properties":{"since":{"type":"string"}}},"list":{"type":"array","items":{"type":"string"}}}}`
	for _, tt := range []struct {
		name, old, new string
		want           []string
	}{
		{"the same", `"maxLength":10`, `"maxLength": 10`, nil},
		{"a field became required", `"required":["text"]`, `"required":["text","list"]`, []string{"list: it is required now"}},
		{"a field is required no longer", `"required":["text"],`, ``, []string{"text: it is no longer required"}},
		{"a type changed", `"text":{"type":"string"`, `"text":{"type":"integer"`, []string{`text: type "integer", was "string"`}},
		{"a type within changed", `"since":{"type":"string"}`, `"since":{"type":"integer"}`, []string{`filter.since: type "integer", was "string"`}},
		{"the type of elements changed", `"items":{"type":"string"}`, `"items":{"type":"number"}`, []string{`list[]: type "number", was "string"`}},
		{"a limit went", `,"maxLength":10`, ``, []string{`text: maxLength nothing, was 10`}},
		{"a field is new", `"text":{`, `"at":{"type":"string"},"text":{`, []string{`at: a new field, {"type":"string"}`}},
		{"a field is gone", `"since":{"type":"string"}`, ``, []string{"filter.since: the field is gone"}},
		{"no schema any longer", before, ``, []string{"the whole: nothing, was " + before[:20]}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			after := strings.Replace(before, tt.old, tt.new, 1)
			got := schemaLines(json.RawMessage(before), json.RawMessage(after))
			if tt.old == before { // its text is cut
				if len(got) != 1 || !strings.HasPrefix(got[0], "the whole: nothing, was {") {
					t.Errorf("it has the lines %q", got)
				}
				return
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("it has the lines %q, want %q", got, tt.want)
			}
		})
	}
}

// At most maxSchemaLines differences are shown, and how many more there are.
func TestSchemaLinesAreBounded(t *testing.T) {
	t.Parallel()
	for _, more := range []int{0, 1} {
		fields := map[string]any{}
		for i := range maxSchemaLines + more {
			fields[fmt.Sprintf("f%02d", i)] = map[string]any{"type": "string"}
		}
		got := schemaLines(json.RawMessage(`{"properties":{}}`), jsonOf(map[string]any{"properties": fields}))
		if len(got) != maxSchemaLines+more || more == 1 && got[maxSchemaLines] != "and 1 more differences" {
			t.Errorf("with %d fields there are %d lines: %q", len(fields), len(got), got[len(got)-1])
		}
	}
}
