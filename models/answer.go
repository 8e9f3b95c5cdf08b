package models

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// How much of an answer is taken. More ends it with MODEL_ERROR: no model that
// works says so much, and what it says is kept in memory and in the journal.
const (
	MaxText      = 4 << 20 // bytes of text
	MaxThought   = 4 << 20 // bytes of all thoughts, signatures included
	MaxArguments = 1 << 20 // bytes of one call's arguments
	MaxCalls     = 128     // calls in one answer
)

// errLeft is the error of an answer whose reader has left the loop.
var errLeft = errors.New("models: the reader left")

// Answer takes an answer from a provider in pieces, in any order. It puts them in the order that
// Model promises, gathers calls until they are whole, and keeps to the limits. A provider returns
// each error at once. An Answer belongs to one goroutine.
type Answer struct {
	provider string
	req      Request
	yield    func(Event, error) bool
	peek     func(Event) // gets what is no event yet; see withPeek
	inYield  bool        // a panic now is the reader's

	thought  strings.Builder
	thinking bool // a thought is open
	texts    size // of all text
	thoughts size // of all thoughts
	calls    gathering
	usage    Usage
	counted  bool // the provider gave usage
	end      EndReason
	odd      string // the provider's word for an end, if it is not a known one
}

// Scripted returns the events that produce puts into an Answer, and then the
// error of produce. If there is none, the answer is complete: calls, usage and
// End are added. Models on a Wire use Wire.Stream.
func Scripted(ctx context.Context, provider string, req Request, produce func(context.Context, *Answer) error) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		a := &Answer{provider: provider, req: req, yield: yield, peek: peekOf(ctx), calls: newGathering(req.Messages)}
		a.peek(Event{})
		err := produce(ctx, a)
		if err == nil {
			err = a.finish()
		}
		if err != nil && !errors.Is(err, errLeft) {
			yield(Event{}, err)
		}
	}
}

// Text adds a piece of the answer. A thought that is open ends before it.
func (a *Answer) Text(piece string) error {
	if piece == "" {
		return nil
	}
	if err := a.EndThought(""); err != nil {
		return err
	}
	a.texts.add(piece)
	if a.texts.bytes > MaxText {
		return tooLong("text", MaxText)
	}
	return a.emit(Event{Kind: Text, Text: piece})
}

// Think adds a piece of a thought.
func (a *Answer) Think(piece string) error {
	if piece == "" {
		return nil
	}
	a.thoughts.add(piece)
	if a.thoughts.bytes > MaxThought {
		return tooLong("thought", MaxThought)
	}
	a.thinking = true
	a.thought.WriteString(piece)
	return a.emit(Event{Kind: Thinking, Text: piece})
}

// EndThought ends the thought that is open. With a signature it makes one that
// has no text, when none is open.
func (a *Answer) EndThought(signature string) error {
	if !a.thinking && signature == "" {
		return nil
	}
	a.thoughts.bytes += len(signature)
	if a.thoughts.bytes > MaxThought {
		return tooLong("thought", MaxThought)
	}
	whole := &Thought{Text: a.thought.String(), Provider: a.provider, Signature: signature}
	a.thought.Reset()
	a.thinking = false
	return a.emit(Event{Kind: ThoughtEnd, Thought: whole})
}

// Call adds a piece of a call.
func (a *Answer) Call(piece CallPiece) error {
	if err := a.EndThought(""); err != nil {
		return err
	}
	a.peek(pieceOf(piece))
	return a.calls.add(piece)
}

// Used says what the answer took. The last time counts.
func (a *Answer) Used(usage Usage) {
	a.usage, a.counted = usage, true
	a.peek(Event{Kind: UsageKnown, Usage: usage})
}

// End says why the answer ends. One that nobody gave a reason for broke off. What was refused stays
// so: some providers refuse first, and then stop.
func (a *Answer) End(reason EndReason) {
	if a.end != Refused {
		a.end = reason
	}
}

// finish adds what comes last.
func (a *Answer) finish() error {
	if a.end == "" {
		return a.brokenOff()
	}
	if err := a.EndThought(""); err != nil {
		return err
	}
	calls := a.calls.whole()
	for _, call := range calls {
		if err := a.emit(Event{Kind: ToolCall, Call: &call}); err != nil {
			return err
		}
	}
	if err := a.emit(Event{Kind: UsageKnown, Usage: a.usageOf(calls)}); err != nil {
		return err
	}
	// Providers do not agree on how an answer with calls ends.
	switch {
	case a.end == Stop && len(calls) > 0:
		a.end = ToolCalls
	case a.end == ToolCalls && len(calls) == 0:
		a.end = Stop
	}
	return a.emit(Event{Kind: End, End: a.end})
}

// usageOf returns the usage that the provider gave, or else an estimate.
func (a *Answer) usageOf(calls []Call) Usage {
	if a.counted {
		return a.usage
	}
	said := a.texts
	for _, call := range calls {
		said.add(call.Name)
		said.add(string(call.Arguments))
	}
	return Usage{Input: Estimate(a.req), Output: said.tokens(), Reasoning: a.thoughts.tokens(), Estimated: true}
}

func (a *Answer) emit(event Event) error {
	a.inYield = true
	on := a.yield(event, nil)
	a.inYield = false
	if !on {
		return errLeft
	}
	return nil
}

