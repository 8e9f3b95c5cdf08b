// Package plugin makes Windie plugins of Go functions. A plugin is a WebAssembly module;
// each of its tools is a function whose argument struct becomes the tool's JSON Schema:
//
//	package main
//
//	import plugin "github.com/windieos/windie/sdk/plugin/go"
//
//	type args struct {
//		Metres float64 `json:"metres" minimum:"0" doc:"The length."`
//	}
//
//	type length struct {
//		Feet float64 `json:"feet"`
//	}
//
//	func init() {
//		plugin.Describe("units", "1.0.0", "Converts units.")
//		plugin.Tool("convert", "Converts a length.", func(a args) (length, error) {
//			return length{Feet: a.Metres / 0.3048}, nil
//		})
//	}
//
//	func main() { plugin.Main() }
//
// Built with
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o units.wasm .
//
// it is what the gateway loads. Built for the machine itself it is a command
// that describes and calls the same tools, and tests use Call.
//
// HTTP, Config, KV, CallTool, Now and Random ask the gateway. They fail with an
// *Error, whose code is PermissionDenied for what the operator did not grant.
package plugin

import (
	"encoding/json"
	"errors"
	"strings"
)

// A Hint says of a tool what a model or a person may want to know before it is called.
// Without hints a tool is taken to change things, irreversibly and outside of the gateway.
type Hint string

// The hints, by what they say of the tool.
const (
	ReadOnly    Hint = "readOnlyHint"    // it changes nothing
	Idempotent  Hint = "idempotentHint"  // calling it twice changes no more than once
	Additive    Hint = "destructiveHint" // it changes things, but takes nothing away
	ClosedWorld Hint = "openWorldHint"   // it reaches nothing outside of the gateway
)

// value is the value of the hint's annotation: two of MCP's have the opposite sense.
func (h Hint) value() bool { return h != Additive && h != ClosedWorld }

// Describe says what the plugin is. Call it once, in an init function.
// Without it the plugin has the name of its file.
func Describe(name, version, description string) {
	self.Name, self.Version, self.Description = name, version, description
}

// Tool registers a tool. Call it in an init function.
//
// In is a struct, whose fields become the input schema: the json tag names a
// field, which is required without omitempty, and the tags that Schema lists
// describe and bound it. work gets checked arguments with defaults filled in.
//
// Out is a struct or a map, answered as structured content, which makes the output schema;
// a string, answered as text; or a Result. One that is a Contenter says more besides.
//
// An error of work says why the tool could not do it and what would help;
// the model reads its text. A panic fails the call. Tool panics for a name
// that is taken and for types that make no schema.
func Tool[In, Out any](name, description string, work func(In) (Out, error), hints ...Hint) {
	input, defaults := inputSchema[In](name)
	add(Definition{Name: name, Description: description, Input: input, Output: outputSchema[Out](name), Hints: hints},
		func(arguments json.RawMessage) (Result, error) {
			var in In
			if err := decode(&in, defaults, arguments); err != nil {
				return Result{}, err
			}
			out, err := work(in)
			if err != nil {
				return Result{}, err
			}
			return resultOf(out)
		}, (*In)(nil), (*Out)(nil))
}

// Definition describes a tool to RawTool. Only Name is needed.
type Definition struct {
	Name, Description string
	Input             json.RawMessage // a JSON Schema of type object; any object by default
	Output            json.RawMessage // a JSON Schema of Result.Structured; none by default
	Hints             []Hint
}

// RawTool registers a tool with schemas of its own, which gets its arguments
// as they came. It is otherwise as Tool.
func RawTool(d Definition, work func(arguments json.RawMessage) (Result, error)) {
	for _, schema := range []json.RawMessage{d.Input, d.Output} {
		if schema != nil && !json.Valid(schema) {
			panic("plugin: tool " + d.Name + ": a schema is no JSON")
		}
	}
	add(d, work)
}

// Contenter is what a tool's Out may implement to give the model something
// besides its fields, such as an image.
type Contenter interface {
	Content() []Content
}

// Result is a tool's answer. Each part may be left out.
type Result struct {
	Structured json.RawMessage `json:"structuredContent,omitempty"`
	Content    []Content       `json:"content,omitzero"`
	IsError    bool            `json:"isError,omitempty"` // the tool could not do it, and Content says why
}

// Content is one part of an answer; Text and Image make the usual ones.
type Content struct {
	Type     string          `json:"type"`               // text, image or resource
	Text     string          `json:"text,omitempty"`     // of a text
	Data     []byte          `json:"data,omitempty"`     // of an image; base64 on the wire
	MIMEType string          `json:"mimeType,omitempty"` // of an image
	Resource json.RawMessage `json:"resource,omitempty"` // of a resource, in the form of MCP
}

// Text returns content that is a text.
func Text(text string) Content { return Content{Type: "text", Text: text} }

// Image returns content that is an image of a type such as image/png.
func Image(mimeType string, data []byte) Content {
	return Content{Type: "image", Data: data, MIMEType: mimeType}
}

// MarshalJSON keeps an empty text, which the wire format asks for.
func (c Content) MarshalJSON() ([]byte, error) {
	type plain Content
	if c.Type != "text" {
		return json.Marshal(plain(c))
	}
	return json.Marshal(struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{c.Type, c.Text})
}

// Error is a failure that the gateway reported.
type Error struct {
	Code    string `json:"code"` // for programs, such as PermissionDenied
	Message string `json:"message"`
}

// PermissionDenied is the code of what the operator did not grant.
const PermissionDenied = "PERMISSION_DENIED"

// Unavailable is the code of what there is no gateway to ask for: outside of
// WebAssembly, before SetHost.
const Unavailable = "UNAVAILABLE"

func (e *Error) Error() string { return e.Message + " (" + e.Code + ")" }

// HasCode reports whether err is, or wraps, an *Error with the code.
func HasCode(err error, code string) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}

func resultOf(out any) (res Result, err error) {
	switch out := out.(type) {
	case Result:
		return out, nil
	case string:
		return Result{Content: []Content{Text(out)}}, nil
	case Contenter:
		res.Content = out.Content()
	}
	res.Structured, err = json.Marshal(out)
	if err != nil {
		panic("the answer has no JSON: " + err.Error()) // the tool's fault, and nothing that a model can mend
	}
	return res, nil
}

// decode unmarshals defaults, then arguments. Some fit the schema and not the type.
func decode(in any, defaults, arguments json.RawMessage) error {
	for _, text := range []json.RawMessage{defaults, arguments} {
		if len(text) == 0 {
			continue
		}
		if err := json.Unmarshal(text, in); err != nil {
			var mismatch *json.UnmarshalTypeError
			if errors.As(err, &mismatch) {
				return errors.New(strings.TrimPrefix(mismatch.Field+": ", ": ") + "expected a value that fits " + mismatch.Type.String() + ", got " + mismatch.Value)
			}
			return errors.New("the arguments are no JSON object: " + err.Error())
		}
	}
	return nil
}
