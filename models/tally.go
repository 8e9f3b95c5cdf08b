package models

import (
	"context"
	"encoding/json"
	"time"
)

// assumedThoughts is the assumed number of hidden thinking tokens per second before a model's first
// output. Most providers do not show thoughts, but count them.
const assumedThoughts = 100

// Tally follows an answer and computes its usage, even if the answer ends before the provider
// reports the usage: a cancelled answer was still work for the provider. Make one with NewTally. A
// Tally must be used by the goroutine that ranges over the answer.
type Tally struct {
	req    Request
	asked  time.Time     // start of the last attempt
	quiet  time.Duration // time from asked to the first word or call
	spoken bool          // a word or a call has arrived

	thoughts, said size
	pieces         size // of calls that are not complete

	told  Usage // usage that the provider has reported so far
	whole bool  // told is the usage of the whole answer
	began bool  // a part of the answer has arrived
}

// NewTally returns a tally of the answer to req, and a context for Model.Stream. With this context,
// the tally also counts incomplete calls and the usage that the provider reports before the end.
func NewTally(ctx context.Context, req Request) (context.Context, *Tally) {
	t := &Tally{req: req, asked: time.Now()}
	return withPeek(ctx, t.peek), t
}

// See adds an event of the answer to the tally.
func (t *Tally) See(e Event) {
	t.began = true
	switch e.Kind {
	case UsageKnown:
		t.told, t.whole = e.Usage, true
	case Thinking:
		t.thoughts.add(e.Text)
	case Text:
		t.speaks()
		t.said.add(e.Text)
	case ToolCall:
		t.speaks()
		t.pieces = size{} // calls come complete and all together
		t.said.add(e.Call.Name)
		t.said.add(string(e.Call.Arguments))
	case ThoughtEnd, End:
	}
}

// peek adds a piece that an Answer holds back.
func (t *Tally) peek(e Event) {
	switch e.Kind { //nolint:exhaustive // the others are seen
	case "":
		t.asked = time.Now()
	case UsageKnown:
		t.told = e.Usage
		t.began = t.began || e.Usage.Total() > 0
	case ToolCall:
		t.began = true
		t.speaks()
		t.pieces.add(e.Call.Name)
		t.pieces.add(string(e.Call.Arguments))
	}
}

// speaks records the time of the first word or call.
func (t *Tally) speaks() {
	if !t.spoken {
		t.spoken, t.quiet = true, time.Since(t.asked)
	}
}

// Began reports whether any part of the answer has arrived.
func (t *Tally) Began() bool { return t.began }

// Usage returns the usage of the answer so far. If the provider has reported the usage at the end of
// the answer, Usage returns the provider's numbers. Otherwise it returns an estimate, which is at least
// the usage that the provider has reported so far. Unless the request disables thinking, the estimate
// includes 100 thinking tokens for each full second before the first output. These tokens do not raise
// the estimated answer above the request's MaxTokens.
func (t *Tally) Usage() Usage {
	if t.whole && t.told.Total() > 0 {
		return t.told
	}
	u := t.told
	u.Estimated = true
	if u.Prompt() <= 0 {
		u.Input = Estimate(t.req)
	}
	u.Output = max(u.Output, t.said.tokens()+t.pieces.tokens())
	u.Reasoning = max(u.Reasoning, t.thoughts.tokens(), t.hidden(u.Output))
	return u
}

// hidden returns the estimated hidden thinking tokens for an answer of output tokens.
func (t *Tally) hidden(output int) int {
	if t.req.Reasoning == "none" {
		return 0
	}
	quiet := t.quiet
	if !t.spoken {
		quiet = time.Since(t.asked)
	}
	thoughts := int(quiet/time.Second) * assumedThoughts
	if t.req.MaxTokens > 0 {
		thoughts = min(thoughts, max(0, t.req.MaxTokens-output))
	}
	return thoughts
}

// peekKey is the context key of withPeek.
type peekKey struct{}

// withPeek returns a context in which peek gets the parts that an Answer holds back. At its start, each
// Answer sends an event without a kind. A piece of a call is a ToolCall event, whose arguments may be
// incomplete JSON. Intermediate usage is a UsageKnown event.
func withPeek(ctx context.Context, peek func(Event)) context.Context {
	outer := peekOf(ctx)
	return context.WithValue(ctx, peekKey{}, func(e Event) {
		outer(e)
		peek(e)
	})
}

// peekOf returns the function of withPeek. If ctx has none, it returns a function that does nothing.
func peekOf(ctx context.Context) func(Event) {
	if peek, ok := ctx.Value(peekKey{}).(func(Event)); ok {
		return peek
	}
	return func(Event) {}
}

// pieceOf converts a piece of a call to an event.
func pieceOf(p CallPiece) Event {
	return Event{Kind: ToolCall, Call: &Call{Name: p.Name, Arguments: json.RawMessage(p.Arguments)}}
}
