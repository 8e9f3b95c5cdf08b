package models

import (
	"bytes"
	"encoding/json"
)

// InvalidArgumentsKey names the only field of a call's arguments when what the
// model wrote was not a JSON object. No schema has a field of that name.
const InvalidArgumentsKey = "$invalid_arguments"

// Invalid returns what the model wrote as arguments when it was not a JSON
// object: it wrote nonsense, or was stopped in the middle. Do not run such a
// call; its result asks the model to write its arguments again.
func (c Call) Invalid() (written string, invalid bool) {
	var fields map[string]json.RawMessage
	if !bytes.Contains(c.Arguments, []byte(InvalidArgumentsKey)) || json.Unmarshal(c.Arguments, &fields) != nil {
		return "", false
	}
	value, found := fields[InvalidArgumentsKey]
	if !found || len(fields) != 1 || json.Unmarshal(value, &written) != nil {
		return "", false
	}
	return written, true
}

// objectOf returns what a model wrote as arguments as a JSON object. Nothing
// is the empty object, and so is null, which some servers send for a tool
// without parameters; what is no object is kept under InvalidArgumentsKey.
func objectOf(written string) json.RawMessage {
	text := bytes.TrimSpace([]byte(written))
	if len(text) == 0 || string(text) == "null" {
		return json.RawMessage("{}")
	}
	if text[0] == '{' && json.Valid(text) {
		return text
	}
	// Some servers put the object into a string.
	var inner string
	if text[0] == '"' && json.Unmarshal(text, &inner) == nil {
		if object := bytes.TrimSpace([]byte(inner)); len(object) > 0 && object[0] == '{' && json.Valid(object) {
			return object
		}
	}
	wrapped, _ := json.Marshal(map[string]string{InvalidArgumentsKey: written}) // strings always marshal
	return wrapped
}
