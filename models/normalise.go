package models

import (
	"slices"
	"strings"

	"github.com/windieos/windie/internal/hashid"
)

// Texts that Normalise inserts where a provider requires one.
const (
	emptyResult   = "(no output)"
	missingResult = "(not run: no result)"
	opening       = "(earlier conversation left out)"
	unnamed       = "unnamed"
)

// MadeID is the start of an id that the gateway generates for a call without an id. A number
// follows it.
const MadeID = "tool_call_"

// fittedID is the prefix of an id that replaces an id that some provider would refuse. Older gateways gave
// their own ids this prefix. OpenAI's ids have it too.
const fittedID = "call_"

// IsMade reports whether the id of a call may be an id that the gateway generated.
func IsMade(id string) bool {
	return strings.HasPrefix(id, MadeID) || strings.HasPrefix(id, fittedID)
}

// Limits of a call's id and of a name. Both have letters, digits, "_" and "-".
const (
	maxID   = 40
	maxName = 64
)

// Normalise returns a conversation in a form that every provider accepts:
//
//   - Empty texts are removed, and so are messages that are then empty.
//   - Adjacent messages of the same role are joined.
//   - Results follow the message with their calls, in the order of the calls.
//     If a call has no result, Normalise adds a result that says so. Results
//     without a call are removed.
//   - Characters in ids and names that some provider refuses are replaced.
//   - Thoughts of other providers are removed.
//   - The first message is from the user.
//
// It does not modify messages.
func Normalise(messages []Message, provider string) []Message {
	n := normaliser{provider: provider, results: map[string][]*Result{}}
	for _, m := range messages {
		for _, p := range m.Parts {
			if p.Result != nil {
				id := fitID(p.Result.CallID)
				n.results[id] = append(n.results[id], p.Result)
			}
		}
	}
	for _, m := range messages {
		n.add(m)
	}
	n.answerCalls()
	if len(n.out) > 0 && n.out[0].Role != User {
		n.out = slices.Insert(n.out, 0, Message{Role: User, Parts: []Part{{Text: opening}}})
	}
	return n.out
}

// normaliser is the state of one call of Normalise.
type normaliser struct {
	provider string
	results  map[string][]*Result // by call id, in order; a call takes the first
	out      []Message
}

// add adds the normalised form of m. If m is not the assistant's, add first adds the results of the calls
// before m.
func (n *normaliser) add(m Message) {
	if m.Role != Assistant {
		n.answerCalls()
	}
	var parts []Part
	for _, p := range m.Parts {
		if p, keep := n.part(m.Role, p); keep {
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		return
	}
	if last := len(n.out) - 1; last >= 0 && n.out[last].Role == m.Role {
		n.out[last].Parts = append(n.out[last].Parts, parts...)
		return
	}
	n.out = append(n.out, Message{Role: m.Role, Parts: parts})
}

// part returns the normalised form of a part. It returns false for a part to drop. It drops results, because
// answerCalls adds them behind their calls.
func (n *normaliser) part(role Role, p Part) (Part, bool) {
	switch {
	case p.Text != "":
		return p, role != ToolRole
	case p.Image != nil:
		return p, role == User
	case p.Thought != nil:
		return p, role == Assistant && p.Thought.Provider == n.provider
	case p.Call != nil:
		call := *p.Call
		call.ID, call.Name, call.Arguments = fitID(call.ID), fitName(call.Name), objectOf(string(call.Arguments))
		return Part{Call: &call}, role == Assistant
	}
	return Part{}, false
}

// answerCalls adds the results of the calls in the last message, if that message is the assistant's. A call without a
// result gets missingResult.
func (n *normaliser) answerCalls() {
	if len(n.out) == 0 || n.out[len(n.out)-1].Role != Assistant {
		return
	}
	var parts []Part
	for _, p := range n.out[len(n.out)-1].Parts {
		if p.Call != nil {
			parts = append(parts, Part{Result: n.resultOf(p.Call)})
		}
	}
	if len(parts) > 0 {
		n.out = append(n.out, Message{Role: ToolRole, Parts: parts})
	}
}

// resultOf returns the result of a call. It always has at least one part.
func (n *normaliser) resultOf(call *Call) *Result {
	res := Result{CallID: call.ID, Name: call.Name, Parts: []Part{{Text: missingResult}}, IsError: true}
	if waiting := n.results[call.ID]; len(waiting) > 0 {
		n.results[call.ID] = waiting[1:]
		res.IsError = waiting[0].IsError
		res.Parts = slices.DeleteFunc(slices.Clone(waiting[0].Parts), func(p Part) bool { return p.Text == "" && p.Image == nil })
	}
	if len(res.Parts) == 0 {
		res.Parts = []Part{{Text: emptyResult}}
	}
	return &res
}

// fitID returns an id that every provider accepts. For the same id, it always returns the same result.
func fitID(id string) string {
	if id != "" && len(id) <= maxID && fit(id) == id {
		return id
	}
	return fittedID + hashid.Of(id, 12)
}

// fitName returns a name that every provider accepts. An empty name becomes unnamed.
func fitName(name string) string {
	if name == "" {
		return unnamed
	}
	name = fit(name)
	return name[:min(len(name), maxName)]
}

// fit returns s with "_" in place of every byte that some provider refuses.
func fit(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			b[i] = '_'
		}
	}
	return string(b)
}
