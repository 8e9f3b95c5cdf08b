// Package command turns WASI programs that know nothing of tools into tools. A manifest beside the
// program describes how a call's arguments become a command line, standard input and files, and how
// output and exit code become an answer.
//
//	run, err := tool.Plan(arguments, limit, load)  // the program's input
//	err = run.Write(dir)                           // its files, into the folder that it sees as /work
//	... run the program ...
//	answer, err := tool.Answer(outcome, limit, keep)
//
// # Words
//
// A spec is the field "command" of a manifest. Its tools have templates: an argument of the command
// line is a fixed text, or comes from a property of the call's arguments. The work folder is
// private to one call.
package command

import (
	"bytes"
	"encoding/json"

	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/abi"
)

// Work is the path at which a program finds the folder of its call.
const Work = "/work"

// Limits of a spec and of a call.
const (
	MaxTemplates = 256       // arguments, files and exit codes of one tool, each
	MaxArgs      = 4096      // arguments of a command line
	MaxArgBytes  = 128 << 10 // bytes of a command line
	MaxFiles     = 256       // files of a call
)

// Spec describes how to call a program as tools.
type Spec struct {
	Env   map[string]string `json:"env,omitempty"` // environment variables, the same in each call
	Tools []Tool            `json:"tools"`
}

// Tool is one way to call a program.
type Tool struct {
	abi.Tool
	Args   []Arg           `json:"args,omitempty"`
	Stdin  *Input          `json:"stdin,omitempty"` // nil: empty standard input
	Files  []File          `json:"files,omitempty"` // files that the program finds in the work folder
	Output Output          `json:"output,omitzero"`
	Exit   map[string]Exit `json:"exit,omitempty"` // by code, "1" to "255", or "*" for all others except 0
}

// Arg is a part of the command line: a fixed text, which is a JSON string in a manifest, or a
// property of the call's arguments. A property that is absent, null or false adds nothing. The
// value true adds only the flag. A list adds each of its values.
type Arg struct {
	Text string `json:"-"`              // the fixed text, if From is empty
	From string `json:"from"`           // name of the property
	Flag string `json:"flag,omitempty"` // before the value
	// flag and value are one argument, for example --indent=2
	Join  bool                `json:"join,omitempty"`
	Keys  bool                `json:"keys,omitempty"`  // for an object: flag, key and value of each entry
	Names bool                `json:"names,omitempty"` // for an object: only the keys
	JSON  bool                `json:"json,omitempty"`  // write the value as JSON, even a text
	Map   map[string][]string `json:"map"`             // replacements by value; an empty list adds nothing
	Else  []string            `json:"else,omitempty"`  // used if the property is absent
}

// UnmarshalJSON decodes a string, or an object without unknown fields.
func (a *Arg) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		*a = Arg{}
		return json.Unmarshal(raw, &a.Text)
	}
	type arg Arg
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode((*arg)(a))
}

// MarshalJSON writes the form that UnmarshalJSON reads.
func (a Arg) MarshalJSON() ([]byte, error) {
	if a.From == "" {
		return json.Marshal(a.Text)
	}
	type arg Arg
	return json.Marshal(arg(a))
}

// Input is the standard input: a text is passed unchanged, any other value as JSON.
type Input struct {
	From     string `json:"from"`
	JSON     bool   `json:"json,omitempty"`     // pass a text as JSON too
	Artifact bool   `json:"artifact,omitempty"` // the text is an artifact's id, whose bytes are the input
}

// File is a file that the program finds in its work folder. If Each is true, Path is a folder of
// files, and the property is an object with the content of each file by its name.
type File struct {
	Path string `json:"path"` // relative to the work folder
	Each bool   `json:"each,omitempty"`
	Input
}

// Form is the form of a tool's output.
type Form string

// The forms.
const (
	Text      Form = "text"       // text content; the default
	JSON      Form = "json"       // structured content: the one JSON value in the output
	JSONLines Form = "json_lines" // structured content: {"values": […]}, of all JSON values in the output
	Lines     Form = "lines"      // structured content: {"lines": […]}
	Artifact  Form = "artifact"   // stored as an artifact: {"artifact_id": …}
)

// Output says how the program's output becomes the answer of the tool.
type Output struct {
	As   Form   `json:"as,omitempty"`
	File string `json:"file,omitempty"` // path in the work folder; empty: standard output
	// media type if the output is in the answer instead of an artifact; default
	// application/octet-stream
	MediaType string `json:"media_type,omitempty"`
}

// Exit is the meaning of an exit code.
type Exit struct {
	OK    bool `json:"ok,omitempty"`    // success: the output is an answer
	Quiet bool `json:"quiet,omitempty"` // ok applies only if standard error is empty
	// error code of the call; empty: the tool reports a failure to the model
	Code    sdkapi.Code `json:"code,omitempty"`
	Message string      `json:"message,omitempty"` // text before the program's own
}

// Works reports whether the tool needs a work folder.
func (t *Tool) Works() bool { return len(t.Files) > 0 || t.Output.File != "" }

// Works reports whether any tool needs a work folder.
func (s *Spec) Works() bool {
	for i := range s.Tools {
		if s.Tools[i].Works() {
			return true
		}
	}
	return false
}

// Describe lists the tools.
func (s *Spec) Describe() (list []abi.Tool) {
	for _, t := range s.Tools {
		list = append(list, t.Tool)
	}
	return list
}

// Tool returns the tool with this name, or nil if the spec has no such tool.
func (s *Spec) Tool(name string) *Tool {
	for i := range s.Tools {
		if s.Tools[i].Name == name {
			return &s.Tools[i]
		}
	}
	return nil
}
