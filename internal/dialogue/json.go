package dialogue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// tolerance says how far a number may be from the recorded one, by the name of its field.
var tolerance = map[string]float64{
	"x": 3, "y": 3, "width": 3, "height": 3, // pixels
	"confidence": 0.3, "score": 0.005,
	"size_bytes": 3000, // of a picture with boxes drawn on it
	"uptime_ms":  math.Inf(1), "execution_time": math.Inf(1),
}

// elided is a recorded value that may be any, or the only one in a list that may be any.
const elided = "…"

// SameJSON returns the first difference between two JSON texts, or "". Strings
// are compared by same, so that a recorded one may hold placeholders.
func SameJSON(want, got string, same func(want, got string) bool) string {
	var w, g any
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		return fmt.Sprintf("what is recorded is not JSON: %v", err)
	}
	if err := json.Unmarshal([]byte(got), &g); err != nil {
		return fmt.Sprintf("the answer is not JSON: %v", err)
	}
	return difference("$", "", w, g, same)
}

// difference compares one value at path, in a field of the given name.
func difference(path, name string, want, got any, same func(want, got string) bool) string {
	differs := fmt.Sprintf("%s is %v, want %v", path, brief(got), brief(want))
	if want == elided {
		return ""
	}
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return differs
		}
		return differentObject(path, w, g, same)
	case []any:
		g, ok := got.([]any)
		if ok && len(w) == 1 && w[0] == elided {
			return ""
		}
		if !ok || len(w) != len(g) {
			return differs
		}
		for i := range w {
			if d := difference(fmt.Sprintf("%s[%d]", path, i), name, w[i], g[i], same); d != "" {
				return d
			}
		}
		return ""
	case string:
		if g, ok := got.(string); ok && same(w, g) {
			return ""
		}
		if n, ok := got.(float64); ok && placeholder.MatchString(w) && same(w, brief(n)) {
			return ""
		}
		return differs
	case float64:
		if g, ok := got.(float64); ok && math.Abs(w-g) <= tolerance[name] {
			return ""
		}
		return differs
	}
	if want == got {
		return ""
	}
	return differs
}

func differentObject(path string, want, got map[string]any, same func(want, got string) bool) string {
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if _, ok := got[k]; !ok {
			return fmt.Sprintf("%s.%s is missing", path, k)
		}
		if d := difference(path+"."+k, k, want[k], got[k], same); d != "" {
			return d
		}
	}
	for _, k := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[k]; !ok {
			return fmt.Sprintf("%s.%s is there and should not be", path, k)
		}
	}
	return ""
}

func brief(v any) string {
	text, _ := json.Marshal(v)
	if len(text) > 200 {
		return string(text[:200]) + "…"
	}
	return string(text)
}

// field is one of a JSON object, in whose order they stay.
type field struct {
	name  string
	value json.RawMessage
}

// fieldsOf returns the fields of an object, and no fields if raw is not an object.
func fieldsOf(raw []byte) []field {
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	var fields []field
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil
		}
		f := field{name: name.(string)} //nolint:forcetypeassert // an object's names are strings
		if d.Decode(&f.value) != nil {
			return nil
		}
		fields = append(fields, f)
	}
	return fields
}

// maxWidth is how long a line of a recorded frame gets, if it can be helped.
const maxWidth = 140

// render writes received JSON as it is recorded: with placeholders for what varies, and open where
// the former record is. indent is the line's, in spaces; used is what else that line holds.
func (v *variables) render(want any, got json.RawMessage, indent, used int) string {
	if want == elided {
		return quote(elided)
	}
	got = bytes.TrimSpace(got)
	switch got[0] {
	case '{':
		former, _ := want.(map[string]any)
		var parts []string
		for _, f := range fieldsOf(got) {
			name := quote(f.name) + ": "
			parts = append(parts, name+v.render(former[f.name], f.value, indent+2, len(name)))
		}
		return layout("{", parts, "}", indent, used)
	case '[':
		former, _ := want.([]any)
		if len(former) == 1 && former[0] == elided {
			return `["` + elided + `"]`
		}
		var values []json.RawMessage
		_ = json.Unmarshal(got, &values) // it is a list
		var parts []string
		for i, value := range values {
			var before any
			if i < len(former) {
				before = former[i]
			}
			parts = append(parts, v.render(before, value, indent+2, 0))
		}
		return layout("[", parts, "]", indent, used)
	}
	var value any
	_ = json.Unmarshal(got, &value) // it is JSON
	if former, ok := want.(string); ok && difference("$", "", former, value, v.match) == "" {
		return quote(former)
	}
	if text, ok := value.(string); ok {
		return quote(v.named(text))
	}
	return string(got)
}

// layout puts parts on one line, or on one each.
func layout(open string, parts []string, end string, indent, used int) string {
	line := open + strings.Join(parts, ", ") + end
	if len(parts) == 0 || !strings.Contains(line, "\n") && indent+used+len(line) <= maxWidth {
		return line
	}
	sep := "\n" + strings.Repeat(" ", indent+2)
	return open + sep + strings.Join(parts, ","+sep) + "\n" + strings.Repeat(" ", indent) + end
}

// quote writes a string as JSON that a person reads.
func quote(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string is always JSON
	return strings.TrimSpace(b.String())
}
