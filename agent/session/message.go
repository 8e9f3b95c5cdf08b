package session

import (
	"encoding/json"
	"strings"

	"github.com/windieos/windie/models"
)

// Message is one entry of a session's history, as it is kept: images are named,
// not held.
type Message struct {
	Role  models.Role `json:"role"`
	Parts []Part      `json:"parts"`

	// Fence marks the beginning and end of this message's untrusted text. It
	// is new in each turn, so that no text can know it and close its own fence,
	// and it stays with the message, so that later prompts begin with the same
	// bytes, which providers charge less for.
	Fence string `json:"fence,omitempty"`
}

// Part is a piece of a message. One of its fields but Named, Untrusted and Aside
// is set.
type Part struct {
	Text     string          `json:"text,omitempty"`
	Artifact string          `json:"artifact,omitempty"` // id of an image
	Named    bool            `json:"named,omitempty"`    // beside Artifact: models are told its id, and not shown it
	Thought  *models.Thought `json:"thought,omitempty"`
	Call     *models.Call    `json:"call,omitempty"`
	Result   *Result         `json:"result,omitempty"`

	// Untrusted says that the text was written by neither the user nor the
	// gateway: the model is told not to take orders from it.
	Untrusted bool `json:"untrusted,omitempty"`

	// Aside says that the text is told with a result, or with a user's message,
	// and is not what the tool put out or the user said: what the screen is like
	// behind it, say.
	Aside bool `json:"aside,omitempty"`
}

// Result is what came of a call.
type Result struct {
	Call    string `json:"call"` // the call's id
	Tool    string `json:"tool"`
	Parts   []Part `json:"parts"` // text and images
	IsError bool   `json:"is_error,omitempty"`
	NotRun  bool   `json:"not_run,omitempty"` // the client did not come to this step of a bundle

	// Metadata is what else the client told of it, for who watches. Models are
	// not shown it.
	Metadata map[string]json.RawMessage `json:"metadata,omitempty"`

	// Cut is the digest of the whole, where Sessions.Cut left something out:
	// what was cut to the same is not the same answer. A history has none.
	Cut string `json:"cut,omitempty"`
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

// text returns what a message says.
func (m Message) text() string {
	var b strings.Builder
	for _, p := range m.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}
