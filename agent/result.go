package agent

import (
	"encoding/json"
	"fmt"
	"time"
)

// Call is one use of a tool. Its zero value calls without arguments, for nobody.
type Call struct {
	ID        string          // what the caller knows the call by; may be empty
	Session   string          // the session it belongs to; empty outside of one
	User      string          // on whose behalf
	Arguments json.RawMessage // a JSON object; empty means {}

	// What follows is for observers alone.

	Via     string  // the protocol that it came by, as ViaHTTP; empty for none
	Consent Consent // how it came to be made; zero: nobody was asked
	Spent   int     // tokens that the model of its turn had taken until then

	view   *View  // what the caller sees, for calls from within
	within int    // calls around this one
	tool   string // that is called, once it runs
	parent string // see Parent
}

// Parent returns the name of the tool from within which the call was made,
// empty for none.
func (c Call) Parent() string { return c.parent }

// The protocols that Call.Via names.
const (
	ViaHTTP   = "http"   // POST to a tool's path
	ViaWS     = "ws"     // a turn of /ws
	ViaPrompt = "prompt" // a turn of a prompt
	ViaMCP    = "mcp"

	ViaGeneral = "general" // a turn of the general agent service
)

// Consent says who let a call be made, or did not.
type Consent string

// The ways to let a call be made, and not to.
const (
	Unasked      Consent = ""          // whoever made it decided by themselves, or it failed before anybody was asked
	RulesAllow   Consent = "allowed"   // nobody was asked, as the rules allow it
	RulesForbid  Consent = "forbidden" // nobody was asked, as the rules forbid it
	UserApproved Consent = "approved"  // as it was
	UserEdited   Consent = "edited"    // with other arguments
	UserDenied   Consent = "denied"
	UserSilent   Consent = "expired" // was asked, and did not answer in time
)

// Result is what a tool answers.
type Result struct {
	Content    []Part          // what the model reads, in order; when empty it reads Structured
	Structured json.RawMessage // the answer as one JSON value; empty when there is none
	Checked    bool            // Structured is known to be valid JSON, and is not looked at again
	IsError    bool            // the tool could not do it, and Content says why
	Warning    string          // for who watches the session it is called in, besides what the model reads; empty for none
	Usage      Usage
}

// Usage is what a call took. A zero was not measured, or was nothing.
type Usage struct {
	Fuel        uint64        // instructions executed, by the sandbox's own count
	PeakMemory  int64         // bytes
	WallTime    time.Duration // from Call to its return, unless the tool tells it
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

// Part is a piece of content. Text, Image and JSON make one.
type Part struct {
	Kind      PartKind
	Text      string          // of a TextPart
	MediaType string          // of an ImagePart, as "image/png"
	Data      []byte          // of an ImagePart: the file's bytes
	JSON      json.RawMessage // of a JSONPart
}

// Text returns a part with text.
func Text(text string) Part { return Part{Kind: TextPart, Text: text} }

// Image returns a part with an image file, such as a PNG.
func Image(mediaType string, data []byte) Part {
	return Part{Kind: ImagePart, MediaType: mediaType, Data: data}
}

// JSON returns a part with a JSON value.
func JSON(value json.RawMessage) Part { return Part{Kind: JSONPart, JSON: value} }

// Failure is a tool's own failure, as the model reads it. A function given to
// Func returns it as its error; other tools return its Result.
type Failure string

// Failf returns a Failure with a message for the model.
func Failf(format string, args ...any) Failure { return Failure(fmt.Sprintf(format, args...)) }

// Error returns the message.
func (f Failure) Error() string { return string(f) }

// Result returns the failure as a tool's answer.
func (f Failure) Result() Result {
	return Result{IsError: true, Content: []Part{Text(string(f))}}
}
