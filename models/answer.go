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

// Limits of an answer. A longer answer ends with MODEL_ERROR: a working model never writes so much,
// and the answer must fit into memory and into the journal.
const (
	MaxText      = 4 << 20 // maximum size of an answer's text, in bytes
	MaxThought   = 4 << 20 // maximum size of all thoughts of an answer with their signatures, in bytes
	MaxArguments = 1 << 20 // maximum size of the arguments of one call, in bytes
	MaxCalls     = 128     // maximum number of calls in an answer
)

// errLeft is the error of an answer after its reader has stopped reading. No reader gets it.
var errLeft = errors.New("models: the reader stopped reading the answer")

// Answer receives the answer of a provider in pieces, which may come in any order. It yields events in the order that
// Model promises, collects the pieces of a call until the call is complete, and enforces the limits. If one of its
// methods returns an error, the provider must return this error at once. Only one goroutine may use an Answer. The
// function Scripted creates an Answer.
type Answer struct {
	provider string
	req      Request
	yield    func(Event, error) bool
	peek     func(Event) // receives pieces that are not events yet; see withPeek
	inYield  bool        // yield is running; a panic then comes from the reader

	thought  strings.Builder
	thinking bool // a thought has begun and not ended
	texts    size // of all text
	thoughts size // of all thoughts
	calls    gathering
	usage    Usage
	counted  bool // the provider has reported usage
	end      EndReason
	odd      string // the provider's unknown word for the end of the answer; else empty
}

// Scripted returns a stream of events. It calls the function produce, which builds an Answer, and yields the events of
// this Answer. At the end it yields the calls, the usage and the End event, or the error of produce. A model that uses
// a Wire calls Wire.Stream instead.
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

// Text adds a piece of the answer's text. If a thought is open, Text ends the thought first.
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

// Think adds a piece of text to the open thought. If no thought is open, Think begins a thought.
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

// EndThought ends the open thought. signature is the provider's signature of the thought; it may be
// empty. If no thought is open and signature is not empty, EndThought adds a thought without text.
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

// Call adds a piece of a tool call. If a thought is open, Call ends the thought first.
func (a *Answer) Call(piece CallPiece) error {
	if err := a.EndThought(""); err != nil {
		return err
	}
	a.peek(pieceOf(piece))
	return a.calls.add(piece)
}

// Used sets the usage of the answer. It replaces the usage from an earlier call.
func (a *Answer) Used(usage Usage) {
	a.usage, a.counted = usage, true
	a.peek(Event{Kind: UsageKnown, Usage: usage})
}

// End sets the reason for the end of the answer. Without a reason, the answer counts as
// interrupted. A later reason does not replace Refused, because some providers first refuse and
// then report a stop.
func (a *Answer) End(reason EndReason) {
	if a.end != Refused {
		a.end = reason
	}
}

// finish ends an open thought and yields calls, usage and End.
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
	// Providers disagree about the end reason of an answer with calls.
	switch {
	case a.end == Stop && len(calls) > 0:
		a.end = ToolCalls
	case a.end == ToolCalls && len(calls) == 0:
		a.end = Stop
	}
	return a.emit(Event{Kind: End, End: a.end})
}

// usageOf returns the usage from the provider. If the provider did not report any, it returns an estimate.
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

// emit yields an event. It returns errLeft if the reader has stopped reading.
func (a *Answer) emit(event Event) error {
	a.inYield = true
	on := a.yield(event, nil)
	a.inYield = false
	if !on {
		return errLeft
	}
	return nil
}

// tooLong returns the MODEL_ERROR of an answer that exceeds a limit.
func tooLong(what string, limit int) error {
	return fault.New("models.Stream", sdkapi.ModelError, "the gateway stopped the model's answer: it has more than %d bytes of %s", limit, what)
}

// CallPiece is a piece of a tool call, as providers stream it. A field that is not part of the
// piece is empty.
type CallPiece struct {
	Index     *int // number of the call in the answer; nil if the provider does not number calls
	ID        string
	Name      string
	Arguments string // a piece of the arguments' JSON text
	Signature string
}

// gathering collects the calls of one answer.
type gathering struct {
	calls []*gathered     // in the order of their first pieces
	taken map[string]bool // ids of calls in the conversation
}

// gathered is a call whose pieces are being collected.
type gathered struct {
	index     *int
	call      Call
	arguments strings.Builder
}

// newGathering returns a gathering that never uses an id of a call in history.
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

// add adds a piece to its call, or begins a call. It fails with MODEL_ERROR if the answer has too many calls, or a call
// has too many bytes.
func (g *gathering) add(p CallPiece) error {
	to := g.find(p)
	if to == nil {
		if len(g.calls) == MaxCalls {
			return fault.New("models.Stream", sdkapi.ModelError, "the gateway stopped the model's answer: it has more than %d tool calls", MaxCalls)
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

// unreadable adds a call without a name after all other calls. It cuts written to MaxArguments bytes.
func (g *gathering) unreadable(written, signature string) error {
	number := math.MaxInt
	return g.add(CallPiece{Index: &number, Arguments: written[:min(len(written), MaxArguments)], Signature: signature})
}

// find returns the call that p continues, or nil if p begins a call. Some servers give every call the number
// 0 and omit ids. So a piece with a function name begins a call, unless its id is known.
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

// made returns an id that no call of the conversation has: MadeID and the next free number.
func (g *gathering) made() string {
	for n := len(g.taken); ; n++ {
		if id := MadeID + strconv.Itoa(n); !g.taken[id] {
			return id
		}
	}
}

// whole returns the complete calls, sorted by their numbers if they have numbers. Each call has an id that
// is unique in the conversation. Its arguments are a JSON object.
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

// InvalidArgumentsKey is the only field in the arguments of a call if the model wrote something
// other than a JSON object. The field has the text that the model wrote. No schema of a tool has a
// field with this name.
const InvalidArgumentsKey = "$invalid_arguments"

// Invalid reports whether the model wrote arguments that are not a JSON object, for example because
// its answer was cut off. written is the text that the model wrote. Do not run such a call.
// Instead, give it a result that asks the model to write the arguments again.
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

// objectOf converts a model's arguments to a JSON object. Empty text and null become the empty object,
// because some servers send null for no parameters. A JSON string with an object in it becomes the
// object. Other text becomes the value of InvalidArgumentsKey.
func objectOf(written string) json.RawMessage {
	text := bytes.TrimSpace([]byte(written))
	if len(text) == 0 || string(text) == "null" {
		return json.RawMessage("{}")
	}
	if text[0] == '{' && json.Valid(text) {
		return text
	}
	// Some servers send the object as a JSON string.
	var inner string
	if text[0] == '"' && json.Unmarshal(text, &inner) == nil {
		if object := bytes.TrimSpace([]byte(inner)); len(object) > 0 && object[0] == '{' && json.Valid(object) {
			return object
		}
	}
	wrapped, _ := json.Marshal(map[string]string{InvalidArgumentsKey: written}) // strings always marshal
	return wrapped
}
