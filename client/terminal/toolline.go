package terminal

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/windieos/windie/internal/plain"
	"github.com/windieos/windie/sdkapi"
)

// Limits of a line about a call, in bytes.
const (
	maxArgument  = 60
	maxArguments = 120
)

// toolLine returns a line with the outcome of a call.
func toolLine(m *sdkapi.AgentToolOutputMessage, changed *change) string {
	mark := "✓"
	if m.IsError || m.Outcome != "done" {
		mark = "✗"
	}
	line := mark + " " + plain.Text(m.Name)
	switch {
	case m.Outcome == "denied":
		line += ": denied"
	case m.IsError || m.Outcome != "done":
		line += ": " + plain.Text(plain.OneLine(m.Output, maxArguments))
	case changed != nil:
		added, removed := changed.lines()
		line += " " + plain.Text(changed.path) + " " + counted(added, removed)
	}
	if m.Seconds >= 1 {
		line += fmt.Sprintf(" (%.0f s)", m.Seconds)
	}
	return line
}

// brief formats a call's arguments in one line.
func brief(arguments json.RawMessage) string {
	var in map[string]json.RawMessage
	if json.Unmarshal(arguments, &in) != nil {
		return plain.Text(plain.Short(string(arguments), maxArguments))
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(in)) {
		value := string(in[name])
		var text string
		if json.Unmarshal(in[name], &text) == nil {
			value = text
		}
		list = append(list, name+"="+plain.OneLine(value, maxArgument))
	}
	return plain.Text(plain.Short(strings.Join(list, " "), maxArguments))
}
