package agenttest

import (
	"encoding/json"

	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
)

// Reply is one answer of a Script.
type Reply = modelstest.Reply

// Script is a models.Model that answers from a list of replies.
type Script = modelstest.Script

// NewScript returns a model that gives the replies in order.
func NewScript(replies ...Reply) *Script { return modelstest.NewScript(replies...) }

// Saying returns a reply with some text, 10 tokens of input and 5 of output.
func Saying(pieces ...string) Reply { return Reply{Text: pieces, Usage: usual} }

// Calling returns a reply that calls tools. words has id, name and arguments of each call. Its
// usage is that of Saying.
func Calling(words ...string) Reply {
	r := Reply{Usage: usual}
	for i := 0; i < len(words); i += 3 {
		r.Calls = append(r.Calls, models.Call{ID: words[i], Name: words[i+1], Arguments: json.RawMessage(words[i+2])})
	}
	return r
}

var usual = models.Usage{Input: 10, Output: 5}
