package agent

import (
	"encoding/json"
	"fmt"
	"time"
)

// Call is one use of a tool. Its zero value calls without arguments, for nobody.
type Call struct {
	ID        string          // the caller's name for the call; may be empty
	Session   string          // empty outside of a session
	User      string          // on whose behalf
	Arguments json.RawMessage // a JSON object; empty means {}

	// For observers alone.

	Via     string  // protocol of the call, as ViaHTTP; empty if there is none
	Consent Consent // zero: nobody was asked
	Spent   int     // tokens that the turn's model had used before

	view   *View  // that the caller sees, for calls from within
	within int    // calls around this one
	tool   string // name of the running tool
	parent string // see Parent
}

// Parent returns the name of the tool that made the call; empty if no tool did.
func (c Call) Parent() string { return c.parent }

// The protocols that Call.Via names.
const (
	ViaHTTP   = "http"   // POST to a tool's path
	ViaWS     = "ws"     // a turn of /ws
	ViaPrompt = "prompt" // a turn of a prompt
	ViaMCP    = "mcp"

	ViaGeneral = "general" // a turn of the general agent service
	ViaOpenAI  = "openai"  // an answer at the OpenAI door
	ViaHost    = "host"    // a turn of a session with a remote tool host
)

// Consent says who allowed or refused a call.
type Consent string

// The kinds of consent.
const (
	Unasked      Consent = ""          // the caller decided, or the call failed before anybody was asked
	RulesAllow   Consent = "allowed"   // nobody was asked
	RulesForbid  Consent = "forbidden" // nobody was asked
	UserApproved Consent = "approved"  // unchanged
	UserEdited   Consent = "edited"    // with other arguments
	UserDenied   Consent = "denied"
	UserSilent   Consent = "expired" // the user did not answer in time
)

// Result is a tool's answer.
type Result struct {
	Content    []Part          // for the model, in order; if empty, the model reads Structured
	Structured json.RawMessage // the answer as one JSON value; empty if there is none
	Checked    bool            // Structured was checked to be valid JSON before
	IsError    bool            // the tool failed, and Content says why
	Meta       json.RawMessage // an object of what the tool says beside its answer, as _meta of MCP, for clients; empty if there is none
	Warning    string          // for people who watch the session, and not for the model; may be empty
	Usage      Usage
}

// Usage is what a call used. A zero was not measured, or was nothing.
type Usage struct {
	Fuel        uint64        // instructions executed, by the sandbox's own count
	PeakMemory  int64         // bytes
	WallTime    time.Duration // from Call to its return, unless the tool measured it
	HostCalls   int64         // calls from the sandbox into the gateway
	EgressBytes int64         // bytes sent to the network
}

// PartKind says which field of a Part holds its content.
type PartKind string

// The kinds of part.
const (
	TextPart  PartKind = "text"
	ImagePart PartKind = "image"
	JSONPart  PartKind = "json"
)

// Part is a piece of content, made by Text, Image or JSON.
type Part struct {
	Kind      PartKind
	Text      string          // of a TextPart
	MediaType string          // of an ImagePart, as "image/png"
	Data      []byte          // of an ImagePart: the file's bytes
	JSON      json.RawMessage // of a JSONPart

	// MCP is the piece as the Model Context Protocol has it, if it says more than the fields above: audio, links,
	// annotations. Protocols that know no such pieces show the fields above.
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

// Failure is a tool's own failure, for the model. A function given to Func
// returns it as its error; other tools return its Result.
type Failure string

// Failf returns a Failure with a message for the model.
func Failf(format string, args ...any) Failure { return Failure(fmt.Sprintf(format, args...)) }

// Error returns the message.
func (f Failure) Error() string { return string(f) }

// Result returns the failure as a tool's answer.
func (f Failure) Result() Result {
	return Result{IsError: true, Content: []Part{Text(string(f))}}
}
