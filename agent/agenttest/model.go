package agenttest

import (
	"encoding/json"
	"testing"

	"github.com/windieos/windie/models"
	"github.com/windieos/windie/models/modelstest"
	"github.com/windieos/windie/sdkapi"
)

// Reply is one answer of a Script or a Server.
type Reply = modelstest.Reply

// Script is a models.Model that answers from a table.
type Script = modelstest.Script

// Server stands for a provider's.
type Server = modelstest.Server

// Protocol is one that a Server speaks.
type Protocol = modelstest.Protocol

// Fault is a way in which a Server fails.
type Fault = modelstest.Fault

// The protocols that a Server speaks.
var (
	OpenAI    = modelstest.OpenAI
	Anthropic = modelstest.Anthropic
	Gemini    = modelstest.Gemini
)

// Faults says in which ways a Server fails, and what each is called when it
// reaches who asks.
func Faults() map[Fault]sdkapi.Code { return modelstest.Faults() }

// NewScript returns a model that gives the replies in order.
func NewScript(replies ...Reply) *Script { return modelstest.NewScript(replies...) }

// Serve starts a provider's server that gives the replies in order, and the
// last one again and again. It is closed with the test.
func Serve(t testing.TB, protocol Protocol, replies ...Reply) *Server {
	t.Helper()
	return modelstest.Serve(t, protocol, replies...)
}

// Saying is a reply of some text, which takes 10 tokens to ask and 5 to say.
func Saying(pieces ...string) Reply { return Reply{Text: pieces, Usage: usual} }

// Calling is a reply that calls tools, given as id, name, arguments, and again.
// It takes as many tokens as Saying's.
func Calling(words ...string) Reply {
	r := Reply{Usage: usual}
	for i := 0; i < len(words); i += 3 {
		r.Calls = append(r.Calls, models.Call{ID: words[i], Name: words[i+1], Arguments: json.RawMessage(words[i+2])})
	}
	return r
}

var usual = models.Usage{Input: 10, Output: 5}
