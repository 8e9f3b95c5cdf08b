// Package models talks to language models. All models have the same types for requests and answers.
//
//	for event, err := range model.Stream(ctx, models.Request{Model: "gpt-5.4", System: system, Messages: history, Tools: tools}) {
//		...
//	}
//
// Each kind of provider has a folder: openai (every server with OpenAI's chat protocol, for example
// vLLM, Ollama and LM Studio), anthropic, gemini, and commander, which needs no network. In the
// first three folders, the function Open returns a Model. Retry adds retries and time limits:
//
//	model, err := anthropic.Open(anthropic.Config{APIKey: models.NewSecret(key)})
//	model = models.Retry(model, models.RetryOptions{})
//
// This package has the parts that all providers share. Normalise makes a conversation valid for all
// providers. Wire sends requests and classifies failures. Answer orders events and enforces limits.
// Estimate counts tokens if a provider does not count them. A Catalogue lists the models. Package
// modelstest is for tests.
package models

import (
	"context"
	"encoding/json"
	"iter"
)

// Model answers conversations. Its methods are safe for concurrent use.
type Model interface {
	// Stream sends a request and yields the answer as it arrives: any number of Thinking,
	// ThoughtEnd and Text events, mixed, then complete ToolCall events, one UsageKnown and one End.
	// It sends nothing before the loop begins. A second loop sends the request again.
	//
	// An error ends the answer early, without UsageKnown and End. It is ctx's error, or a fault:
	// MODEL_ERROR if the provider refused or failed for good, MODEL_RATE_LIMITED and
	// MODEL_UNAVAILABLE if a retry may succeed, MODEL_CONTEXT_FULL if the request is too long for
	// the model, and VALIDATION_ERROR if no provider could accept it. Events before the error may
	// be added to the history. Calls are yielded only in a complete answer. Leaving the loop
	// cancels the request.
	Stream(ctx context.Context, req Request) iter.Seq2[Event, error]
}

// Request is a request to a model.
type Request struct {
	Model     string    // the provider's name of the model, for example "gpt-5.4"
	Reasoning string    // amount of thinking, in the provider's terms; empty: its default; "none": no thinking
	System    string    // instructions before the conversation
	Messages  []Message // oldest first; if a call has no result behind it, Normalise adds one
	Tools     []Tool    // tools that the model may call
	MaxTokens int       // maximum of the answer, thoughts included; 0: the provider's default
	Steady    bool      // request the likeliest answer (temperature 0); thinking models refuse or ignore it
	User      string    // an id of the user, for providers that require one; never a name or address
}

// Role is the author of a message.
type Role string

// The roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool" // has only Result parts
)

// Message is one message of a conversation.
type Message struct {
	Role  Role
	Parts []Part
}

// Part is a part of a message. Exactly one field is set.
type Part struct {
	Text    string
	Image   *Image
	Thought *Thought // only in an assistant's message
	Call    *Call    // only in an assistant's message
	Result  *Result  // only in a tool's message
}

// Image is an image file.
type Image struct {
	MediaType string // for example "image/png"
	Data      []byte
}

// Thought is a model's reasoning before its answer. Some providers require the unchanged thought in
// the next request.
type Thought struct {
	Text      string
	Provider  string // provider that made it, for example "anthropic"; it is not sent to other providers
	Signature string // opaque; may be empty. A thought may have only a signature
}

// Call is a model's request to call a tool.
type Call struct {
	ID        string          // unique in the conversation; generated here if the provider gives none
	Name      string          // one of the request's tools, unless the model invented it
	Arguments json.RawMessage // a JSON object; see Invalid for arguments that the model wrote wrongly
	Signature string          // opaque; sent back to the provider that gave it, ignored by others
}

// Result is the result of a call.
type Result struct {
	CallID  string // ID of the Call
	Name    string
	Parts   []Part // texts and images
	IsError bool
}

// Tool is a tool that the model may call. Name has at most 64 letters, digits, "_" and "-": all
// providers accept such names.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments, an object; empty: no arguments
}

// Event is a part of an answer. Kind decides which fields are set.
type Event struct {
	Kind    EventKind
	Text    string   // of Text and Thinking
	Thought *Thought // of ThoughtEnd: the complete thought, for the history
	Call    *Call    // of ToolCall
	Usage   Usage    // of UsageKnown
	End     EndReason
}

// EventKind is the kind of an event.
type EventKind string

// The kinds, in their order in an answer.
const (
	Thinking   EventKind = "thinking"    // a piece of a thought, to show
	ThoughtEnd EventKind = "thought-end" // a thought is complete
	Text       EventKind = "text"        // a piece of the answer's text
	ToolCall   EventKind = "tool-call"   // a complete call
	UsageKnown EventKind = "usage"       // usage of the answer
	End        EventKind = "end"         // always last
)

// EndReason is the reason why an answer ended.
type EndReason string

// The reasons.
const (
	Stop      EndReason = "stop"       // the model finished
	ToolCalls EndReason = "tool-calls" // the model waits for results
	// MaxTokens or the model's own limit was reached; the last call may be Invalid
	Length  EndReason = "length"
	Refused EndReason = "refused" // the provider's filter stopped the answer
)

// Usage is the number of tokens of a request and its answer. No token counts in two fields; Total
// returns the sum of the fields.
type Usage struct {
	Input      int  // of the request, not cached
	CacheRead  int  // of the request, read from the provider's cache
	CacheWrite int  // of the request, written to the cache
	Output     int  // of the answer, visible
	Reasoning  int  // of the answer, hidden thoughts
	Estimated  bool // an estimate made here, because the provider reported nothing
}

// Prompt returns the number of tokens of the request.
func (u Usage) Prompt() int { return u.Input + u.CacheRead + u.CacheWrite }

// Total returns the sum of all tokens.
func (u Usage) Total() int { return u.Prompt() + u.Output + u.Reasoning }

// Add returns the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, CacheRead: u.CacheRead + v.CacheRead, CacheWrite: u.CacheWrite + v.CacheWrite,
		Output: u.Output + v.Output, Reasoning: u.Reasoning + v.Reasoning, Estimated: u.Estimated || v.Estimated,
	}
}
