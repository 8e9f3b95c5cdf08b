package desktop

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/windieos/windie/agent/session"
)

// Method is a way to specify a place on the screen.
type Method string

// The methods, by their names in a handshake.
const (
	Manual     Method = "manual"     // the arguments "x" and "y", in pixels of the latest screenshot
	OCR        Method = "ocr"        // the argument "text": the words at the place
	Prediction Method = "prediction" // the argument "target": a description of the place
)

// Methods returns all methods.
func Methods() []Method { return []Method{Manual, OCR, Prediction} }

// fields maps each method to its arguments.
var fields = map[Method][]string{
	Manual:     {"x", "y", "to_x", "to_y"},
	OCR:        {"text", "occurrence"},
	Prediction: {"target"},
}

// drag is an action that only Manual allows: to_x and to_y are its end.
const drag = "drag"

// Narrow returns a copy of tools. In the copy, each tool whose Resolve is true accepts only the
// arguments of the allowed methods. For example, if OCR is not allowed, these tools do not accept
// the argument "text".
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

// CheckResolved checks the argument schema of a tool whose Resolve is true. The schema must have
// the arguments "x" and "y", and at least one of "text" and "target".
func CheckResolved(input json.RawMessage) error {
	s := readSchema(input)
	if !s.has("x") || !s.has("y") || !s.has("text") && !s.has("target") {
		return errors.New("expected the arguments x and y, and at least one of text and target, because the tool has argument_resolution \"backend\"")
	}
	return nil
}

// without returns a tool without the named arguments.
func without(t session.ClientTool, names []string) session.ClientTool {
	s := readSchema(t.Input)
	var had []string
	for _, name := range names {
		if s.has(name) {
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
	withheld := map[string]string{}
	maps.Copy(withheld, t.Withheld)
	for _, name := range had {
		withheld[name] = "expected no such field in this session; " + s.advice()
	}
	t.Withheld = withheld
	return t
}

// schema is the part of a JSON Schema of arguments that this package changes.
type schema struct {
	whole      map[string]json.RawMessage
	properties map[string]json.RawMessage
	required   []string
}

// readSchema parses a schema. Only properties at its root can be changed.
func readSchema(input json.RawMessage) *schema {
	s := &schema{}
	_ = json.Unmarshal(input, &s.whole) // invalid parts stay empty
	_ = json.Unmarshal(s.whole["properties"], &s.properties)
	_ = json.Unmarshal(s.whole["required"], &s.required)
	return s
}

// has reports whether the schema has a property at its root.
func (s *schema) has(property string) bool { _, ok := s.properties[property]; return ok }

// forbid removes a value from a property's enum.
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

// write returns the whole schema with the changed properties and required names.
func (s *schema) write() json.RawMessage {
	s.whole["properties"] = mustMarshal(s.properties)
	if _, ok := s.whole["required"]; ok {
		s.whole["required"] = mustMarshal(s.required)
	}
	return mustMarshal(s.whole)
}

// ways returns the words for the fields that s has. fields has pairs of field and words.
func (s *schema) ways(fields ...string) (list []string) {
	for way := range slices.Chunk(fields, 2) {
		if s.has(way[0]) {
			list = append(list, way[1])
		}
	}
	return list
}

// advice says how a model can specify a place.
func (s *schema) advice() string {
	ways := s.ways("text", "text", "target", "target", "x", "x and y")
	if len(ways) == 0 {
		return "leave the place out: the mouse acts at its position"
	}
	return "name the place by " + strings.Join(ways, ", or by ")
}

// mustMarshal encodes a value that was decoded from JSON.
func mustMarshal(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}
