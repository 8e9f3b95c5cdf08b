package models

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/windieos/windie/internal/fault"
	"github.com/windieos/windie/sdkapi"
)

// CallPiece is a piece of a call, as providers stream them. An empty
// field was not sent.
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

// find returns the call that p goes on with, or nil when it begins one. Some
// servers give every call the number 0 and no id, so a piece that names a
// function begins a call, unless it has the id of one that is there.
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

// made returns an id that the conversation does not have: that of the next
// number.
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
		return *a.index - *b.index
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

// Invalid returns what the model wrote as arguments when it was not a JSON
// object: it wrote nonsense, or was stopped in the middle. Do not run such a
// call; its result asks the model to write its arguments again.
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

// objectOf returns what a model wrote as arguments as a JSON object. Nothing
// is the empty object, and so is null, which some servers send for a tool
// without parameters; what is no object is kept under InvalidArgumentsKey.
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
