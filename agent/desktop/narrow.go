package desktop

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/windieos/windie/agent/session"
)

// Method is a way to say where something is on the screen.
type Method string

// The methods, by their names in a handshake.
const (
	Manual     Method = "manual"     // x and y, in pixels of the latest screenshot
	OCR        Method = "ocr"        // text: the words that stand there
	Prediction Method = "prediction" // target: what it looks like
)

// Methods returns all of them.
func Methods() []Method { return []Method{Manual, OCR, Prediction} }

// fields are the arguments of each method.
var fields = map[Method][]string{
	Manual:     {"x", "y", "to_x", "to_y"},
	OCR:        {"text", "occurrence"},
	Prediction: {"target"},
}

// drag is the action that no session has without Manual: only to_x and to_y
// say where it ends.
const drag = "drag"

// Narrow returns tools as a session has them in which only some methods are
// allowed: the arguments of the others are neither offered nor taken. It is
// about tools whose calls are resolved here; what the client resolves is the
// client's to describe.
func Narrow(tools []session.ClientTool, allowed []Method) []session.ClientTool {
	var gone []string
	for _, m := range Methods() {
		if !slices.Contains(allowed, m) {
			gone = append(gone, fields[m]...)
		}
	}
	out := slices.Clone(tools)
	for i, t := range out {
		if t.Resolve && len(gone) > 0 {
			out[i] = without(t, gone)
		}
	}
	return out
}

// CheckResolved returns what is wrong with a schema of arguments that are to
// be resolved here: what is found needs somewhere to go.
func CheckResolved(input json.RawMessage) error {
	s := readSchema(input)
	_, x := s.properties["x"]
	_, y := s.properties["y"]
	_, text := s.properties["text"]
	_, target := s.properties["target"]
	if !x || !y || !text && !target {
		return errors.New("arguments that the backend resolves have x and y, and text or target")
	}
	return nil
}

// without returns a tool that does not take some arguments.
func without(t session.ClientTool, names []string) session.ClientTool {
	s := readSchema(t.Input)
	var had []string
	for _, name := range names {
		if _, ok := s.properties[name]; ok {
			had = append(had, name)
			delete(s.properties, name)
		}
	}
	if len(had) == 0 {
		return t
	}
	s.required = slices.DeleteFunc(s.required, func(name string) bool { return slices.Contains(had, name) })
	if slices.Contains(had, "to_x") {
		s.forbid("action", drag)
	}
	t.Input = s.write()
	t.Withheld = maps.Clone(t.Withheld)
	if t.Withheld == nil {
		t.Withheld = map[string]string{}
	}
	for _, name := range had {
		t.Withheld[name] = "expected no such field, which this session does not take; " + s.advice()
	}
	return t
}

// schema is the part of a JSON Schema of arguments that is changed here. The
// rest stays as it is.
type schema struct {
	whole      map[string]json.RawMessage
	properties map[string]json.RawMessage
	required   []string
}

// readSchema reads a schema. What has no properties at its root, as one that
// refers to another, has none to change.
func readSchema(input json.RawMessage) *schema {
	s := &schema{}
	_ = json.Unmarshal(input, &s.whole) // what cannot be read stays empty
	_ = json.Unmarshal(s.whole["properties"], &s.properties)
	_ = json.Unmarshal(s.whole["required"], &s.required)
	return s
}

// forbid takes a value out of those that a property lists.
func (s *schema) forbid(property, value string) {
	var described map[string]json.RawMessage
	var values []any
	if json.Unmarshal(s.properties[property], &described) != nil || json.Unmarshal(described["enum"], &values) != nil {
		return
	}
	left := slices.DeleteFunc(values, func(v any) bool { return v == value })
	if len(left) > 0 {
		described["enum"] = mustMarshal(left)
		s.properties[property] = mustMarshal(described)
	}
}

func (s *schema) write() json.RawMessage {
	s.whole["properties"] = mustMarshal(s.properties)
	if _, ok := s.whole["required"]; ok {
		s.whole["required"] = mustMarshal(s.required)
	}
	return mustMarshal(s.whole)
}

// advice tells a model in which ways it can say where.
func (s *schema) advice() string {
	var ways []string
	for _, way := range []struct{ field, words string }{{"text", "text"}, {"target", "target"}, {"x", "x and y"}} {
		if _, ok := s.properties[way.field]; ok {
			ways = append(ways, way.words)
		}
	}
	if len(ways) == 0 {
		return "nothing says where: the mouse acts where it is"
	}
	return "say where by " + strings.Join(ways, ", or by ")
}

// mustMarshal writes what was read from JSON before.
func mustMarshal(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}
