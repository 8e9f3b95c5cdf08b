package models

import "encoding/json"

// Format is the required form of the text of an answer: a JSON object, or JSON that matches a
// schema. Providers enforce it by their own means where they have them. A caller must check the
// answer all the same: servers may ignore a format.
type Format struct {
	Name        string          // name of the format, with 1 to 64 letters, digits, "_" and "-"; empty if Schema is empty
	Description string          // purpose of the format, for the model
	Schema      json.RawMessage // JSON Schema of the text; empty: any JSON object
	Strict      bool            // the provider must follow Schema exactly, or refuse it
}

// Instruction returns an instruction that asks a model for this format, for providers without
// other means.
func (f *Format) Instruction() string {
	if len(f.Schema) == 0 {
		return "Answer with one JSON object. Write nothing before or after it, and no code fence."
	}
	return "Answer with JSON that matches the JSON Schema below. Write nothing before or after the JSON, and no code fence.\n\n" + string(f.Schema)
}

// Instructed returns the request with the instruction of its format in System and without Format.
func (r Request) Instructed() Request {
	if r.Format == nil {
		return r
	}
	if r.System != "" {
		r.System += "\n\n"
	}
	r.System += r.Format.Instruction()
	r.Format = nil
	return r
}
