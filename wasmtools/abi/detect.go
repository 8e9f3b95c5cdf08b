package abi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
	"github.com/windieos/windie/wasmtools/fuel"
)

// Kind is a way in which guest and gateway talk.
type Kind string

// The kinds, with their names in a manifest.
const (
	Bulk    Kind = "windie"
	Extism  Kind = "extism"
	Command Kind = "wasi"
)

// Convention is how to describe and call a guest.
type Convention struct {
	Kind     Kind
	Describe string   // the export to run; empty when the guest cannot describe itself
	Call     string   // the export to run; empty when each tool is an export
	Exports  []string // the tools of a guest that cannot describe itself
	Start    []string // exports to run first, in order, after those the engine runs
	wrapped  bool     // the input of a call is in params
}

// entry is the export that a command starts with.
const entry = "_start"

// Detect finds, from what a module imports and exports, how to talk to it. Want
// is what its manifest says, or empty. It decides only where imports do not.
func Detect(want Kind, imports []fuel.Import, exports []fuel.Export) (Convention, error) {
	c := Convention{Kind: kindOf(imports)}
	if c.Kind == "" {
		c.Kind = cmp.Or(want, Command)
	}
	if want != "" && want != c.Kind {
		return c, fault.New("abi.Detect", sdkapi.ValidationError, "the manifest says that the module talks as %s, and its imports say %s", want, c.Kind)
	}
	runnable := map[string]bool{}
	for _, e := range exports {
		runnable[e.Name] = e.Type == fuel.ExternFunc && (e.Signature == "() -> ()" || e.Signature == "() -> (i32)")
	}
	switch {
	case c.Kind == Command:
		if runnable[entry] {
			c.Describe, c.Call = entry, entry
			return c, nil
		}
	case runnable["describe"] && runnable["call"]:
		c.Describe, c.Call = "describe", "call"
		c.wrapped = c.Kind == Extism
	case c.Kind == Extism && runnable["list_tools"] && runnable["call_tool"]:
		c.Describe, c.Call = "list_tools", "call_tool"
	case c.Kind == Extism:
		c.Exports = toolExports(exports, runnable)
	}
	c.Start = starters(exports, runnable)
	if c.Call == "" && len(c.Exports) == 0 {
		for _, e := range exports {
			if slices.Contains([]string{entry, "describe", "call", "list_tools", "call_tool"}, e.Name) && !runnable[e.Name] {
				return c, fault.New("abi.Detect", sdkapi.ValidationError,
					"the module exports %s as a %s %s; expected a function () -> () or () -> (i32)", e.Name, e.Type, e.Signature)
			}
		}
		return c, fault.New("abi.Detect", sdkapi.ValidationError,
			"the module exports nothing to call: export describe and call, or list_tools and call_tool, or build it as a WASI command")
	}
	return c, nil
}

// kindOf returns the kind by its imports, empty if they do not show it.
func kindOf(imports []fuel.Import) (kind Kind) {
	for _, i := range imports {
		switch i.Module {
		case bulkModule:
			return Bulk
		case extismModule, userModule, userAlias:
			kind = Extism
		}
	}
	return kind
}

// starters lists what is to run before anything else: the reactor's start, or
// what compilers of C call instead, and what Haskell needs after it.
func starters(exports []fuel.Export, runnable map[string]bool) (list []string) {
	if runnable["_initialize"] {
		list = append(list, "_initialize")
	} else if runnable["__wasm_call_ctors"] {
		list = append(list, "__wasm_call_ctors")
	}
	for _, e := range exports {
		if e.Name == "hs_init" && e.Signature == "(i32, i32) -> ()" {
			list = append(list, e.Name)
		}
	}
	return list
}

// toolExports lists the exports of a plugin for Extism that may be tools: all
// that can be run but what compilers add.
func toolExports(exports []fuel.Export, runnable map[string]bool) (list []string) {
	for _, e := range exports {
		if runnable[e.Name] && !strings.HasPrefix(e.Name, "_") && !strings.HasPrefix(e.Name, "asyncify_") {
			list = append(list, e.Name)
		}
	}
	if len(list) == 0 && runnable[entry] {
		list = append(list, entry)
	}
	return list
}

// Restartable reports whether a guest can be called again after a call, with
// its memory put back. A program that begins at its start cannot.
func (c Convention) Restartable() bool {
	return c.Call != entry && !slices.Contains(c.Exports, entry)
}

// Export returns the export to run for a tool.
func (c Convention) Export(tool string) string {
	if c.Call == "" {
		return tool
	}
	return c.Call
}

// DescribeInput returns what a guest reads that is to describe itself.
func (c Convention) DescribeInput() []byte {
	if c.Describe == "list_tools" {
		return []byte(`{"context":{"id":"describe","_meta":{}}}`)
	}
	return nil
}

// CallInput returns what a guest reads that is to run a tool for a user, who is the guest's id of
// plain letters and digits. Guests that can ask for the id (user.id, config_get) do not get it here.
// The arguments are valid JSON, and are not read again. What the guest reads is appended to input.
func (c Convention) CallInput(input []byte, tool string, arguments json.RawMessage, user string) []byte {
	if c.Call == "" {
		return append(input, textInput(arguments)...)
	}
	before, after := "", "}"
	switch {
	case c.wrapped:
		before, after = `{"params":`, `}}`
	case c.Call == "call_tool":
		before, after = `{"request":`, `},"context":{"id":"call","_meta":{"windie/user":"`+user+`"}}}`
	case c.Kind == Command:
		after = `,"context":{"user":"` + user + `"}}`
	}
	input = slices.Grow(input, len(before)+len(tool)+len(arguments)+len(after)+64)
	input = append(append(input, before...), `{"name":`...)
	input = append(appendText(input, tool), `,"arguments":`...)
	return append(append(input, arguments...), after...)
}

// Args returns the command line of a program: its name, and what to do.
func (c Convention) Args(plugin, tool string) []string {
	if tool == "" {
		return []string{plugin, "describe"}
	}
	return []string{plugin, "call", tool}
}

// plainText returns the text of the commonest arguments, without decoding
// them, which takes as long as the rest of a small call.
func plainText(arguments []byte) (text []byte, ok bool) {
	if text, ok = bytes.CutPrefix(arguments, []byte(`{"input":"`)); ok {
		text, ok = bytes.CutSuffix(text, []byte(`"}`))
	}
	return text, ok && bytes.IndexByte(text, '"') < 0 && bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text)
}

// textInput returns the text that a tool without a schema of its own takes.
func textInput(arguments json.RawMessage) []byte {
	if text, ok := plainText(arguments); ok {
		return text
	}
	var in struct {
		Input string `json:"input"`
	}
	_ = json.Unmarshal(arguments, &in) // checked against textSchema before
	return []byte(in.Input)
}

// appendText appends text as JSON. A tool's name is nearly always plain, which needs no encoder.
func appendText(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || strings.IndexByte(`"\\<>&`, c) >= 0 {
			return append(b, marshal(text)...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}
