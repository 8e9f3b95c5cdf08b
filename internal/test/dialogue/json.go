package dialogue

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/windieos/windie/internal/test/recorded"
)

// maxWidth is how long a line of a recorded frame gets, if it can be helped.
const maxWidth = 140

// render writes received JSON as it is recorded: with placeholders for what varies, and open where
// the former record is. indent is the line's, in spaces; used is what else that line holds.
func render(v *recorded.Variables, want any, got json.RawMessage, indent, used int) string {
	if want == recorded.Elided {
		return recorded.Quote(recorded.Elided)
	}
	got = bytes.TrimSpace(got)
	switch got[0] {
	case '{':
		former, _ := want.(map[string]any)
		var parts []string
		for _, f := range recorded.FieldsOf(got) {
			name := recorded.Quote(f.Name) + ": "
			parts = append(parts, name+render(v, former[f.Name], f.Value, indent+2, len(name)))
		}
		return layout("{", parts, "}", indent, used)
	case '[':
		former, _ := want.([]any)
		if len(former) == 1 && former[0] == recorded.Elided {
			return `["` + recorded.Elided + `"]`
		}
		var values []json.RawMessage
		_ = json.Unmarshal(got, &values) // it is a list
		var parts []string
		for i, value := range values {
			var before any
			if i < len(former) {
				before = former[i]
			}
			parts = append(parts, render(v, before, value, indent+2, 0))
		}
		return layout("[", parts, "]", indent, used)
	}
	var value any
	_ = json.Unmarshal(got, &value) // it is JSON
	if former, ok := want.(string); ok && recorded.Difference("$", "", former, value, v.Match) == "" {
		return recorded.Quote(former)
	}
	if text, ok := value.(string); ok {
		return recorded.Quote(v.Named(text))
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
