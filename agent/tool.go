package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// Bounds of a Descriptor. A ModelName is a valid function name for every model provider.
const (
	MaxNameLen        = 64       // bytes of a name
	MaxDescriptionLen = 16 << 10 // bytes of a description
	MaxLabelLen       = 128      // bytes of a tag and of an owner
)

// Tool is one thing that can be called.
type Tool interface {
	// Descriptor says how to call the tool. The registry calls it once, when the
	// tool is registered: a tool that changes is registered anew.
	Descriptor() Descriptor

	// Call does the work, with arguments that fit the input schema. Only View.Invoke calls it,
	// from several goroutines at once. It returns soon after ctx ends, with ctx's error. If the
	// tool fails, it returns a Result with IsError for the model. An error means that the
	// machinery failed: a fault of internal/fault reaches the caller unchanged, any other becomes
	// TOOL_ERROR, with its text for the log. The Result's Usage counts beside an error too.
	Call(ctx context.Context, call Call) (Result, error)
}

// Descriptor describes a tool.
type Descriptor struct {
	Name        string          // "group.verb" in lower case, as "screen.find_text"
	Description string          // for the model; may be empty
	Tag         string          // heading in lists of tools; may be empty
	Input       json.RawMessage // JSON Schema of the arguments, "type": "object" at its root; empty takes any object
	Output      json.RawMessage // JSON Schema of Result.Structured; empty promises nothing
	Risk        Risk            // required
	Origin      Origin          // where the tool comes from
	Starting    bool            // the tool is listed but not ready: calls fail with TOOL_STARTING until it is replaced
	APIOnly     bool            // the tool is for clients: models are not offered it, and other tools cannot call it
}

// Hash returns the SHA-256, in lower-case hex, of what a call is approved by: the tool's
// name, description, input schema, risk and origin.
func (d Descriptor) Hash() string {
	h := sha256.New()
	_ = json.NewEncoder(h).Encode([]any{d.Name, d.Description, string(d.Input), d.Risk, d.Origin}) // texts
	return hex.EncodeToString(h.Sum(nil))
}

// Risk says what a call may do.
type Risk string

// The risks. The registry does not check whether a risky call was approved.
const (
	Safe      Risk = "safe"      // changes nothing that matters
	Risky     Risk = "risky"     // asks a human first
	Forbidden Risk = "forbidden" // listed, and never called
)

// Kind says where a tool comes from.
type Kind string

// The kinds.
const (
	Builtin Kind = "builtin" // compiled in
	Wasm    Kind = "wasm"    // a sandboxed plugin
	Client  Kind = "client"  // runs on the client's machine
	MCP     Kind = "mcp"     // behind an MCP server
)

// Origin is where a tool comes from. Tools of one origin change together.
type Origin struct {
	Kind  Kind
	Owner string // name of the plugin, client or server; empty for Builtin alone
}

// String returns the origin for messages: builtin, or wasm "weather".
func (o Origin) String() string {
	if o.Owner == "" {
		return string(o.Kind)
	}
	return fmt.Sprintf("%s %q", o.Kind, o.Owner)
}

// namePattern excludes capitals and spaces, so that no name resembles another.
var namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$`)

// ModelName returns the name of a tool for models and MCP clients, many of which
// take no dots: group_verb. It belongs to one tool of a registry, which View.Named
// returns. ModelName returns such a name unchanged.
func ModelName(name string) string { return strings.ReplaceAll(name, ".", "_") }

// check returns a fault that lists all invalid fields of d but its schemas.
func (d Descriptor) check() error {
	f := fault.New("agent.describe", sdkapi.ValidationError, "the descriptor of the tool %.*q is invalid; details.fields says why", MaxNameLen, d.Name)
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