// tooLong returns the fault of an answer that is over a limit.
func tooLong(what string, limit int) error {
	return fault.New("models.Stream", sdkapi.ModelError, "the model's answer has more than %d bytes of %s, and was stopped", limit, what)
}

// CallPiece is a piece of a call, as providers stream them. An empty field was not sent.
type CallPiece struct {
	Index     *int // which call of the answer it belongs to; nil when the provider does not number them
	ID        string
	Name      string
	Arguments string // a piece of JSON text
	Signature string
}

type gathering struct {
	calls []*gathered     // in the order begun
	taken map[string]bool // ids of the conversation
}

// gathered is a call of which pieces have come.
type gathered struct {
	index     *int
	call      Call
	arguments strings.Builder
}

// newGathering returns one that gives no call an id that history has.
func newGathering(history []Message) gathering {
	taken := map[string]bool{}
	for _, m := range history {
		for _, p := range m.Parts {
			if p.Call != nil {
				taken[p.Call.ID] = true
			}
		}
	}
	return gathering{taken: taken}
}

func (g *gathering) add(p CallPiece) error {
	to := g.find(p)
	if to == nil {
		if len(g.calls) == MaxCalls {
			return fault.New("models.Stream", sdkapi.ModelError, "the model's answer has more than %d calls, and was stopped", MaxCalls)
		}
		to = &gathered{index: p.Index}
		g.calls = append(g.calls, to)
	}
	if to.call.ID == "" {
		to.call.ID = p.ID
	}
	if to.call.Name == "" {
		to.call.Name = p.Name
	}
	if p.Signature != "" {
		to.call.Signature = p.Signature
	}
	if to.arguments.Len()+len(p.Arguments) > MaxArguments || len(p.Name) > MaxArguments || len(p.ID) > MaxArguments {
		return tooLong("arguments in one call", MaxArguments)
	}
	to.arguments.WriteString(p.Arguments)
	return nil
}

// unreadable adds a call without a name, behind all others.
func (g *gathering) unreadable(written, signature string) error {
	number := math.MaxInt
	return g.add(CallPiece{Index: &number, Arguments: written[:min(len(written), MaxArguments)], Signature: signature})
}

// find returns the call that p continues, or nil when it begins one. Some servers number every call
// 0, without an id, so a piece with a function's name begins a call, unless its id is known.
func (g *gathering) find(p CallPiece) *gathered {
	for _, c := range slices.Backward(g.calls) {
		switch {
		case p.Index != nil && (c.index == nil || *c.index != *p.Index):
			continue
		case p.ID != "" && c.call.ID == p.ID:
			return c
		case p.ID != "" && (c.call.ID != "" || p.Index == nil):
			continue
		case p.Name != "" && c.call.Name != "":
			return nil
		}
		return c
	}
	return nil
}

// made returns an id that the conversation does not have: that of the next number.
func (g *gathering) made() string {
	for n := len(g.taken); ; n++ {
		if id := MadeID + strconv.Itoa(n); !g.taken[id] {
			return id
		}
	}
}

// whole returns the calls, by their numbers where they have some. Each has an
// id that nothing else in the conversation has, and an object as arguments.
func (g *gathering) whole() []Call {
	slices.SortStableFunc(g.calls, func(a, b *gathered) int {
		if a.index == nil || b.index == nil {
			return 0
		}
		return cmp.Compare(*a.index, *b.index)
	})
	calls := make([]Call, 0, len(g.calls))
	for _, c := range g.calls {
		if c.call.ID == "" || g.taken[c.call.ID] {
			c.call.ID = g.made()
		}
		g.taken[c.call.ID] = true
		c.call.Arguments = objectOf(c.arguments.String())
		calls = append(calls, c.call)
	}
	return calls
}

// InvalidArgumentsKey names the only field of a call's arguments when what the
// model wrote was not a JSON object. No schema has a field of that name.
const InvalidArgumentsKey = "$invalid_arguments"

// Invalid returns what the model wrote as arguments if it is not a JSON object: nonsense, or cut
// off. Do not run such a call; its result asks the model to write its arguments again.
func (c Call) Invalid() (written string, invalid bool) {
	var fields map[string]json.RawMessage
	if !bytes.Contains(c.Arguments, []byte(InvalidArgumentsKey)) || json.Unmarshal(c.Arguments, &fields) != nil {
		return "", false
	}
	value, found := fields[InvalidArgumentsKey]
	if !found || len(fields) != 1 || json.Unmarshal(value, &written) != nil {
		return "", false
	}
	return written, true
}

// objectOf returns a model's arguments as a JSON object. Nothing is the empty object, as is null,
// which some servers send for no parameters; what is no object is kept under InvalidArgumentsKey.
func objectOf(written string) json.RawMessage {
	text := bytes.TrimSpace([]byte(written))
	if len(text) == 0 || string(text) == "null" {
		return json.RawMessage("{}")
	}
	if text[0] == '{' && json.Valid(text) {
		return text
	}
	// Some servers put the object into a string.
	var inner string
	if text[0] == '"' && json.Unmarshal(text, &inner) == nil {
		if object := bytes.TrimSpace([]byte(inner)); len(object) > 0 && object[0] == '{' && json.Valid(object) {
			return object
		}
	}
	wrapped, _ := json.Marshal(map[string]string{InvalidArgumentsKey: written}) // strings always marshal
	return wrapped
}
