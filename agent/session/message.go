package session

import (
	"encoding/json"
	"iter"
	"strings"

	"github.com/windieos/windie/models"
)

// Message is one entry of a session's history. It has the ids of images.
type Message struct {
	Role  models.Role `json:"role"`
	Parts []Part      `json:"parts"`

	// Fence marks the ends of the message's untrusted text. It is new in each turn, so that no
	// text can close it, and stays with the message: providers charge less for equal beginnings.
	Fence string `json:"fence,omitempty"`

	// Cut says that the message is an answer that broke off. Models get a note about it.
	Cut bool `json:"cut,omitempty"`
}

// Part is a piece of a message. Besides Named, Untrusted and Aside, one field is set.
type Part struct {
	Text     string          `json:"text,omitempty"`
	Artifact string          `json:"artifact,omitempty"` // id of an image
	Named    bool            `json:"named,omitempty"`    // beside Artifact: models get its id, and not the image
	Thought  *models.Thought `json:"thought,omitempty"`
	Call     *models.Call    `json:"call,omitempty"`
	Result   *Result         `json:"result,omitempty"`

	// Untrusted says that neither the user nor the gateway wrote the text: the
	// model must not follow orders in it.
	Untrusted bool `json:"untrusted,omitempty"`

	// Aside says that the text was added to a tool's output or a user's message,
	// such as the state of the screen after a call.
	Aside bool `json:"aside,omitempty"`
}

// Result is the result of a call.
type Result struct {
	Call    string `json:"call"` // the call's id
	Tool    string `json:"tool"`
	Parts   []Part `json:"parts"` // text and images
	IsError bool   `json:"is_error,omitempty"`
	NotRun  bool   `json:"not_run,omitempty"` // the client did not reach this step of a bundle

	// Metadata is more from the client, for people who watch, and not for models.
	Metadata map[string]json.RawMessage `json:"metadata,omitempty"`

	// Cut is the digest of the whole result if Sessions.Cut left something out; it
	// distinguishes results that were cut to the same text. Empty in a history.
	Cut string `json:"cut,omitempty"`
}

// partsOf yields the parts of messages in order, and behind a result its parts.
func partsOf(messages []Message) iter.Seq[Part] {
	return func(yield func(Part) bool) {
		for _, m := range messages {
			if !eachPart(m.Parts, yield) {
				return
			}
		}
	}
}

func eachPart(parts []Part, yield func(Part) bool) bool {
	for _, p := range parts {
		if !yield(p) || p.Result != nil && !eachPart(p.Result.Parts, yield) {
			return false
		}
	}
	return true
}

// Text returns a message of one text.
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

// text returns the texts of a message.
func (m Message) text() string {
	var b strings.Builder
	for _, p := range m.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// callIDs returns the ids of all calls so far.
func callIDs(messages []Message) map[string]bool {
	used := map[string]bool{}
	for p := range partsOf(messages) {
		if p.Call != nil {
			used[p.Call.ID] = true
		}
	}
	return used
}
