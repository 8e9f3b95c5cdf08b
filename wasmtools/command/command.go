// Package command makes tools of programs for WASI that know nothing of tools: what a manifest says beside
// the program turns a call's arguments into a command line, standard input and files, and turns output and
// exit code into an answer.
//
//	run, err := tool.Plan(arguments, most)         // what the program gets
//	err = run.Write(dir)                           // its files, into a folder that it finds at /work
//	... run the program ...
//	answer, err := tool.Answer(outcome, keep)
//
// # Words
//
// A spec is the field "command" of a manifest. Its tools have templates: an argument of the command line is a
// fixed text, or comes from a property of the call's arguments. The work folder is private to one call.
package command

import (
	"bytes"
	"encoding/json"

	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/abi"
)

// Work is where a program finds the folder of its call.
const Work = "/work"

// Bounds of a spec and of a call.
const (
	MaxTemplates = 256       // arguments, files and exit codes of one tool, each
	MaxArgs      = 4096      // arguments of a command line
	MaxArgBytes  = 128 << 10 // of a command line
	MaxFiles     = 256       // that a call gives
)

// Spec says how a program is called as tools.
type Spec struct {
	Env   map[string]string `json:"env,omitempty"` // variables, the same in each call
	Tools []Tool            `json:"tools"`
}

// Tool is one way to call a program.
type Tool struct {
	abi.Tool
	Args   []Arg           `json:"args,omitempty"`
	Stdin  *Input          `json:"stdin,omitempty"` // nil: standard input is empty
	Files  []File          `json:"files,omitempty"` // that the program finds in the work folder
	Output Output          `json:"output,omitzero"`
	Exit   map[string]Exit `json:"exit,omitempty"` // by code, "1" to "255", or "*" for all that have no entry
}

// Arg is a part of the command line: a fixed text, which is JSON text in a manifest, or what comes from
// a property of the call's arguments. A property that is absent, null or false adds nothing; true adds the flag
// alone; a list adds each of its values.
type Arg struct {
	Text  string              `json:"-"`               // the fixed text, if From is empty
	From  string              `json:"from"`            // the property
	Flag  string              `json:"flag,omitempty"`  // comes before the value
	Join  bool                `json:"join,omitempty"`  // flag and value are one argument, as --indent=2
	Keys  bool                `json:"keys,omitempty"`  // of an object: the flag, then the key, then the value, for each
	Names bool                `json:"names,omitempty"` // of an object: its keys alone
	JSON  bool                `json:"json,omitempty"`  // the value as JSON, also a text
	Map   map[string][]string `json:"map"`             // what stands for each value; an empty map adds nothing
	Else  []string            `json:"else,omitempty"`  // in place of a property that is absent
}

// UnmarshalJSON reads a text, or an object without unknown fields.
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

// MarshalJSON writes what UnmarshalJSON reads.
func (a Arg) MarshalJSON() ([]byte, error) {
	if a.From == "" {
		return json.Marshal(a.Text)
	}
	type arg Arg
	return json.Marshal(arg(a))
}

// Input is the standard input: a text as it is, anything else as JSON.
type Input struct {
	From     string `json:"from"`
	JSON     bool   `json:"json,omitempty"`     // a text as JSON too
	Artifact bool   `json:"artifact,omitempty"` // the text is the id of an artifact, whose bytes are the input
}

// File is a file of the work folder, or with Each a folder of files.
type File struct {
	Path string `json:"path"` // in the work folder
	Each bool   `json:"each,omitempty"`
	Input
}

// Form is what becomes of the output.
type Form string

// The forms.
const (
	Text      Form = "text"       // content of text; the default
	JSON      Form = "json"       // structured content: the one value that was printed
	JSONLines Form = "json_lines" // structured content: {"values": […]}, of values one after the other
	Lines     Form = "lines"      // structured content: {"lines": […]}
	Artifact  Form = "artifact"   // kept as an artifact: {"artifact_id": …}
)

// Output says what the answer is.
type Output struct {
	As        Form   `json:"as,omitempty"`
	File      string `json:"file,omitempty"`       // of the work folder; empty: the standard output
	MediaType string `json:"media_type,omitempty"` // of an artifact that nobody keeps; default application/octet-stream
}

// Exit is what an exit code means.
type Exit struct {
	OK      bool        `json:"ok,omitempty"`      // the output is an answer, as with 0
	Quiet   bool        `json:"quiet,omitempty"`   // ok holds only if the program printed nothing to standard error
	Code    sdkapi.Code `json:"code,omitempty"`    // the call fails with it; empty: the tool says that it failed, for the model
	Message string      `json:"message,omitempty"` // before what the program says
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

// Tool returns the tool of that name, nil if there is none.
func (s *Spec) Tool(name string) *Tool {
	for i := range s.Tools {
		if s.Tools[i].Name == name {
			return &s.Tools[i]
		}
	}
	return nil
}
