package agent

import (
	"encoding/json"
	"fmt"
	"time"
)

// Call is one call of a tool. The zero value is a call without arguments and without a user.
type Call struct {
	ID        string          // the caller's id for the call; may be empty
	Session   string          // id of the session; empty outside of a session
	User      string          // the user for whom the call is made
	Arguments json.RawMessage // a JSON object; empty means {}

	// Only for observers:

	Via     string  // protocol of the call, for example ViaHTTP; empty if there is none
	Consent Consent // decision that allowed or denied the call; empty if nobody was asked
	Spent   int     // tokens that the turn's model had used before the call

	view   *View  // the caller's view, for nested calls
	within int    // number of enclosing calls
	tool   string // name of the running tool
	parent string // name of the calling tool; see Parent
}

// Parent returns the name of the tool that made the call. It returns an empty name if no tool made
// the call.
func (c Call) Parent() string { return c.parent }

// Values of Call.Via.
const (
	ViaHTTP   = "http"   // a POST request to the path of a tool
	ViaWS     = "ws"     // a turn on the WebSocket /ws
	ViaPrompt = "prompt" // a turn of a prompt
	ViaMCP    = "mcp"

	ViaGeneral = "general" // a turn of the general agent service
	ViaOpenAI  = "openai"  // a response of the OpenAI API
	ViaHost    = "host"    // a turn of a session with a remote tool host
)

// Consent is the decision that allowed or denied a call, by a user or by rules.
type Consent string

// The kinds of consent.
const (
	Unasked      Consent = ""          // nobody was asked: the caller decided, or the call failed before the question
	RulesAllow   Consent = "allowed"   // the rules allowed the call without asking the user
	RulesForbid  Consent = "forbidden" // the rules denied the call without asking the user
	UserApproved Consent = "approved"  // the user approved the call unchanged
	UserEdited   Consent = "edited"    // the user approved the call with changed arguments
	UserDenied   Consent = "denied"    // the user denied the call
	UserSilent   Consent = "expired"   // the user did not answer in time
)

// Result is the result of a call.
type Result struct {
	Content    []Part          // parts for the model, in order; if empty, the model reads Structured
	Structured json.RawMessage // the result as one JSON value; may be empty
	Checked    bool            // whether Structured is known to be valid JSON
	IsError    bool            // whether the tool failed; then Content has the reason
	// A JSON object with additional data for clients, such as _meta of MCP; may be empty.
	Meta    json.RawMessage
	Warning string // warning for people who watch the session, not for the model; may be empty
	Usage   Usage
}

// Usage is the resource usage of a call. A value of zero means that the resource was not measured
// or not used.
type Usage struct {
	Fuel        uint64        // number of executed instructions, as the sandbox counts them
	PeakMemory  int64         // peak memory, in bytes
	WallTime    time.Duration // duration that the tool measured, or else the duration of Tool.Call
	HostCalls   int64         // number of calls from the sandbox into the gateway
	EgressBytes int64         // number of bytes that the tool sent to the network
}

// PartKind is the kind of a Part. It decides which field of the Part has the content.
type PartKind string

// The kinds of part.
const (
	TextPart  PartKind = "text"
	ImagePart PartKind = "image"
	JSONPart  PartKind = "json"
)

// Part is a piece of content. The functions Text, Image and JSON create parts.
type Part struct {
	Kind      PartKind
	Text      string          // text of a TextPart
	MediaType string          // media type of an ImagePart, for example "image/png"
	Data      []byte          // bytes of the file of an ImagePart
	JSON      json.RawMessage // value of a JSONPart

	// MCP is the original MCP content, if it has more than the fields above: audio, links,
	// annotations. Protocols without such content use the fields above.
	MCP json.RawMessage
}

// Text returns a part with text.
func Text(text string) Part { return Part{Kind: TextPart, Text: text} }

// Image returns a part with an image file, such as a PNG.
func Image(mediaType string, data []byte) Part {
	return Part{Kind: ImagePart, MediaType: mediaType, Data: data}
}

// JSON returns a part with a JSON value.
func JSON(value json.RawMessage) Part { return Part{Kind: JSONPart, JSON: value} }

// Failure is a failure that the model reads. If the tool was made with Func, its function returns
// the Failure as its error. Other tools return Failure.Result.
type Failure string

// Failf returns a Failure with a formatted message.
func Failf(format string, args ...any) Failure { return Failure(fmt.Sprintf(format, args...)) }

// Error returns the message.
func (f Failure) Error() string { return string(f) }

// Result returns the failure as the result of a call.
func (f Failure) Result() Result {
	return Result{IsError: true, Content: []Part{Text(string(f))}}
}
