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

// Limits of a Descriptor. With them, a ModelName is a valid function name for every model provider.
const (
	MaxNameLen        = 64       // maximum length of a name, in bytes
	MaxDescriptionLen = 16 << 10 // maximum length of a description, in bytes
	MaxLabelLen       = 128      // maximum length of a tag or an owner, in bytes
)

// Tool is a tool that can be called.
type Tool interface {
	// Descriptor describes the tool. The registry calls it once, at the registration. A tool whose
	// descriptor changes must be registered again.
	Descriptor() Descriptor

	// Call runs the tool with arguments that fit the input schema. Only View.Invoke calls it,
	// possibly from several goroutines at once. It returns soon after ctx ends, with ctx's error.
	// If the tool fails, it returns a Result with IsError for the model. An error means that the
	// system around the tool failed. A fault of internal/fault and the error of an ended context
	// reach the caller unchanged. Any other error becomes TOOL_ERROR, and only the log has its text.
	// The Result's Usage counts after an error too.
	Call(ctx context.Context, call Call) (Result, error)
}

// Descriptor describes a tool.
type Descriptor struct {
	Name        string // name in the form "group.verb" in lower case, for example "screen.find_text"
	Description string // description for the model; may be empty
	Tag         string // heading in lists of tools; may be empty
	// Input is a JSON Schema of the arguments, with "type": "object" at its root. If it is empty,
	// the tool accepts any object.
	Input    json.RawMessage
	Output   json.RawMessage // JSON Schema of Result.Structured; empty if the tool has no schema for its output
	Risk     Risk            // possible harm of a call; required
	Origin   Origin          // source of the tool
	Starting bool            // the tool is listed but not ready: calls fail with TOOL_STARTING until it is replaced
	APIOnly  bool            // the tool is only for clients: models and other tools cannot call it
}

// Hash returns the SHA-256, in lower-case hexadecimal, of the properties that an approval of a call covers: name,
// description, input schema, risk and origin.
func (d Descriptor) Hash() string {
	h := sha256.New()
	// Texts always marshal.
	_ = json.NewEncoder(h).Encode([]any{d.Name, d.Description, string(d.Input), d.Risk, d.Origin})
	return hex.EncodeToString(h.Sum(nil))
}

// Risk is the possible harm of a call.
type Risk string

// The risks. The registry does not check whether a risky call was approved.
const (
	Safe      Risk = "safe"      // the call changes nothing important
	Risky     Risk = "risky"     // the call needs a person's approval
	Forbidden Risk = "forbidden" // the tool is listed, but calls are refused
)

// Kind is the kind of a tool's origin.
type Kind string

// The kinds.
const (
	Builtin Kind = "builtin" // the tool is compiled into the gateway
	Wasm    Kind = "wasm"    // the tool comes from a sandboxed plugin
	Client  Kind = "client"  // the tool runs on the client's machine
	MCP     Kind = "mcp"     // the tool comes from an MCP server
)

// Origin is the origin of a tool. Tools of one origin change together.
type Origin struct {
	Kind  Kind
	Owner string // name of the plugin, client or server; empty only for Builtin
}

// String returns the origin for messages, for example builtin or wasm "weather".
func (o Origin) String() string {
	if o.Owner == "" {
		return string(o.Kind)
	}
	return fmt.Sprintf("%s %q", o.Kind, o.Owner)
}

// namePattern allows no capitals and spaces, so that no two names differ only in case or spaces.
var namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$`)

// ModelName returns a tool's name in the form group_verb. It is for models and MCP clients, because
// many of them accept no dots in names. The ModelName is unique in a registry, and View.Named finds
// the tool by it. A name that is already a ModelName does not change.
func ModelName(name string) string { return strings.ReplaceAll(name, ".", "_") }

// check returns a fault that lists all invalid fields of d, except its schemas.
func (d Descriptor) check() error {
	f := fault.New("agent.describe", sdkapi.ValidationError, "the descriptor of the tool %.*q is invalid; details.fields lists the problems", MaxNameLen, d.Name)
	if len(d.Name) > MaxNameLen || !namePattern.MatchString(d.Name) {
		f = f.At("name", "expected a name such as group.verb: lower-case letters, digits and _, at most %d bytes", MaxNameLen)
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
		f = f.At("origin.owner", "expected the name of the owner, or no name if the kind is %s", Builtin)
	}
	if len(f.Details.Fields) > 0 {
		return f
	}
	return nil
}

// checkText adds path to f if text is too long or not UTF-8.
func checkText(f *fault.Error, path, text string, limit int) *fault.Error {
	if len(text) > limit || !utf8.ValidString(text) {
		return f.At(path, "expected at most %d bytes of UTF-8", limit)
	}
	return f
}
