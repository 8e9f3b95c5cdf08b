package plugin

import (
	"encoding/json"
	"strings"
)

// self is the plugin's description, with the functions of its tools.
var self description

// description is the answer to describe.
type description struct {
	Name        string       `json:"name,omitempty"`
	Version     string       `json:"version,omitempty"`
	Description string       `json:"description,omitempty"`
	Tools       []registered `json:"tools"`
}

// registered is a registered tool, in the form of describe's answer.
type registered struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"inputSchema"`
	Output      json.RawMessage `json:"outputSchema,omitempty"`
	Annotations map[Hint]bool   `json:"annotations,omitempty"`
	work        func(arguments json.RawMessage) (Result, error)
	types       []any // nil pointers to the types that a call decodes and encodes
}

// anyObject is the input schema of a tool without a schema of its own.
const anyObject = `{"type":"object"}`

// add registers a tool. It panics if d has no name, or the name of another tool. types are nil pointers for warmUp.
func add(d Definition, work func(json.RawMessage) (Result, error), types ...any) {
	switch {
	case d.Name == "":
		panic("plugin: a tool must have a name")
	case find(d.Name) != nil:
		panic("plugin: there are two tools named " + publicName(d.Name))
	}
	tool := registered{Name: d.Name, Description: d.Description, Input: d.Input, Output: d.Output, work: work, types: types}
	if tool.Input == nil {
		tool.Input = json.RawMessage(anyObject)
	}
	if len(d.Hints) > 0 {
		tool.Annotations = map[Hint]bool{}
	}
	for _, hint := range d.Hints {
		tool.Annotations[hint] = hint.value()
	}
	self.Tools = append(self.Tools, tool)
}

// find returns the tool with the same public name as name, or nil if there is none.
func find(name string) *registered {
	name = publicName(name)
	for i := range self.Tools {
		if publicName(self.Tools[i].Name) == name {
			return &self.Tools[i]
		}
	}
	return nil
}

// publicName returns a tool's name in lower case, with one "_" in place of each run of characters except letters,
// digits, dots and "_", and without "_" and dots at its ends. Tools with the same public name have the same name at the
// gateway.
func publicName(name string) string {
	var public []rune
	cut := false // the last rune replaces a run
	for _, r := range strings.ToLower(name) {
		valid := r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '_'
		switch {
		case valid:
			public = append(public, r)
		case !cut:
			public = append(public, '_')
		}
		cut = !valid
	}
	return strings.Trim(string(public), "_.")
}

// describe implements the export describe: it returns self as JSON.
func describe() ([]byte, error) {
	if self.Tools == nil {
		self.Tools = []registered{}
	}
	warmUp()
	return json.Marshal(self)
}

// warmUp fills the caches of encoding/json and of the kit. The gateway may start each call from the
// memory after describe, and the caches are then full. warmUp calls no method of a tool's types.
func warmUp() {
	for _, tool := range self.Tools {
		for _, nothing := range tool.types {
			_, _ = json.Marshal(nothing) // encodes as null, which still inspects the pointer's type
		}
	}
	type both struct {
		Text string `json:"text"`
	}
	example := registered{Name: "example", work: func(arguments json.RawMessage) (Result, error) {
		var in both
		if err := decode(&in, arguments, arguments); err != nil {
			return Result{}, err
		}
		return resultOf(in)
	}}
	_, _ = example.answer(json.RawMessage(`{"text":"a \"text\""}`)) // cannot fail: the result has text
}

// call implements the export call. The input names the tool and holds its arguments.
func call(input []byte) ([]byte, error) {
	name, arguments, ok := split(input)
	if !ok {
		return nil, &Error{Code: "VALIDATION_ERROR", Message: "the input of call must be a JSON object with a name and arguments"}
	}
	tool := find(name)
	if tool == nil {
		return nil, &Error{Code: "NOT_FOUND", Message: "there is no tool " + name}
	}
	return tool.answer(arguments)
}

// answer calls the tool and returns its result, or its error as a result with IsError, as JSON.
func (t *registered) answer(arguments json.RawMessage) ([]byte, error) {
	res, err := t.work(arguments)
	if err != nil {
		res = Result{Content: []Content{Text(err.Error())}, IsError: true}
	}
	return res.appendTo(make([]byte, 0, len(res.Structured)+64))
}
