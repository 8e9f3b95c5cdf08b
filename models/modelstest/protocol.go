package modelstest

import (
	"encoding/json"
	"fmt"

	"github.com/windieos/windie/models"
	"github.com/windieos/windie/sdkapi"
)

// Protocol is a provider's way of speaking: how its server answers, and what the
// suite expects of its requests. All that the suite and a Server know of a
// provider is here.
type Protocol struct {
	Kind   models.Kind
	Asked  func(path string) bool  // whether a request for an answer goes to this path
	Reply  func(Reply) []Object    // a reply's events, in order
	Last   string                  // what stands behind the events, as it is sent; empty for nothing
	Named  bool                    // events have names, which are their types
	Pieces func(index int) Pieces  // what Endless faults repeat
	Full   string                  // how it says that a conversation is too long
	Codes  map[Fault]sdkapi.Code   // of faults that end in another code than Faults says
	Signed func(sig string) string // a thought's signature in a request; nil if thoughts do not go back
	InPath bool                    // the model is named in the path, and not in the body
	NoUser bool                    // requests have no field for the user
	Caches bool                    // it counts what was put into the cache
	Counts bool                    // it always counts tokens
}

// Pieces are events that say more of an answer, the index being that of a call
// or a block. Each is as long as pieceLen, but More and Call.
type Pieces struct {
	Text, Thought, Arguments, Call Object
	More                           Object // arguments of a call that has begun; nil for Arguments again
}

// piece returns what the fault repeats.
func (p Pieces) of(f Fault) Object {
	return map[Fault]Object{EndlessText: p.Text, EndlessThink: p.Thought, EndlessInput: p.Arguments, EndlessCalls: p.Call}[f]
}

// Object is a JSON object.
type Object = map[string]any

// Code returns what a fault is called when it reaches the caller of a model that
// speaks the protocol.
func (p Protocol) Code(f Fault) sdkapi.Code {
	if code, other := p.Codes[f]; other {
		return code
	}
	return Faults()[f]
}

// frame returns a server-sent event.
func (p Protocol) frame(value Object) string {
	name := ""
	if p.Named {
		name = fmt.Sprintf("event: %s\n", value["type"])
	}
	return name + "data: " + text(value) + "\n\n"
}

// text returns an object as JSON.
func text(value Object) string {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// frames returns the events of a reply, in order.
func (p Protocol) frames(r Reply) []string {
	var out []string
	for _, value := range p.Reply(r) {
		out = append(out, p.frame(value))
	}
	if p.Last != "" {
		out = append(out, p.Last)
	}
	return out
}

// halves cuts a text in two, as arguments come in pieces.
func halves(text string) []string { return []string{text[:len(text)/2], text[len(text)/2:]} }
