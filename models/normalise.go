package models

import (
	"slices"
	"strings"

	"github.com/windieos/windie/internal/hashid"
)

// What Normalise puts where a provider wants something and there is nothing.
const (
	emptyResult   = "(no output)"
	missingResult = "(not run: no result)"
	opening       = "(earlier conversation left out)"
	unnamed       = "unnamed"
)

// MadeID begins, before a number, the ids of calls to which the provider gave no id.
const MadeID = "tool_call_"

// fittedID begins the ids that were made here of others that not all providers
// take, and those that older gateways made. OpenAI's begin alike.
const fittedID = "call_"

// IsMade reports whether the id of a call may have been made here.
func IsMade(id string) bool {
	return strings.HasPrefix(id, MadeID) || strings.HasPrefix(id, fittedID)
}

// What every provider takes as the id of a call and as a name: letters,
// digits, "_" and "-", and at most so many of them.
const (
	maxID   = 40
	maxName = 64
)

// Normalise returns a conversation as every provider takes it:
//
//   - empty texts, and messages left with nothing, are gone;
//   - adjacent messages of one role are one;
//   - behind a message with calls come their results, in the order of the
//     calls, wherever they were; a call without one gets one that says so, and
//     results of calls that are not there are gone;
//   - ids and names that some provider made up have letters all providers take;
//   - thoughts are those of provider alone;
//   - the first message is a user's.
//
// The messages given stay as they are.
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

// normaliser is a Normalise at work.
type normaliser struct {
	provider string
	results  map[string][]*Result // by call, in order; a call takes the first
	out      []Message
}

// add adds what is left of m. A message that is not the assistant's ends what
// the assistant said, so that the results have to come before it.
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

// part returns what is left of a part in a message of that role. Results go in with their calls.
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

// resultOf returns the result of a call. It always has something to show.
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

// fitID returns an id that every provider takes: the same for the same.
func fitID(id string) string {
	if id != "" && len(id) <= maxID && fit(id) == id {
		return id
	}
	return fittedID + hashid.Of(id, 12)
}

func fitName(name string) string {
	if name == "" {
		return unnamed
	}
	name = fit(name)
	return name[:min(len(name), maxName)]
}

// fit returns s with every byte that some provider refuses replaced.
func fit(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			b[i] = '_'
		}
	}
	return string(b)
}
