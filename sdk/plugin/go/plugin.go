// Package plugin makes Windie plugins from Go functions. A plugin is a WebAssembly module. Each of
// its tools is a function whose argument struct becomes the tool's JSON Schema:
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
// The gateway loads the module that this command builds:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o units.wasm .
//
// Built without GOOS and GOARCH, the plugin is a command that describes and calls the same tools.
// Tests use Call.
//
// HTTP, Config, KV, CallTool, Now and Random are functions of the gateway. They fail with an
// *Error; its code is PermissionDenied if the operator did not grant the permission.
package plugin

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
)

// A Hint describes the effects of a tool to a model or a person. If a tool has no hints, models and
// people must expect that it may change or delete things, even outside the gateway.
type Hint string

// The hints.
const (
	ReadOnly    Hint = "readOnlyHint"    // the tool changes nothing
	Idempotent  Hint = "idempotentHint"  // a repeated call with the same arguments changes nothing more
	Additive    Hint = "destructiveHint" // the tool adds things but deletes and overwrites nothing
	ClosedWorld Hint = "openWorldHint"   // the tool reaches nothing outside of the gateway
)

// value returns the value of the hint's MCP annotation. Two of MCP's annotations mean the opposite
// of the hint, so their value is false.
func (h Hint) value() bool { return h != Additive && h != ClosedWorld }

// Describe sets the name, version and description of the plugin. Call it once, in an init function. If
// Describe is not called, the name of the plugin is the name of its file.
func Describe(name, version, description string) {
	self.Name, self.Version, self.Description = name, version, description
}

// Tool registers a tool that calls handler. Call Tool in an init function.
//
// In is a struct. Its fields become the tool's input schema, as Schema describes. The arguments that
// handler gets match this schema, and have the defaults filled in.
//
// Out is the result. A type whose kind is string becomes text. A struct or a map becomes structured
// content, and its type becomes the output schema. A Result is returned unchanged. If Out
// implements Contenter, the model also gets the content that Content returns. This content is added
// to structured content, but replaces text. Out may also be a pointer to one of these types.
//
// If handler returns an error, the model reads the error's text, which should contain the reason
// and the fix. If handler panics, the call fails. Tool itself panics if the plugin already has a
// tool with this name, or if In or Out has no schema.
func Tool[In, Out any](name, description string, handler func(In) (Out, error), hints ...Hint) {
	input, defaults := inputSchema[In](name)
	add(Definition{Name: name, Description: description, Input: input, Output: outputSchema[Out](name), Hints: hints},
		func(arguments json.RawMessage) (Result, error) {
			var in In
			if err := decode(&in, defaults, arguments); err != nil {
				return Result{}, err
			}
			out, err := handler(in)
			if err != nil {
				return Result{}, err
			}
			return resultOf(out)
		}, (*In)(nil), (*Out)(nil))
}

// Definition describes a tool to RawTool. Only Name is required.
type Definition struct {
	Name, Description string
	Input             json.RawMessage // JSON Schema of the arguments, of type object; default: any object
	Output            json.RawMessage // JSON Schema of Result.Structured; default: no schema
	Hints             []Hint
}

// RawTool registers a tool whose schemas are in d. handler gets the arguments as raw JSON. In all
// other respects, RawTool behaves like Tool.
func RawTool(d Definition, handler func(arguments json.RawMessage) (Result, error)) {
	for _, schema := range []json.RawMessage{d.Input, d.Output} {
		if schema != nil && !json.Valid(schema) {
			panic("plugin: tool " + d.Name + ": a schema is not valid JSON")
		}
	}
	add(d, handler)
}

// Contenter is an interface that a tool's result, the type Out of Tool, may implement. Content
// returns additional content for the model, for example an image.
type Contenter interface {
	Content() []Content
}

// Result is a tool's result. Every field is optional.
type Result struct {
	Structured json.RawMessage `json:"structuredContent,omitempty"`
	Content    []Content       `json:"content,omitzero"`
	IsError    bool            `json:"isError,omitempty"` // whether the tool failed; if so, Content has the reason
}

// Content is one part of a result. Text and Image return the usual kinds.
type Content struct {
	Type     string          `json:"type"`               // the type of the content: text, image or resource
	Text     string          `json:"text,omitempty"`     // the text, for type text
	Data     []byte          `json:"data,omitempty"`     // the bytes of the image, for type image; base64 in JSON
	MIMEType string          `json:"mimeType,omitempty"` // the MIME type of Data, for type image
	Resource json.RawMessage `json:"resource,omitempty"` // the resource in the format of MCP, for type resource
}

// Text returns content of type text.
func Text(text string) Content { return Content{Type: "text", Text: text} }

// Image returns content of type image. mimeType is for example image/png.
func Image(mimeType string, data []byte) Content {
	return Content{Type: "image", Data: data, MIMEType: mimeType}
}

// MarshalJSON writes c as JSON. It writes the text of a text part even if the text is empty,
// because the wire format requires the field.
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
	Code    string `json:"code"` // error code for programs, for example PermissionDenied
	Message string `json:"message"`
}

// PermissionDenied is the error code of an operation for which the operator did not grant the
// permission.
const PermissionDenied = "PERMISSION_DENIED"

// Unavailable is the error code of an operation that needs a gateway, if the plugin runs outside of
// WebAssembly, for example in a test. SetHost sets a replacement for the gateway.
const Unavailable = "UNAVAILABLE"

// Error returns the message with the code.
func (e *Error) Error() string { return e.Message + " (" + e.Code + ")" }

// HasCode reports whether err is, or wraps, an *Error with the code.
func HasCode(err error, code string) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}

// resultOf converts a handler's answer to a result, as Tool describes. It panics if the answer cannot be encoded.
func resultOf(out any) (res Result, err error) {
	value, typ := reflect.ValueOf(out), deref(reflect.TypeOf(out))
	for value.Kind() == reflect.Pointer && !value.IsNil() {
		value = value.Elem()
	}
	contenter, shows := out.(Contenter)
	unstructured := typ == reflect.TypeFor[Result]() || typ.Kind() == reflect.String // as for outputSchema
	switch {
	case unstructured && value.Kind() == reflect.Pointer: // nil
		return Result{}, nil
	case typ == reflect.TypeFor[Result]():
		return value.Interface().(Result), nil
	case unstructured && !shows:
		return Result{Content: []Content{Text(value.String())}}, nil
	case shows:
		res.Content = contenter.Content()
	}
	if unstructured {
		return res, nil
	}
	res.Structured, err = json.Marshal(out)
	if err != nil {
		panic("the answer cannot be encoded as JSON: " + err.Error()) // a bug of the tool, which a model cannot mend
	}
	return res, nil
}

// decode unmarshals the defaults, then the arguments, into in. It fails if a value fits the schema but not
// the Go type.
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
			return errors.New("the arguments are not a JSON object: " + err.Error())
		}
	}
	return nil
}
