package session

import (
	"encoding/json"

	"github.com/windieos/windie/journal"
)

// Question is the call that an approval is about, for lists of decisions, also
// when its turn is over. Arguments are left out if they are too long.
type Question struct {
	Tool      string          `json:"tool"` // as models know it
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Call      string          `json:"call"`
	Began     int64           `json:"began"` // the event that began the turn
}

// requestOf returns the Request of a decision about a call: a Question, or the
// arguments of a client's tool, which a worker that takes over uses.
func (w *worker) requestOf(c *Call, kind string) json.RawMessage {
	if kind != Approval {
		return c.Arguments
	}
	q := Question{Tool: c.Name, Arguments: c.Arguments, Call: c.ID, Began: w.state.Began}
	request, err := marshal(q)
	if err != nil || len(request) > journal.MaxData {
		q.Arguments = nil
		request, _ = marshal(q) // names and a number are JSON
	}
	return request
}
