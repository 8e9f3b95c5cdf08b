package recorded

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
)

// tolerance says how far a number may be from the recorded one, by the name of its field.
var tolerance = map[string]float64{
	"x": 3, "y": 3, "width": 3, "height": 3, // pixels
	"confidence": 0.3, "score": 0.005,
	"size_bytes": 3000, // of a picture with boxes drawn on it
	"uptime_ms":  math.Inf(1), "execution_time": math.Inf(1),
}

// Elided is a recorded value that may be any, or the only one in a list that may be any.
const Elided = "…"

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
	return Difference("$", "", w, g, same)
}

// Difference compares one value at path, in a field of the given name, and returns "" if they are the same.
func Difference(path, name string, want, got any, same func(want, got string) bool) string {
	differs := fmt.Sprintf("%s is %v, want %v", path, brief(got), brief(want))
	if want == Elided {
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
		if ok && len(w) == 1 && w[0] == Elided {
			return ""
		}
		if !ok || len(w) != len(g) {
			return differs
		}
		for i := range w {
			if d := Difference(fmt.Sprintf("%s[%d]", path, i), name, w[i], g[i], same); d != "" {
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
		if d := Difference(path+"."+k, k, want[k], got[k], same); d != "" {
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
