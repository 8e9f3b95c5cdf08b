package models

import (
	"context"
	"encoding/json"
	"time"
)

// assumedThoughts is how many tokens a model that has said nothing yet is taken to think in a second,
// as most providers do not show what their models think, and count it all the same.
const assumedThoughts = 100

// Tally follows an answer and says what it took, also of one that ended before its usage came: whoever left it, or
// stopped it, made a provider work for it. NewTally makes one. It belongs to the goroutine that ranges over the answer.
type Tally struct {
	req    Request
	asked  time.Time     // when the last attempt began
	quiet  time.Duration // from then to the first word or call
	spoken bool          // there was one

	thoughts, said size
	pieces         size // of calls that are not whole yet

	told  Usage // that the provider has reported so far
	whole bool  // told is of the whole answer
	began bool
}

// NewTally returns a tally of the answer to req, and the context to ask a Model with: so the tally learns of calls before
// they are whole, and of usage that the provider reports in between.
func NewTally(ctx context.Context, req Request) (context.Context, *Tally) {
	t := &Tally{req: req, asked: time.Now()}
	return withPeek(ctx, t.peek), t
}

// See takes an event of the answer.
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
		t.pieces = size{} // calls come whole, and all together
		t.said.add(e.Call.Name)
		t.said.add(string(e.Call.Arguments))
	case ThoughtEnd, End:
	}
}

// peek takes what an Answer holds back.
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

// speaks notes that the model has thought enough.
func (t *Tally) speaks() {
	if !t.spoken {
		t.spoken, t.quiet = true, time.Since(t.asked)
	}
}

// Began reports whether anything of an answer has come.
func (t *Tally) Began() bool { return t.began }

// Usage returns what the answer took so far: what its provider counted at its end; before that, or where it counted
// nothing, an estimate, and no less than the provider has reported. For each full second before the model said anything
// the estimate has 100 tokens of thoughts, unless the request turns thinking off, within the request's bound of the answer.
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

// hidden returns how many tokens the model may have thought unseen, beside an answer of output tokens.
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

// peekKey is where a context has what withPeek was given.
type peekKey struct{}

// withPeek returns a context in which peek gets what Answers hold back: an event without a kind as each begins, then
// pieces of calls as ToolCall events, whose arguments may be no JSON yet, and usage that may change as UsageKnown.
func withPeek(ctx context.Context, peek func(Event)) context.Context {
	outer := peekOf(ctx)
	return context.WithValue(ctx, peekKey{}, func(e Event) {
		outer(e)
		peek(e)
	})
}

// peekOf returns the function that gets what a context's Answers hold back; one that does nothing if there is none.
func peekOf(ctx context.Context) func(Event) {
	if peek, ok := ctx.Value(peekKey{}).(func(Event)); ok {
		return peek
	}
	return func(Event) {}
}

// pieceOf returns a piece of a call as an event.
func pieceOf(p CallPiece) Event {
	return Event{Kind: ToolCall, Call: &Call{Name: p.Name, Arguments: json.RawMessage(p.Arguments)}}
}
