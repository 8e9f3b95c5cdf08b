// Package models talks to language models, and says what every one of them is
// asked and answers in one vocabulary.
//
//	for event, err := range model.Stream(ctx, models.Request{Model: "gpt-5.4", System: system, Messages: history, Tools: tools}) {
//		...
//	}
//
// The providers of Models have a folder each: openai (every endpoint that speaks its chat protocol,
// as vLLM, Ollama and LM Studio), anthropic, gemini, and commander, which needs no network. Their
// Open gives a Model; Retry makes one patient:
//
//	model, err := anthropic.Open(anthropic.Config{APIKey: models.NewSecret(key)})
//	model = models.Retry(model, models.RetryOptions{})
//
// This package has what they share. Normalise makes conversations that all of them take, Wire is
// their way to the network and names failures, Answer orders what they say and keeps to the limits,
// Estimate counts tokens if a provider does not, and a Catalogue lists the models. modelstest is
// for tests.
package models

import (
	"context"
	"encoding/json"
	"iter"
)

// Model answers conversations. Its methods are safe for concurrent use.
type Model interface {
	// Stream yields the answer as it comes: any number of Thinking, ThoughtEnd and Text events, in
	// turns, then whole ToolCall events, one UsageKnown and one End. Nothing is sent before the
	// loop begins; ranging over it again asks again.
	//
	// An error ends it early, without UsageKnown and End: ctx's own, or a fault: MODEL_ERROR for
	// what the provider refused or could not do, MODEL_RATE_LIMITED and MODEL_UNAVAILABLE for what
	// may work later, MODEL_CONTEXT_FULL for a request too long for the model, and VALIDATION_ERROR
	// for one that no provider could take. What came before the error may stay in the history;
	// calls come only with a complete answer. Leaving the loop ends the request to the provider.
	Stream(ctx context.Context, req Request) iter.Seq2[Event, error]
}

// Request is what a model is asked.
type Request struct {
	Model     string    // as the provider calls it, as "gpt-5.4"
	Reasoning string    // how much to think, as the provider calls it; empty for its default, "none" for not at all
	System    string    // the instructions before the conversation
	Messages  []Message // oldest first; a call always has its result behind it, or Normalise puts one there
	Tools     []Tool    // what the model may call
	MaxTokens int       // of the answer, thoughts included; 0 for the provider's default
	Steady    bool      // the likeliest answer and no other; models that think refuse it, or pass over it
	User      string    // an id of the user, for providers that want one; never a name or address
}

// Role says whose a message is.
type Role string

// The roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool" // holds Result parts only
)

// Message is one turn of a conversation.
type Message struct {
	Role  Role
	Parts []Part
}

// Part is a piece of a message. Exactly one of its fields is set.
type Part struct {
	Text    string
	Image   *Image
	Thought *Thought // of an assistant
	Call    *Call    // of an assistant
	Result  *Result  // of a tool
}

// Image is a picture.
type Image struct {
	MediaType string // as "image/png"
	Data      []byte
}

// Thought is what a model thought before it answered. Some providers want it
// back with the next request, unchanged.
type Thought struct {
	Text      string
	Provider  string // whose it is, as "anthropic"; others are not sent it
	Signature string // opaque; may be empty. A thought may be nothing but one
}

// Call is a model's wish to have a tool called.
type Call struct {
	ID        string          // unique within the conversation; made here when the provider gives none
	Name      string          // of one of the request's tools, unless the model made it up
	Arguments json.RawMessage // valid JSON, an object; see Invalid for what a model wrote wrongly
	Signature string          // opaque, to be sent back to the provider that gave it; others pass over it
}

// Result is what came of a call.
type Result struct {
	CallID  string // the Call's ID
	Name    string
	Parts   []Part // text and images
	IsError bool
}

// Tool is what a model may call. Names have the letters, digits, "_" and "-"
// that all providers take, at most 64 of them.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments, an object; empty takes none
}

// Event is a piece of an answer. Which fields are set is by Kind.
type Event struct {
	Kind    EventKind
	Text    string   // of Text, and of Thinking
	Thought *Thought // of ThoughtEnd: the whole thought, for the history
	Call    *Call    // of ToolCall
	Usage   Usage    // of UsageKnown
	End     EndReason
}

// EventKind says what an event is.
type EventKind string

// The kinds, in the order in which an answer has them.
const (
	Thinking   EventKind = "thinking"    // a piece of a thought, to show
	ThoughtEnd EventKind = "thought-end" // a thought is whole
	Text       EventKind = "text"        // a piece of the answer
	ToolCall   EventKind = "tool-call"   // a whole call
	UsageKnown EventKind = "usage"       // what the answer took
	End        EventKind = "end"         // always last
)

// EndReason says why an answer ended.
type EndReason string

// The reasons.
const (
	Stop      EndReason = "stop"       // the model was done
	ToolCalls EndReason = "tool-calls" // it waits for results
	Length    EndReason = "length"     // MaxTokens, or the model's own limit; the last call may be Invalid
	Refused   EndReason = "refused"    // the provider's filter stopped it
)

// Usage is what an answer took, in tokens. The kinds do not overlap: their sum was used.
type Usage struct {
	Input      int  // of the request, not from a cache
	CacheRead  int  // of the request, from the provider's cache
	CacheWrite int  // of the request, put into the cache
	Output     int  // of the answer, as seen
	Reasoning  int  // of the answer, thought and not seen
	Estimated  bool // the provider gave no figures; counted here
}

// Prompt returns the tokens of the request.
func (u Usage) Prompt() int { return u.Input + u.CacheRead + u.CacheWrite }

// Total returns all tokens.
func (u Usage) Total() int { return u.Prompt() + u.Output + u.Reasoning }

// Add returns the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, CacheRead: u.CacheRead + v.CacheRead, CacheWrite: u.CacheWrite + v.CacheWrite,
		Output: u.Output + v.Output, Reasoning: u.Reasoning + v.Reasoning, Estimated: u.Estimated || v.Estimated,
	}
}
