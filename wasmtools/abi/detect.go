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

// Kind names the convention by which a guest and the gateway exchange data.
type Kind string

// The kinds, with their names in a manifest.
const (
	Bulk    Kind = "windie"
	Extism  Kind = "extism"
	Command Kind = "wasi"
)

// Convention describes how to run a guest.
type Convention struct {
	Kind Kind
	// name of the exported function that describes the guest; empty if the guest cannot describe
	// itself
	Describe string
	Call     string   // name of the exported function that calls a tool; empty if each tool is an export of its own
	Exports  []string // exported functions that are the tools of a guest that cannot describe itself
	Start    []string // exported functions to run before all others, in this order
	wrapped  bool     // the input of a call is inside a field params
}

// entry is the export at which a command starts.
const entry = "_start"

// Detect finds the convention of a guest from the imports and exports of its module. declared is
// the kind in the manifest, or empty. If the imports do not show a kind, Detect uses declared. It
// returns a fault if the imports show a kind other than declared, or if the module has no suitable
// exports.
func Detect(declared Kind, imports []fuel.Import, exports []fuel.Export) (Convention, error) {
	c := Convention{Kind: kindOf(imports)}
	if c.Kind == "" {
		c.Kind = cmp.Or(declared, Command)
	}
	if declared != "" && declared != c.Kind {
		return c, fault.New("abi.Detect", sdkapi.ValidationError, "the manifest sets the interface %s, but the module imports the functions of the interface %s", declared, c.Kind)
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
			"the module has no callable exports; export describe and call, or list_tools and call_tool, or build it as a WASI command")
	}
	return c, nil
}

// kindOf returns the kind that the imports show, or an empty one.
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

// starters lists the exports to run before any other, in this order: the start function of a reactor
// or, if the module has none, the constructors of C, and then the start function of Haskell.
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

// toolExports lists the exports of an Extism plugin that may be tools: all runnable ones except
// those that compilers add.
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

// Restartable reports whether a guest can be called again after its memory is restored. A WASI
// command, which starts at _start, cannot be called again.
func (c Convention) Restartable() bool {
	return c.Call != entry && !slices.Contains(c.Exports, entry)
}

// Export returns the name of the exported function that runs a tool.
func (c Convention) Export(tool string) string {
	if c.Call == "" {
		return tool
	}
	return c.Call
}

// DescribeInput returns the input for the call in which the guest describes itself.
func (c Convention) DescribeInput() []byte {
	if c.Describe == "list_tools" {
		return []byte(`{"context":{"id":"describe","_meta":{}}}`)
	}
	return nil
}

// CallInput appends the input for a call of a tool to buffer, and returns the longer buffer.
// arguments must be valid JSON; CallInput does not check them. user is the caller's id for this
// plugin. It must have only plain letters and digits. The input contains the id only if the guest
// cannot ask the host for it.
func (c Convention) CallInput(buffer []byte, tool string, arguments json.RawMessage, user string) []byte {
	if c.Call == "" {
		return append(buffer, textInput(arguments)...)
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
	buffer = slices.Grow(buffer, len(before)+len(tool)+len(arguments)+len(after)+64)
	buffer = append(append(buffer, before...), `{"name":`...)
	buffer = append(appendText(buffer, tool), `,"arguments":`...)
	return append(append(buffer, arguments...), after...)
}

// Args returns the command line for a program. If tool is empty, the program describes itself.
// Otherwise, it runs the tool. The first argument is the plugin's name.
func (c Convention) Args(plugin, tool string) []string {
	if tool == "" {
		return []string{plugin, "describe"}
	}
	return []string{plugin, "call", tool}
}

// plainText returns the text in arguments of the commonest form without decoding them: decoding
// takes as long as the rest of a small call.
func plainText(arguments []byte) (text []byte, ok bool) {
	if text, ok = bytes.CutPrefix(arguments, []byte(`{"input":"`)); ok {
		text, ok = bytes.CutSuffix(text, []byte(`"}`))
	}
	return text, ok && bytes.IndexByte(text, '"') < 0 && bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text)
}

// textInput returns the text in the arguments of a tool without a schema of its own.
func textInput(arguments json.RawMessage) []byte {
	if text, ok := plainText(arguments); ok {
		return text
	}
	var in struct {
		Input string `json:"input"`
	}
	_ = json.Unmarshal(arguments, &in) // cannot fail: textSchema was checked before
	return []byte(in.Input)
}

// appendText appends text as a JSON string. A tool's name is nearly always plain and then needs no
// encoder.
func appendText(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || strings.IndexByte(`"\\<>&`, c) >= 0 {
			return append(b, marshal(text)...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}
