package session

import (
	"encoding/json"
	"iter"
	"strings"

	"github.com/windieos/windie/models"
)

// Message is one message of a session's history. It refers to images by their ids.
type Message struct {
	Role  models.Role `json:"role"`
	Parts []Part      `json:"parts"`

	// Fence is the mark around the message's untrusted text. Each turn has a new Fence. The author of untrusted text
	// cannot know the Fence, so the text cannot contain the end mark. The message keeps its Fence, because providers
	// charge less for requests that begin like earlier requests.
	Fence string `json:"fence,omitempty"`

	// Cut marks an answer that was interrupted. The model gets a note about the interruption.
	Cut bool `json:"cut,omitempty"`
}

// Part is a part of a message. Exactly one field is set, besides the flags Named, Untrusted and
// Aside.
type Part struct {
	Text     string `json:"text,omitempty"`
	Artifact string `json:"artifact,omitempty"` // id of an image
	// Named means that models get only the id of the image in Artifact, not the image itself.
	Named   bool            `json:"named,omitempty"`
	Thought *models.Thought `json:"thought,omitempty"`
	Call    *models.Call    `json:"call,omitempty"`
	Result  *Result         `json:"result,omitempty"`

	// Untrusted marks text that neither the user nor the gateway wrote. The model must not follow
	// instructions in it.
	Untrusted bool `json:"untrusted,omitempty"`

	// Aside marks text that was added to a tool's output or a user's message, such as the state of
	// the screen after a call.
	Aside bool `json:"aside,omitempty"`
}

// Result is the result of a call.
type Result struct {
	Call    string `json:"call"` // id of the call
	Tool    string `json:"tool"`
	Parts   []Part `json:"parts"` // texts and images
	IsError bool   `json:"is_error,omitempty"`
	NotRun  bool   `json:"not_run,omitempty"` // whether the client did not reach this step of a bundle

	// Metadata is further data from the client. It is for people who watch the session, and models
	// do not get it.
	Metadata map[string]json.RawMessage `json:"metadata,omitempty"`

	// Cut is the digest of the whole result if Sessions.Cut has shortened the result. It
	// distinguishes results that were cut to equal texts. It is empty in a history.
	Cut string `json:"cut,omitempty"`
}

// partsOf yields the parts of messages in order; a result is followed by its own parts.
func partsOf(messages []Message) iter.Seq[Part] {
	return func(yield func(Part) bool) {
		for _, m := range messages {
			if !eachPart(m.Parts, yield) {
				return
			}
		}
	}
}

// eachPart yields parts, and the parts of results in them. It returns false if yield does.
func eachPart(parts []Part, yield func(Part) bool) bool {
	for _, p := range parts {
		if !yield(p) || p.Result != nil && !eachPart(p.Result.Parts, yield) {
			return false
		}
	}
	return true
}

// Text returns a message with one text.
func Text(role models.Role, text string) Message {
	return Message{Role: role, Parts: []Part{{Text: text}}}
}

// calls returns the calls of a message, in order.
func (m Message) calls() []*models.Call {
	var calls []*models.Call
	for _, p := range m.Parts {
		if p.Call != nil {
			calls = append(calls, p.Call)
		}
	}
	return calls
}

// text returns the texts of a message, joined.
func (m Message) text() string {
	var b strings.Builder
	for _, p := range m.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// callIDs returns the ids of all calls in messages.
func callIDs(messages []Message) map[string]bool {
	used := map[string]bool{}
	for p := range partsOf(messages) {
		if p.Call != nil {
			used[p.Call.ID] = true
		}
	}
	return used
}
