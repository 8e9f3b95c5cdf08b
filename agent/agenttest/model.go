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

// Saying returns a reply with text. The reply's usage is 10 input tokens and 5 output tokens.
func Saying(pieces ...string) Reply { return Reply{Text: pieces, Usage: usual} }

// Calling returns a reply that calls tools. words contains the id, the name and the arguments of
// each call. The reply's usage is 10 input tokens and 5 output tokens.
func Calling(words ...string) Reply {
	r := Reply{Usage: usual}
	for i := 0; i < len(words); i += 3 {
		r.Calls = append(r.Calls, models.Call{ID: words[i], Name: words[i+1], Arguments: json.RawMessage(words[i+2])})
	}
	return r
}

var usual = models.Usage{Input: 10, Output: 5}
