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
	Model string // the provider's name for the model, for example "gpt-5.4"
	// Reasoning is the amount of thinking, in the provider's terms. If it is empty, the provider's
	// default applies. "none" means no thinking.
	Reasoning string
	System    string    // instructions before the conversation
	Messages  []Message // messages, oldest first; if a call has no result, Normalise adds a result
	Tools     []Tool    // tools that the model may call
	MaxTokens int       // maximum number of tokens of the answer, including thoughts; 0: the provider's default
	Sampling  Sampling  // how the model chooses words; a provider refuses a parameter that it lacks
	Format    *Format   // required form of the answer's text; nil: any text
	MustCall  bool      // the answer must call one of Tools; not every server obeys
	OneCall   bool      // the answer must have at most one call; not every server obeys
	User      string    // id of the user, for providers that require one; never a name or address
}

// Role is the author of a message.
type Role string

// The roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool" // the author of a message that has only Result parts
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
	Thought *Thought // a thought of the model; only in an assistant's message
	Call    *Call    // a call of a tool; only in an assistant's message
	Result  *Result  // the result of a call; only in a tool's message
}

// Image is an image file.
type Image struct {
	MediaType string // media type of the file, for example "image/png"
	Data      []byte
}

// Thought is a model's reasoning before its answer. Some providers require the unchanged thought in
// the next request.
type Thought struct {
	Text     string
	Provider string // provider that made the thought, for example "anthropic"; other providers do not get the thought
	// Signature is opaque text from the provider. It may be empty. A thought may have a signature
	// and no text.
	Signature string
}

// Call is a model's request to call a tool.
type Call struct {
	ID        string          // id that is unique in the conversation; generated here if the provider gives none
	Name      string          // name of one of the request's tools, unless the model invented it
	Arguments json.RawMessage // arguments as a JSON object; see Invalid for arguments that the model wrote wrongly
	Signature string          // opaque text; sent back to the provider that gave it, ignored by other providers
}

// Result is the result of a call.
type Result struct {
	CallID  string // ID of the Call that has this result
	Name    string
	Parts   []Part // texts and images of the result
	IsError bool
}

// Tool is a tool that the model may call. Name has at most 64 letters, digits, "_" and "-": all
// providers accept such names.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments, which are an object; empty: no arguments
	Strict      bool            // the provider must enforce Schema, if it can
}

// Event is a part of an answer. Kind decides which fields are set.
type Event struct {
	Kind    EventKind
	Text    string   // piece of text, for the kinds Text and Thinking
	Thought *Thought // complete thought for the history, for the kind ThoughtEnd
	Call    *Call    // complete call, for the kind ToolCall
	Usage   Usage    // usage of the answer, for the kind UsageKnown
	End     EndReason
}

// EventKind is the kind of an event.
type EventKind string

// The kinds, in their order in an answer.
const (
	Thinking   EventKind = "thinking"    // a piece of a thought, for display
	ThoughtEnd EventKind = "thought-end" // a complete thought
	Text       EventKind = "text"        // a piece of the answer's text
	ToolCall   EventKind = "tool-call"   // a complete tool call
	UsageKnown EventKind = "usage"       // usage of the answer
	End        EventKind = "end"         // the end of the answer, always the last event
)

// EndReason is the reason why an answer ended.
type EndReason string

// The reasons.
const (
	Stop      EndReason = "stop"       // the model finished its answer
	ToolCalls EndReason = "tool-calls" // the model waits for the results of its tool calls
	// Length means that the answer reached MaxTokens or the model's own limit. The last call may be
	// Invalid.
	Length  EndReason = "length"
	Refused EndReason = "refused" // the provider's filter stopped the answer
)

// Usage is the number of tokens of a request and its answer. No token is counted in two fields.
// Total returns the sum of the fields.
type Usage struct {
	Input      int  // tokens of the request that are not in the fields CacheRead and CacheWrite
	CacheRead  int  // tokens of the request that the provider read from its cache
	CacheWrite int  // tokens of the request that the provider wrote to its cache
	Output     int  // tokens of the visible answer
	Reasoning  int  // tokens of hidden thoughts in the answer
	Estimated  bool // true if the gateway estimated the numbers, because the provider reported no usage
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
