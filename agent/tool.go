package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// What a Descriptor may hold at most. A name fits the function names of every
// model provider once its dots are replaced.
const (
	MaxNameLen        = 64       // bytes of a name
	MaxDescriptionLen = 16 << 10 // bytes of a description
	MaxLabelLen       = 128      // bytes of a tag and of an owner
)

// Tool is one thing that can be called.
type Tool interface {
	// Descriptor says how to call the tool. The registry asks once, when the
	// tool is registered, and keeps what it is told: a tool that changes is
	// registered anew.
	Descriptor() Descriptor

	// Call does the work. Only Registry.Invoke and View.Invoke call it, with
	// arguments that fit the input schema, from several goroutines at once. It
	// returns soon after ctx ends, with ctx's error. What the tool itself could
	// not do is a Result with IsError, which the model reads. An error means
	// that the machinery failed: a fault of internal/fault goes to the caller
	// as it is, any other becomes TOOL_ERROR with its text kept for the log.
	// The Result's Usage counts beside an error too.
	Call(ctx context.Context, call Call) (Result, error)
}

// Descriptor says what a tool is called, takes, gives and risks.
type Descriptor struct {
	Name        string          // "group.verb" in lower case, as "screen.find_text"
	Description string          // what the tool does, for the model; may be empty
	Tag         string          // the heading that tools are listed under; may be empty
	Input       json.RawMessage // JSON Schema of the arguments, "type": "object" at its root; empty takes any object
	Output      json.RawMessage // JSON Schema of Result.Structured; empty promises nothing
	Risk        Risk            // what a call may do; there is no default
	Origin      Origin          // who brought the tool
	Starting    bool            // the tool is listed but not ready: calls get TOOL_STARTING until it is replaced
	APIOnly     bool            // the tool is for clients: no model is offered it, and no other tool can call it
}

// Risk says what a call may do.
type Risk string

// The risks. Who may approve a risky call is not the registry's business.
const (
	Safe      Risk = "safe"      // changes nothing that matters
	Risky     Risk = "risky"     // asks a human first
	Forbidden Risk = "forbidden" // is listed, and never called
)

// Kind says how a tool came here.
type Kind string

// The kinds.
const (
	Builtin Kind = "builtin" // compiled in
	Wasm    Kind = "wasm"    // a sandboxed plugin
	Client  Kind = "client"  // runs where the client is
	MCP     Kind = "mcp"     // behind an MCP server
)

// Origin is who brought a tool, and whose tools change together.
type Origin struct {
	Kind  Kind
	Owner string // the plugin's, client's or server's name; empty for Builtin alone
}

// String returns the origin as a message names it: builtin, or wasm "weather".
func (o Origin) String() string {
	if o.Owner == "" {
		return string(o.Kind)
	}
	return fmt.Sprintf("%s %q", o.Kind, o.Owner)
}

// namePattern has no capitals and no spaces, so that no name resembles another.
var namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$`)

// ModelName returns the name by which models and MCP clients know a tool, as
// group_verb: many of them take no dots. A registry has no two tools with one
// such name, so that it stands for one tool, which View.Named returns. Of such a
// name ModelName returns the same.
func ModelName(name string) string { return strings.ReplaceAll(name, ".", "_") }

// check returns a fault that lists all that is wrong with d but its schemas.
func (d Descriptor) check() error {
	f := fault.New("agent.describe", sdkapi.ValidationError, "the tool %.*q is not described as it should be", MaxNameLen, d.Name)
	if len(d.Name) > MaxNameLen || !namePattern.MatchString(d.Name) {
		f = f.At("name", "expected group.verb of lower case letters, digits and _, at most %d bytes", MaxNameLen)
	}
	f = checkText(f, "description", d.Description, MaxDescriptionLen)
	f = checkText(f, "tag", d.Tag, MaxLabelLen)
	f = checkText(f, "origin.owner", d.Origin.Owner, MaxLabelLen)
	if !slices.Contains([]Risk{Safe, Risky, Forbidden}, d.Risk) {
		f = f.At("risk", "expected %s, %s or %s", Safe, Risky, Forbidden)
	}
	if !slices.Contains([]Kind{Builtin, Wasm, Client, MCP}, d.Origin.Kind) {
		f = f.At("origin.kind", "expected %s, %s, %s or %s", Builtin, Wasm, Client, MCP)
	} else if (d.Origin.Kind == Builtin) != (d.Origin.Owner == "") {
		f = f.At("origin.owner", "expected the owner's name, or nothing for %s", Builtin)
	}
	if len(f.Details.Fields) > 0 {
		return f
	}
	return nil
}

// checkText adds path to f when text is too long or is not UTF-8.
func checkText(f *fault.Error, path, text string, most int) *fault.Error {
	if len(text) > most || !utf8.ValidString(text) {
		return f.At(path, "expected at most %d bytes of UTF-8", most)
	}
	return f
}
