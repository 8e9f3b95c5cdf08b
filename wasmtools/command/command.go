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

// Work is the path of the work folder, as the program sees it. Each call has its own work folder.
const Work = "/work"

// Limits of a spec and of a call.
const (
	// maximum number of argument templates, of files, and of exit codes in the spec of one tool
	MaxTemplates = 256
	MaxArgs      = 4096      // maximum number of arguments in a command line
	MaxArgBytes  = 128 << 10 // maximum size of a command line, in bytes
	MaxFiles     = 256       // maximum number of files in the work folder of a call
)

// Spec describes the tools that a program provides, and how to run the program for each tool.
type Spec struct {
	Env   map[string]string `json:"env,omitempty"` // environment variables of the program, the same for all calls
	Tools []Tool            `json:"tools"`
}

// Tool is one tool that a program provides. It describes how to run the program for a call of the
// tool.
type Tool struct {
	abi.Tool
	Args   []Arg  `json:"args,omitempty"`
	Stdin  *Input `json:"stdin,omitempty"` // text or bytes on standard input; nil: standard input is empty
	Files  []File `json:"files,omitempty"` // files that the program finds in the work folder
	Output Output `json:"output,omitzero"`
	// meaning of each exit code; a key is "1" to "255", or "*" for all others except 0
	Exit map[string]Exit `json:"exit,omitempty"`
}

// Arg is a part of the command line. It is either a fixed text, which is a JSON string in a
// manifest, or a property of the call's arguments. A property that is absent, null or false adds
// nothing to the command line. The value true adds only the flag. A list adds each of its values.
type Arg struct {
	Text string `json:"-"`              // fixed text, used if From is empty
	From string `json:"from"`           // name of the property in the call's arguments
	Flag string `json:"flag,omitempty"` // flag that is added before the value, for example --indent
	// true: the flag and the value are one argument, for example --indent=2
	Join  bool `json:"join,omitempty"`
	Keys  bool `json:"keys,omitempty"`  // true: an object adds the flag, a key and a value for each entry
	Names bool `json:"names,omitempty"` // true: an object adds the flag and a key for each entry
	JSON  bool `json:"json,omitempty"`  // true: the value is written as JSON, even if it is a text
	// arguments that replace a value, for example {"fast": ["-O", "1"]}; an empty list adds nothing
	Map  map[string][]string `json:"map"`
	Else []string            `json:"else,omitempty"` // arguments that are added if the property is absent
}

// UnmarshalJSON decodes an Arg from a JSON string, or from a JSON object. An unknown field in the
// object is an error.
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

// MarshalJSON returns the JSON that UnmarshalJSON reads.
func (a Arg) MarshalJSON() ([]byte, error) {
	if a.From == "" {
		return json.Marshal(a.Text)
	}
	type arg Arg
	return json.Marshal(arg(a))
}

// Input describes the text or bytes on standard input, or in a file. It comes from a property of
// the call's arguments. A text is passed unchanged. Any other value is passed as JSON.
type Input struct {
	From string `json:"from"`
	JSON bool   `json:"json,omitempty"` // true: a text is passed as JSON too
	// true: the text is the id of an artifact, and the bytes of the artifact are passed
	Artifact bool `json:"artifact,omitempty"`
}

// File describes a file that the program finds in its work folder. If Each is true, Path is a
// folder with several files. The property is then an object: its keys are the names of the files,
// and its values are their content.
type File struct {
	Path string `json:"path"` // path of the file, relative to the work folder
	Each bool   `json:"each,omitempty"`
	Input
}

// Form says in which form a tool's output becomes the answer of the tool.
type Form string

// The forms.
const (
	Text Form = "text" // output as text content of the answer; the default
	JSON Form = "json" // output as structured content: the output is one JSON value
	// output as structured content {"values": […]}: the list has all JSON values in the output
	JSONLines Form = "json_lines"
	Lines     Form = "lines"    // output as structured content {"lines": […]}: the list has the lines of the output
	Artifact  Form = "artifact" // output as an artifact: the structured content is {"artifact_id": …}
)

// Output says how the program's output becomes the answer of the tool.
type Output struct {
	As Form `json:"as,omitempty"`
	// path of the output file in the work folder; empty: the output is on standard output
	File string `json:"file,omitempty"`
	// media type of the output; used only if the answer contains the output itself instead of an
	// artifact; default application/octet-stream
	MediaType string `json:"media_type,omitempty"`
}

// Exit is the meaning of an exit code.
type Exit struct {
	OK    bool `json:"ok,omitempty"`    // true: the run succeeded, and its output is the answer
	Quiet bool `json:"quiet,omitempty"` // true: OK applies only if standard error is empty
	// error code with which the call fails; empty: the call succeeds, and its answer reports a
	// failure to the model
	Code    sdkapi.Code `json:"code,omitempty"`
	Message string      `json:"message,omitempty"` // start of the failure's message, before the program's own text
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

// Describe returns the descriptions of all tools of the spec.
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
